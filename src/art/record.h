// One version of one key: what the tree's leaves are.
//
//   segment   ...|frame header|key bytes|value bytes|...        written once by the commit, never copied
//                              ^
//   Record    key -------------+   value = key + key_bytes
//             older --> the version before this one, or null
//
// R1  The bytes [key, key + key_bytes + value_bytes) stay readable and unchanged for as long as the record.
// R2  `older` leads to a strictly smaller sequence. It is set before the record is reachable, never after.
// R3  32 bytes on a 32-byte boundary: reading one costs one cache line.
//
// Threads: written by the one writer before it is published through the tree; read by any thread after that.
// Not here: what a kind means (kv), and where the bytes lie in a file (journal).
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "base/arena.h"
#include "base/types.h"

namespace ashlar::art {

struct alignas(32) Record {
  std::atomic<const Record*> older{nullptr};
  uint64_t sequence_and_kind = 0;  // sequence in the high 56 bits, kind in the low 8
  const char* key_data = nullptr;
  uint32_t key_bytes = 0;
  uint32_t value_bytes = 0;

  Bytes key() const noexcept { return {key_data, key_bytes}; }
  Bytes value() const noexcept { return {key_data + key_bytes, value_bytes}; }
  Sequence sequence() const noexcept { return Sequence(sequence_and_kind >> 8); }
  uint8_t kind() const noexcept { return static_cast<uint8_t>(sequence_and_kind); }
  const Record* previous_version() const noexcept { return older.load(std::memory_order_acquire); }

  // The newest version that a reader at `limit` may see, this one or an older one; null when all are newer.
  const Record* version_at(Sequence limit) const noexcept {
    const Record* record = this;
    while (record != nullptr && record->sequence() > limit) record = record->previous_version();
    return record;
  }
};
static_assert(sizeof(Record) == 32);

// `key_and_value`: the key bytes, directly followed by the value bytes.
inline Record* new_record(Arena& arena, Sequence sequence, uint8_t kind, const char* key_and_value,
                          uint32_t key_bytes, uint32_t value_bytes) {
  auto* record = new (arena.allocate(sizeof(Record), alignof(Record))) Record;
  record->sequence_and_kind = sequence.value << 8 | kind;
  record->key_data = key_and_value;
  record->key_bytes = key_bytes;
  record->value_bytes = value_bytes;
  return record;
}

}  // namespace ashlar::art
