// Leaf words: which Record, the next two bytes of its key, and where that key lies.
//
//   63     56 55     48 47          28 27     22 21          3 2   0
//   [2nd byte|1st byte | line of key  | window  | offset / 32 |kind]      kind = 4 + bytes held
//                        20 bits       6 bits     19 bits
//
//   window   one of 64 aligned stretches of 16 MiB of memory in which Records have been met (arena chunks)
//   line     the key's cache line, counted from that of the first key, modulo 2^20: a 64 MiB segment
//
// What it buys: without the line, a lookup waits for the Record to learn where the key is, and then for the key; with it
// both are fetched at once. The line is a hint and may be wrong (a segment above 64 MiB): nothing but a prefetch uses it.
// Records outside the windows get a plain pointer (kFarLeaf): slower, not wrong.
//
// Threads: word() by the one writer. The rest by any thread that has acquired the word it asks about; windows and the
// first line are set before a word that needs them is published, and never again.
// Not here: bytes already consumed; the tree knows where a leaf hangs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "art/record.h"
#include "art/word.h"
#include "base/check.h"

namespace ashlar::art {

inline constexpr size_t kHeldBytes = 2;

// Key bytes held in a leaf word, and the word shifted so that byte i is its i-th lowest byte.
inline size_t held_count(Word leaf) {
  const size_t kind = leaf & 3;
  return kind == 3 ? 0 : kind;
}
inline uint32_t held_bytes(Word leaf) { return static_cast<uint32_t>(leaf >> 48); }
inline uint32_t held_mask(Word leaf) {
  return static_cast<uint32_t>(uint64_t{0x0000'ffff'00ff'0000} >> (16 * (leaf & 3)) & 0xffff);
}

// The same leaf after `count` more bytes of its key have been consumed; 0 < count <= held_count(leaf).
inline Word consume(Word leaf, size_t count) {
  constexpr Word kHeldMask = ~Word{0} << 48;
  return ((leaf & ~kHeldMask) - count) | ((leaf & kHeldMask) >> (8 * count) & kHeldMask);
}

class LeafMap {
 public:
  // The word for `record` in a slot that is reached after `consumed` bytes of its key.
  Word word(const Record* record, size_t consumed) {
    const auto address = reinterpret_cast<uintptr_t>(record);
    const uintptr_t base = address & ~(kWindowBytes - 1);
    if (ASHLAR_UNLIKELY(base != newest_base_) && !find_window(base, record->key_data)) {
      ASHLAR_CHECK((address >> 48) == 0);
      return address | kFarLeaf;
    }
    const auto key = reinterpret_cast<uintptr_t>(record->key_data);
    const Word line = ((key / kLineBytes - first_line_) & kLineMask) << kLineShift;
    const Word held = std::min<size_t>(record->key_bytes - consumed, kHeldBytes);
    Word word = (address - base) / sizeof(Record) << 3 | newest_window_ | line | kLeaf | held;
    const auto* rest = reinterpret_cast<const unsigned char*>(record->key_data) + consumed;
    if (held > 0) word |= Word{rest[0]} << 48;
    if (held > 1) word |= Word{rest[1]} << 56;
    return word;
  }

  const Record* record(Word leaf) const {
    if (ASHLAR_UNLIKELY((leaf & kKindMask) == kFarLeaf))
      return reinterpret_cast<const Record*>(leaf & kAddressMask);
    const uintptr_t base = windows_[leaf >> kWindowShift & (kWindows - 1)];
    return reinterpret_cast<const Record*>(base + (leaf & kOffsetMask) * (sizeof(Record) / 8));
  }

  // Starts to fetch the leaf's key.
  void prefetch_key(Word leaf) const {
    const uintptr_t line = first_line_ + (leaf >> kLineShift & kLineMask);
    __builtin_prefetch(reinterpret_cast<const void*>(line * kLineBytes));
    __builtin_prefetch(reinterpret_cast<const void*>((line + 1) * kLineBytes));
  }

 private:
  static constexpr uintptr_t kWindowBytes = uintptr_t{16} << 20;
  static constexpr size_t kWindows = 64;
  static constexpr unsigned kWindowShift = 22;
  static constexpr Word kOffsetMask = (kWindowBytes / sizeof(Record) - 1) << 3;
  static constexpr unsigned kLineShift = 28;
  static constexpr Word kLineMask = (Word{1} << 20) - 1;
  static constexpr uintptr_t kLineBytes = 64;
  static_assert(kOffsetMask >> kWindowShift == 0 && kWindows << kWindowShift == Word{1} << kLineShift);

  bool find_window(uintptr_t base, const char* key);

  std::array<uintptr_t, kWindows> windows_{};
  size_t windows_used_ = 0;
  uintptr_t first_line_ = 0;
  uintptr_t newest_base_ = 1;  // no window begins at 1
  Word newest_window_ = 0;     // its number, in place
};

}  // namespace ashlar::art
