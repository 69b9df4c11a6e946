// What a caller may choose about a run: how its blocks are stored, and how a cursor reads them.
//
// The numbers of Compression are part of the file format. Not here: levels, sizes of runs (lsm decides them).
#pragma once

#include <cstdint>
#include <string_view>

namespace ashlar::run {

enum class Compression : uint8_t {
  none = 0,
  lz4 = 1,
  snappy = 2,
  zstd = 3,
};

constexpr bool is_known_compression(uint8_t kind) { return kind <= 3; }
constexpr std::string_view compression_name(Compression compression) {
  constexpr std::string_view kNames[] = {"none", "lz4", "snappy", "zstd"};
  return kNames[static_cast<uint8_t>(compression)];
}

inline constexpr uint32_t kMinBlockBytes = 1024;
inline constexpr uint32_t kMaxBlockBytes = 256 * 1024;
inline constexpr uint32_t kDefaultBlockBytes = 16 * 1024;
inline constexpr uint32_t kMaxFilterBitsPerKey = 64;

struct WriterOptions {
  // A block that does not shrink by an eighth is stored as it is, whatever is asked for.
  Compression compression = Compression::lz4;
  // A block, its tables included, is at most this large unless one entry alone is larger.
  uint32_t block_bytes = kDefaultBlockBytes;
  // 0 = no filter.
  uint32_t filter_bits_per_key = 10;
};

enum class CacheUse : uint8_t {
  fill,    // look into the cache, leave there what was read
  bypass,  // neither: a compaction must not wash the cache out
};

struct CursorOptions {
  CacheUse cache = CacheUse::fill;
  // Upper bound of one read ahead. Reading ahead begins when blocks are taken in sequence; 0 = never.
  uint32_t readahead_bytes = 256 * 1024;
};

}  // namespace ashlar::run
