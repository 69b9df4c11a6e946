// Runs made up for the tests and fuzzers of this folder, and the model they are compared with: a sorted vector of
// entries. Never part of the library.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/prng.h"
#include "run/memory_file.h"
#include "run/reader.h"
#include "run/writer.h"

namespace ashlar::run {

inline constexpr Uuid kSampleDatabase{0x0123456789abcdef, 0xfedcba9876543210};
inline constexpr RunId kSampleRun{42};

struct SampleEntry {
  std::string key;
  uint64_t trailer = 0;
  std::string value;

  bool operator==(const SampleEntry&) const = default;
};

inline bool before(const SampleEntry& a, const SampleEntry& b) {
  return kv::compare_entries(a.key, a.trailer, b.key, b.trailer) < 0;
}

// In internal order.
using SampleEntries = std::vector<SampleEntry>;

inline std::string stored_key(uint32_t keyspace, Bytes user_key) {
  std::string key;
  kv::set_stored_key(key, KeyspaceId(keyspace), user_key);
  return key;
}

struct SampleShape {
  size_t key_count = 300;
  uint32_t keyspace_count = 3;
  size_t max_versions = 4;
  size_t max_value_bytes = 200;
};

// Short keys over few letters, so that prefixes of one another, embedded zeros and empty user keys occur.
inline std::string sample_key(Prng& prng, uint32_t keyspace_count) {
  std::string user_key;
  const uint64_t size = prng.below(12);
  for (uint64_t i = 0; i < size; ++i) user_key.push_back("\0ab\xff"[prng.below(4)]);
  return stored_key(static_cast<uint32_t>(prng.below(keyspace_count)), user_key);
}

inline SampleEntries sample_entries(uint64_t seed, const SampleShape& shape) {
  Prng prng(seed);
  SampleEntries entries;
  uint64_t sequence = 1;
  for (size_t i = 0; i < shape.key_count; ++i) {
    const std::string key = sample_key(prng, shape.keyspace_count);
    const uint64_t versions = prng.one_in(20) ? shape.max_versions * 10 : prng.between(1, shape.max_versions);
    for (uint64_t v = 0; v < versions; ++v) {
      const bool put = !prng.one_in(5);
      std::string value(put ? prng.below(shape.max_value_bytes + 1) : 0,
                        static_cast<char>('a' + prng.below(26)));
      for (size_t at = 0; at < value.size(); at += 7) value[at] = static_cast<char>(prng.next());
      entries.push_back(
          {key, kv::make_trailer(Sequence(sequence), put ? kv::Kind::put : kv::Kind::remove), value});
      sequence += prng.between(1, 3);
    }
  }
  std::sort(entries.begin(), entries.end(), before);
  return entries;
}

inline SharedBytes build_sample(const SampleEntries& entries, const WriterOptions& options,
                                Properties* properties = nullptr) {
  auto bytes = std::make_shared<std::string>();
  auto writer =
      Writer::create(std::make_unique<MemoryFile>(bytes), options, kSampleDatabase, kSampleRun).value();
  for (const auto& entry : entries) ASHLAR_CHECK(writer->add(entry.key, entry.trailer, entry.value).ok());
  Result<Properties> finished = writer->finish();
  ASHLAR_CHECK(finished.ok());
  if (properties != nullptr) *properties = finished.value();
  return bytes;
}

inline Result<std::shared_ptr<Reader>> open_sample(const SharedBytes& bytes, BlockCache* cache = nullptr) {
  return Reader::open(std::make_unique<MemoryFile>(bytes), bytes->size(), kSampleDatabase, kSampleRun, cache);
}

// What a get must find, or end().
inline SampleEntries::const_iterator model_get(const SampleEntries& entries, Bytes key, Sequence at_most) {
  const SampleEntry target{std::string(key), kv::seek_trailer(at_most), {}};
  const auto at = std::lower_bound(entries.begin(), entries.end(), target, before);
  return at != entries.end() && at->key == key ? at : entries.end();
}

inline SampleEntry entry_of(const kv::Cursor& cursor) {
  return {std::string(cursor.key()), cursor.trailer(), std::string(cursor.value())};
}

}  // namespace ashlar::run
