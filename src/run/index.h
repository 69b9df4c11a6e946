// The index of a run: which block an entry would be in.
//
//   section = [block count, 8][end of the blocks, 8][common prefix size, 4][zero, 4][separator bytes, 8]
//             [prefix of each separator, 8]   [offset of each block, 8]   [end of each separator, 8]
//             [common prefix][separator]...         separator = [trailer, 8][key without the common prefix]
//
// Separator i is the shortest thing at or before the first entry of block i and after the last entry of block i-1. Its
// trailer is the highest there is, unless one key's versions span both blocks: then it is that of block i's first entry.
// The search runs over the 8-byte prefixes alone (the bytes after the prefix common to all separators, as a number that
// compares like them) and looks at whole separators only among equal ones.
//
// I1 Index::parse proves: offsets ascend from the header to the end of the blocks, separators strictly ascend, prefixes
//    are those of their separators. Everything else trusts it.
// Threads: an Index is immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/status.h"
#include "base/types.h"

namespace ashlar::run {

class IndexBuilder {
 public:
  // `previous_key` is the last key before the block (ignored for the first block).
  void add_block(uint64_t offset, Bytes previous_key, Bytes first_key, uint64_t first_trailer);
  uint64_t block_count() const { return offsets_.size(); }
  uint64_t section_bytes() const;
  // `blocks_end` = offset of the first byte after the last block.
  std::string finish(uint64_t blocks_end) const;

 private:
  Bytes key(size_t block) const;
  size_t common_bytes() const;
  uint64_t separator_bytes() const;

  std::vector<uint64_t> offsets_;
  std::vector<uint64_t> trailers_;
  std::vector<uint64_t> key_ends_;
  std::string keys_;
};

class Index {
 public:
  static constexpr size_t kHeadBytes = 32;

  Index() = default;
  // `section` stays owned by the caller, outlives the index and is best aligned to 8 bytes. The blocks it describes must
  // fill [blocks_begin, blocks_end). Errors: corruption.
  static Result<Index> parse(Bytes section, uint64_t blocks_begin, uint64_t blocks_end);

  size_t block_count() const { return block_count_; }
  uint64_t offset(size_t block) const { return block < block_count_ ? load(offsets_, block) : blocks_end_; }
  uint64_t block_bytes(size_t block) const { return offset(block + 1) - offset(block); }

  static constexpr size_t kNone = ~size_t{0};
  // The last block whose separator is at or before (key, trailer): the entry is there, or nowhere, or is the first one of
  // the next block. kNone: before every block.
  size_t find(Bytes key, uint64_t trailer) const;
  // Negative, zero, positive: separator of `block` against (key, trailer).
  int compare(size_t block, Bytes key, uint64_t trailer) const;
  // Whether versions of one key reach from the block before into this one.
  bool continues_key(size_t block) const;

 private:
  static uint64_t load(const char* words, size_t i) { return load_u64(words + i * 8); }
  Bytes separator(size_t block) const;
  int compare_rest(size_t block, Bytes key_rest, uint64_t trailer) const;
  Status check(uint64_t blocks_begin) const;

  size_t block_count_ = 0;
  uint64_t blocks_end_ = 0;
  Bytes common_;
  const char* prefixes_ = nullptr;
  const char* offsets_ = nullptr;
  const char* separator_ends_ = nullptr;
  const char* separators_ = nullptr;
};

}  // namespace ashlar::run
