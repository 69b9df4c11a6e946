// Encodes entries into the payload of one block (the picture is in block.h), in memory that the caller provides.
//
//   start(at)  add(...)...  finish() --> payload size
//
// The caller provides room for payload_bytes() after every add. Nothing is allocated once the tables have grown to the
// size of a block. Threads: one.
#pragma once

#include <vector>

#include "base/coding.h"
#include "run/block.h"

namespace ashlar::run {

// Bytes that `a` and `b` begin with.
size_t shared_prefix(Bytes a, Bytes b);

class BlockBuilder {
 public:
  void start(char* at) {
    begin_ = at;
    end_ = at;
    offsets_.clear();
    fingerprints_.clear();
  }
  uint32_t count() const { return static_cast<uint32_t>(offsets_.size()); }
  // If finished now.
  size_t payload_bytes() const { return payload_bytes(static_cast<size_t>(end_ - begin_), offsets_.size()); }
  // At most, with one more entry.
  size_t payload_bytes_with(size_t key_bytes, size_t value_bytes) const {
    return payload_bytes(static_cast<size_t>(end_ - begin_) + kEntryHeadBytes + key_bytes + value_bytes,
                         offsets_.size() + 1);
  }
  // The head and key of an entry may take this much more than the key itself.
  static constexpr size_t kEntryHeadBytes = 2 * 4 + sizeof(uint64_t);

  void add(Bytes key, uint8_t fingerprint, uint64_t trailer, Bytes value) {
    add_key(key, fingerprint, trailer);
    if (!value.empty()) std::memcpy(end_, value.data(), value.size());  // an empty view may point nowhere
    end_ += value.size();
  }
  size_t finish() {
    const auto entries_bytes = static_cast<uint32_t>(end_ - begin_);
    end_ = store_tables(end_, entries_bytes);
    return static_cast<size_t>(end_ - begin_);
  }

  // The pieces of a block of one entry whose value lies elsewhere: everything before it, everything after it.
  size_t finish_front(Bytes key, uint8_t fingerprint, uint64_t trailer) {
    add_key(key, fingerprint, trailer);
    return static_cast<size_t>(end_ - begin_);
  }
  size_t finish_back(char* at, uint32_t entries_bytes) const {
    return static_cast<size_t>(store_tables(at, entries_bytes) - at);
  }

 private:
  static constexpr size_t kNarrowLimit = UINT16_MAX;
  static size_t payload_bytes(size_t entries_bytes, size_t count) {
    const size_t width = entries_bytes > kNarrowLimit ? 4 : 2;
    return entries_bytes + (count + 1) * width + count + kBlockTailBytes;
  }
  void add_key(Bytes key, uint8_t fingerprint, uint64_t trailer);
  char* store_tables(char* at, uint32_t entries_bytes) const;

  char* begin_ = nullptr;
  char* end_ = nullptr;
  Bytes restart_key_;  // points into the block
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> fingerprints_;
};

}  // namespace ashlar::run
