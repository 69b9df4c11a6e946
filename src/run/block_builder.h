// Encodes entries into the payload of one block (the picture is in block.h).
//
//   scratch = [room for the tables .......][entry][entry]... -->      finish(): the tables, put right before the entries
//
// Nothing is allocated once the tables have grown to the size of a block. Threads: one.
#pragma once

#include <memory>
#include <vector>

#include "base/coding.h"
#include "run/block.h"

namespace ashlar::run {

// Bytes that `a` and `b` begin with.
size_t shared_prefix(Bytes a, Bytes b);

class BlockBuilder {
 public:
  // An entry takes at most this much more than its key and value, tables aside.
  static constexpr size_t kEntryHeadBytes = 2 * 4 + sizeof(uint64_t);
  // The largest payload of one entry with so many bytes of key and value.
  static constexpr size_t max_payload_bytes(size_t key_and_value_bytes) {
    return kEntryHeadBytes + key_and_value_bytes + table_bytes(1, 4);
  }

  // `max_payload_bytes` is a promise of the caller: payload_bytes_with() of whatever is added stays within it.
  explicit BlockBuilder(size_t max_payload_bytes);

  uint32_t count() const { return static_cast<uint32_t>(offsets_.size()); }
  // If finished now.
  size_t payload_bytes() const {
    return payload_bytes(static_cast<size_t>(end_ - entries_), offsets_.size());
  }
  // At most, with one more entry.
  size_t payload_bytes_with(size_t key_bytes, size_t value_bytes) const {
    return payload_bytes(static_cast<size_t>(end_ - entries_) + kEntryHeadBytes + key_bytes + value_bytes,
                         offsets_.size() + 1);
  }
  void add(Bytes key, uint8_t fingerprint, uint64_t trailer, Bytes value);
  // Needs an entry. The payload is valid until the next add(), which begins the next block.
  Bytes finish();

  // The payload of a block of one entry, up to its value. Needs more than 65,535 bytes of key and value: the offsets
  // are wide, so that a reader finds the value's size in the size of the payload alone.
  static std::string large_front(Bytes key, uint8_t fingerprint, uint64_t trailer, uint64_t value_bytes);

 private:
  static constexpr size_t kNarrowLimit = UINT16_MAX;
  static size_t payload_bytes(size_t entries_bytes, size_t count) {
    return entries_bytes + static_cast<size_t>(table_bytes(count, entries_bytes > kNarrowLimit ? 4 : 2));
  }

  std::unique_ptr<char[]> scratch_;
  char* entries_;
  char* end_;
  Bytes restart_key_;  // points into the scratch
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> fingerprints_;
};

}  // namespace ashlar::run
