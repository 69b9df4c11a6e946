// Blocked Bloom filter: "this run cannot hold that key", for one cache miss.
//
//   hash (64 bits of base/aes_hash, computed once per get for all runs)
//     |-- upper 32 bits: which 64-byte block            (multiply-shift, no division)
//     '-- lower 32 bits: k bits inside it               (9 bits each, remixed by an odd multiplier)
//
//   section = [key count, 8][block count, 8][k, 4][zeros to 64][blocks, 64 bytes each]
//
// A filter never says no to a key that was added. Its rate of false yes is that of a blocked Bloom filter with
// blocks of 512 bits, sized for the real number of keys (about 1 % at 10 bits per key).
// Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007).
// Threads: a Filter is immutable. Not here: reading, writing and verifying the section (writer, reader).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/types.h"

namespace ashlar::run {

inline constexpr size_t kFilterBlockBytes = 64;
inline constexpr size_t kFilterHeadBytes = 64;

class FilterBuilder {
 public:
  explicit FilterBuilder(uint32_t bits_per_key) : bits_per_key_(bits_per_key) {}

  // Hashes may repeat, at the cost of a larger filter.
  void add(uint64_t key_hash) {
    if (bits_per_key_ == 0) return;
    if (next_ == end_) grow();
    *next_++ = key_hash;
    ++key_count_;
  }
  uint64_t key_count() const { return key_count_; }
  // Size of the section that finish() would return now; 0 without keys or bits.
  uint64_t section_bytes() const;
  std::string finish() const;

 private:
  void grow();

  // Chunks, so that a large run neither copies its hashes while it grows nor holds twice their size.
  static constexpr size_t kChunkHashes = 32 * 1024;
  uint32_t bits_per_key_;
  uint64_t key_count_ = 0;
  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;
  std::vector<std::unique_ptr<uint64_t[]>> chunks_;
};

class Filter {
 public:
  // An absent filter: every key may be there.
  Filter() = default;
  // `section` stays owned by the caller, outlives the filter and is best aligned to 64 bytes. An empty section is an
  // absent filter. Errors: corruption.
  static Result<Filter> parse(Bytes section);

  bool may_contain(uint64_t key_hash) const;
  // Starts to load what may_contain will look at, so that several runs can be asked at the cost of one miss.
  void prefetch(uint64_t key_hash) const;
  uint64_t key_count() const { return key_count_; }
  uint32_t probe_count() const { return probe_count_; }

  // Expected share of absent keys that may_contain lets pass.
  static double theoretical_false_positive_rate(double bits_per_key, uint32_t probe_count);

 private:
  const char* blocks_ = nullptr;
  uint64_t block_count_ = 0;
  uint64_t key_count_ = 0;
  uint32_t probe_count_ = 0;
};

}  // namespace ashlar::run
