#include "run/writer.h"

#include <algorithm>

#include "base/aes_hash.h"
#include "base/checksum.h"
#include "run/format.h"

namespace ashlar::run {

namespace {

// Above this the value is not brought together with its key. More than the narrow offsets reach, so the tables behind
// such a value have one size.
constexpr size_t kLargeEntryBytes = 64 * 1024;
static_assert(kLargeEntryBytes > UINT16_MAX);

// The largest payload of an ordinary block: full, or one entry that is just not large.
constexpr size_t max_payload_bytes(size_t block_bytes) {
  return std::max(block_bytes, BlockBuilder::max_payload_bytes(kLargeEntryBytes));
}
// Compressors may want a little more room than the bytes take.
static_assert(BlockHead::kBytes + max_payload_bytes(kMaxBlockBytes) * 7 / 6 + 1024 <
              Output::kMaxReserveBytes);

// Payload sizes are 32 bits wide in the format.
static_assert(kv::kMaxValueBytes + kv::kMaxKeyBytes + 4096 < UINT32_MAX);

}  // namespace

Result<std::unique_ptr<Writer>> Writer::create(std::unique_ptr<io::File> file, WriterOptions options,
                                               Uuid database, RunId id) {
  if (options.block_bytes < kMinBlockBytes || options.block_bytes > kMaxBlockBytes) {
    return invalid_argument("block size of " + std::to_string(options.block_bytes) + " bytes; allowed are " +
                            std::to_string(kMinBlockBytes) + " to " + std::to_string(kMaxBlockBytes));
  }
  if (options.filter_bits_per_key > kMaxFilterBitsPerKey) {
    return invalid_argument("filter of " + std::to_string(options.filter_bits_per_key) +
                            " bits per key; allowed are 0 to " + std::to_string(kMaxFilterBitsPerKey));
  }
  if (!is_known_compression(static_cast<uint8_t>(options.compression))) {
    return invalid_argument("unknown compression");
  }
  return std::unique_ptr<Writer>(new Writer(std::move(file), options, database, id));
}

Writer::Writer(std::unique_ptr<io::File> file, const WriterOptions& options, Uuid database, RunId id)
    : options_(options),
      database_(database),
      id_(id),
      blocks_seed_(seed_of(database, id, Purpose::block)),
      output_(std::move(file)),
      compressor_(options.compression),
      block_(max_payload_bytes(options.block_bytes)),
      filter_(options.filter_bits_per_key) {
  FileHeader header;
  header.database = database;
  header.id = id;
  header.store(output_.reserve(FileHeader::kBytes));
  failure_ = output_.commit(FileHeader::kBytes);
}

Status Writer::remember(Status status) {
  if (!status.ok()) failure_ = status;
  return status;
}

Status Writer::add(Bytes stored_key, uint64_t trailer, Bytes value) {
  ASHLAR_CHECK(!finished_);
  ASHLAR_CHECK(stored_key.size() >= kv::kKeyspacePrefixBytes &&
               stored_key.size() <= kv::kKeyspacePrefixBytes + kv::kMaxKeyBytes &&
               value.size() <= kv::kMaxValueBytes);
  ASHLAR_CHECK(kv::is_known_kind(static_cast<uint8_t>(trailer)));
  if (ASHLAR_UNLIKELY(!failure_.ok())) return failure_;
  if (stored_key.size() + value.size() > kLargeEntryBytes)
    return remember(add_large(stored_key, trailer, value));
  if (block_.count() > 0 &&
      BlockHead::kBytes + block_.payload_bytes_with(stored_key.size(), value.size()) > options_.block_bytes) {
    ASHLAR_TRY(remember(finish_block()));
  }
  // Before note_entry: the separator needs the key before.
  if (block_.count() == 0) index_.add_block(output_.offset(), last_key_, stored_key, trailer);
  note_entry(stored_key, trailer, value);
  block_.add(stored_key, last_fingerprint_, trailer, value);
  return ok_status();
}

void Writer::note_entry(Bytes stored_key, uint64_t trailer, Bytes value) {
  const Sequence sequence = kv::trailer_sequence(trailer);
  const bool first = properties_.entry_count == 0;
  const int order = first ? -1 : Bytes(last_key_).compare(stored_key);
  ASHLAR_CHECK(order < 0 || (order == 0 && kv::trailer_sequence(last_trailer_) > sequence));
  if (order != 0) {
    const uint64_t hash = aes_hash(stored_key);
    filter_.add(hash);
    last_fingerprint_ = fingerprint_of(hash);
    ++properties_.key_count;
    const KeyspaceId keyspace = kv::keyspace_of(stored_key);
    if (first || keyspace != properties_.keyspaces.back()) properties_.keyspaces.push_back(keyspace);
    if (first) properties_.smallest_key = stored_key;
    last_key_.assign(stored_key);
  }
  if (first || sequence < properties_.smallest_sequence) properties_.smallest_sequence = sequence;
  if (first || sequence > properties_.largest_sequence) properties_.largest_sequence = sequence;
  last_trailer_ = trailer;
  ++properties_.entry_count;
  ++(kv::trailer_kind(trailer) == kv::Kind::put ? properties_.put_count : properties_.tombstone_count);
  properties_.raw_key_bytes += stored_key.size();
  properties_.raw_value_bytes += value.size();
}

Status Writer::finish_block() {
  if (block_.count() == 0) return ok_status();
  const Bytes payload = block_.finish();
  BlockHead head;
  head.raw_bytes = static_cast<uint32_t>(payload.size());
  char* at = output_.reserve(BlockHead::kBytes + std::max(payload.size(), compressor_.bound(payload.size())));
  size_t stored_bytes = compressor_.compress(payload, at + BlockHead::kBytes);
  if (stored_bytes > 0) {
    head.compression = static_cast<uint8_t>(options_.compression);
  } else {
    stored_bytes = payload.size();
    std::memcpy(at + BlockHead::kBytes, payload.data(), stored_bytes);
  }
  head.stored_bytes = static_cast<uint32_t>(stored_bytes);
  head.store(at);
  const Bytes block(at, BlockHead::kBytes + stored_bytes);
  const uint64_t sum = block_checksum(block, head, block_seed(blocks_seed_, output_.offset()));
  store_u64(at, sum);
  note_block(sum);
  return output_.commit(block.size());
}

void Writer::note_block(uint64_t sum) {
  properties_.blocks_checksum = chain_checksum(properties_.blocks_checksum, sum);
  ++properties_.block_count;
}

Status Writer::add_large(Bytes stored_key, uint64_t trailer, Bytes value) {
  ASHLAR_TRY(finish_block());
  index_.add_block(output_.offset(), last_key_, stored_key, trailer);
  note_entry(stored_key, trailer, value);
  const std::string front = BlockBuilder::large_front(stored_key, last_fingerprint_, trailer, value.size());
  BlockHead head;
  head.layout = BlockLayout::large;
  head.front_bytes = static_cast<uint32_t>(front.size());
  head.raw_bytes = static_cast<uint32_t>(front.size() + value.size());

  std::unique_ptr<char[]> compressed;
  if (compressor_.compression() != Compression::none && !value.empty()) {
    compressed = std::make_unique_for_overwrite<char[]>(compressor_.bound(value.size()));
    if (const size_t size = compressor_.compress(value, compressed.get()); size > 0) {
      value = Bytes(compressed.get(), size);
      head.compression = static_cast<uint8_t>(compressor_.compression());
    }
  }
  head.stored_bytes = static_cast<uint32_t>(front.size() + value.size());
  std::string before_value(BlockHead::kBytes, '\0');
  head.store(before_value.data());
  before_value.append(front);
  // The same two links as block_checksum() follows in a block that lies in one piece.
  const uint64_t front_sum = checksum(Bytes(before_value).substr(BlockHead::kChecksumBytes),
                                      block_seed(blocks_seed_, output_.offset()));
  const uint64_t sum = checksum(value, front_sum);
  store_u64(before_value.data(), sum);
  note_block(sum);
  ASHLAR_TRY(output_.append(before_value));
  return output_.append(value);
}

uint64_t Writer::bytes_written() const {
  const uint64_t block = block_.count() == 0 ? 0 : BlockHead::kBytes + block_.payload_bytes();
  // Properties: two keys and a few numbers.
  const uint64_t properties = properties_.smallest_key.size() + last_key_.size() + 128;
  return output_.offset() + block + filter_.section_bytes() + index_.section_bytes() + properties +
         Footer::kBytes;
}

Status Writer::write_sections() {
  ASHLAR_TRY(finish_block());
  Footer footer;
  footer.filter_offset = output_.offset();
  const std::string filter = filter_.finish();
  footer.filter_checksum = checksum(filter, seed_of(database_, id_, Purpose::filter));
  ASHLAR_TRY(output_.append(filter));

  footer.index_offset = output_.offset();
  const std::string index = index_.finish(footer.filter_offset);
  footer.index_checksum = checksum(index, seed_of(database_, id_, Purpose::index));
  ASHLAR_TRY(output_.append(index));

  footer.properties_offset = output_.offset();
  properties_.largest_key = last_key_;
  std::string properties;
  encode_properties(properties_, properties);
  footer.properties_checksum = checksum(properties, seed_of(database_, id_, Purpose::properties));
  ASHLAR_TRY(output_.append(properties));

  footer.file_bytes = output_.offset() + Footer::kBytes;
  properties_.file_bytes = footer.file_bytes;
  properties_.identity =
      footer.store(output_.reserve(Footer::kBytes), seed_of(database_, id_, Purpose::footer));
  ASHLAR_TRY(output_.commit(Footer::kBytes));
  return output_.finish();
}

Result<Properties> Writer::finish() {
  ASHLAR_CHECK(!finished_);
  finished_ = true;
  if (!failure_.ok()) return failure_;
  if (Status status = remember(write_sections()); !status.ok()) return status;
  return properties_;
}

}  // namespace ashlar::run
