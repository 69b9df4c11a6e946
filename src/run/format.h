// The fixed-size parts of a run file and what ties its bytes to their place. docs/FORMAT.md has the whole.
//
//   0        64                                                                                file_bytes
//   | header | block | block | ... | filter | index | properties | footer (80) |
//              '- [head, 32][payload]
//
// F1 Every byte of the file is covered by exactly one checksum, and sections touch: nothing lies between them.
// F2 Header, blocks, sections and footer have different seeds, made from database, run id and kind; a block's also
//    from its offset. The header alone is not seeded, so that a foreign run can be told from a damaged one.
// F3 Magic, version and checksum of the header stay where they are in every future version: "newer" is decided
//    before anything else is believed.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/status.h"
#include "base/types.h"

namespace ashlar::run {

inline constexpr uint32_t kFormatVersion = 1;

enum class Purpose : uint64_t {  // "RUN" and a number: seeds of checksums
  header = 0x52554e01,
  block = 0x52554e02,
  filter = 0x52554e03,
  index = 0x52554e04,
  properties = 0x52554e05,
  footer = 0x52554e06,
};

struct FileHeader {
  static constexpr size_t kBytes = 64;
  static constexpr Bytes kMagic = "ASHLRUN1";
  uint32_t version = kFormatVersion;
  Uuid database;
  RunId id;

  void store(char* at) const;
  // Errors (without file name): corruption; unsupported_format for a newer version with a right checksum.
  static Result<FileHeader> load(Bytes bytes);
};

enum class BlockLayout : uint8_t {
  ordinary = 0,  // the payload is compressed as a whole
  large = 1,     // one entry; only its value, the last part, is compressed
};

struct BlockHead {
  static constexpr size_t kBytes = 32;
  static constexpr size_t kChecksumBytes = 8;     // the first field; not covered by itself
  static constexpr uint32_t kMagic = 0x4b4c4241;  // "ABLK"
  uint64_t checksum = 0;
  uint8_t compression = 0;
  BlockLayout layout = BlockLayout::ordinary;
  uint32_t stored_bytes = 0;  // payload in the file
  uint32_t raw_bytes = 0;     // payload in memory
  uint32_t front_bytes = 0;   // large: uncompressed bytes before the value

  void store(char* at) const;
  // `block` is the whole block as it lies in the file. Checks everything but the checksum. Errors: corruption.
  static Result<BlockHead> load(Bytes block);
};

struct Footer {
  static constexpr size_t kBytes = 80;
  static constexpr Bytes kMagic = "ASHLREND";
  static constexpr size_t kChecksumAt = 72;
  uint64_t filter_offset = 0;  // also the end of the blocks
  uint64_t index_offset = 0;
  uint64_t properties_offset = 0;
  uint64_t file_bytes = 0;
  uint64_t filter_checksum = 0;
  uint64_t index_checksum = 0;
  uint64_t properties_checksum = 0;

  uint64_t footer_offset() const { return file_bytes - kBytes; }
  // Returns the footer's checksum: the identity of the run.
  uint64_t store(char* at, uint64_t seed) const;
  // Errors: corruption. Offsets are in order and inside a file of `file_bytes` afterwards.
  static Result<Footer> load(Bytes bytes, uint64_t file_bytes, uint64_t seed, uint64_t* identity);
};

uint64_t seed_of(Uuid database, RunId id, Purpose purpose) noexcept;

// A right block in the wrong place does not verify.
constexpr uint64_t block_seed(uint64_t blocks_seed, uint64_t offset) {
  return blocks_seed + offset * 0x9e3779b97f4a7c15u;
}

// Checksum of a block as it lies in the file, head included. In the large layout the value is seeded with the checksum of
// what stands before it, so that a writer need not bring the two together.
uint64_t block_checksum(Bytes block, const BlockHead& head, uint64_t seed) noexcept;

// The properties' checksum over all blocks: fold each block's checksum in, in order, starting with 0.
uint64_t chain_checksum(uint64_t chain, uint64_t next) noexcept;

// "<what>: expected <expected>, found <found>", numbers in hexadecimal.
Status mismatch(std::string_view what, uint64_t expected, uint64_t found);

}  // namespace ashlar::run
