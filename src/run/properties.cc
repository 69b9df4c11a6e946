#include "run/properties.h"

#include "base/coding.h"

namespace ashlar::run {

void encode_properties(const Properties& properties, std::string& out) {
  for (const uint64_t number :
       {properties.entry_count, properties.put_count, properties.tombstone_count, properties.key_count,
        properties.block_count, properties.raw_key_bytes, properties.raw_value_bytes,
        properties.smallest_sequence.value, properties.largest_sequence.value}) {
    append_varint(out, number);
  }
  append_sized(out, properties.smallest_key);
  append_sized(out, properties.largest_key);
  append_varint(out, properties.keyspaces.size());
  for (const KeyspaceId keyspace : properties.keyspaces) append_varint(out, keyspace.value);
  append_varint(out, properties.blocks_checksum);
  append_varint(out, properties.file_bytes);
  append_varint(out, properties.identity);
}

namespace {

bool read_keyspaces(Bytes& in, std::vector<KeyspaceId>& keyspaces) {
  uint64_t count = 0;
  // Each takes a byte at least, so a count beyond the rest is a lie; nothing is allocated for it.
  if (!read_varint(in, &count) || count > in.size()) return false;
  keyspaces.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t id = 0;
    if (!read_varint(in, &id) || id > UINT32_MAX) return false;
    const KeyspaceId keyspace(static_cast<uint32_t>(id));
    if (!keyspaces.empty() && keyspace <= keyspaces.back()) return false;
    keyspaces.push_back(keyspace);
  }
  return true;
}

}  // namespace

Result<Properties> decode_properties(Bytes& in) {
  Properties properties;
  for (uint64_t* number :
       {&properties.entry_count, &properties.put_count, &properties.tombstone_count, &properties.key_count,
        &properties.block_count, &properties.raw_key_bytes, &properties.raw_value_bytes,
        &properties.smallest_sequence.value, &properties.largest_sequence.value}) {
    if (!read_varint(in, number))
      return corruption("properties of a run end early or hold a number too large");
  }
  Bytes smallest;
  Bytes largest;
  if (!read_sized(in, &smallest) || !read_sized(in, &largest))
    return corruption("key in the properties of a run");
  properties.smallest_key = smallest;
  properties.largest_key = largest;
  if (!read_keyspaces(in, properties.keyspaces)) return corruption("keyspaces in the properties of a run");
  if (!read_varint(in, &properties.blocks_checksum) || !read_varint(in, &properties.file_bytes) ||
      !read_varint(in, &properties.identity)) {
    return corruption("checksums in the properties of a run");
  }
  if (properties.smallest_sequence > kMaxSequence || properties.largest_sequence > kMaxSequence) {
    return corruption("sequence in the properties of a run");
  }
  return properties;
}

}  // namespace ashlar::run
