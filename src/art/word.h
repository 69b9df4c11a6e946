// What a slot of the tree holds: one 64-bit word, loaded and stored whole.
//
//   63     56 55     48 47                        3 2   0
//   [2nd byte|1st byte |  address, 8-byte aligned  | kind]
//
//   kind 0  the word is 0: nothing here            kind 1..3  a node: Linear, Node48, Node256 (node.h)
//   kind 4..6  a leaf: a Record, of which (kind - 4) key bytes after the slot are held in the upper 16 bits
//
// The kind is known before the node is touched. User addresses have at most 48 bits on x86-64 and AArch64 unless a
// program asks for more; leaf_word checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "art/record.h"
#include "base/check.h"

namespace ashlar::art {

using Word = uint64_t;

inline constexpr Word kKindMask = 7;
inline constexpr Word kLinear = 1;
inline constexpr Word kNode48 = 2;
inline constexpr Word kNode256 = 3;
inline constexpr Word kLeaf = 4;  // a bit of its own; the two bits below it count the key bytes held
inline constexpr Word kAddressMask = ((Word{1} << 48) - 1) & ~kKindMask;
inline constexpr size_t kHeldBytes = 2;

inline bool is_leaf(Word word) { return (word & kLeaf) != 0; }
inline const Record* record_of(Word word) { return reinterpret_cast<const Record*>(word & kAddressMask); }

// Key bytes held in a leaf word, and the word shifted so that byte i is its i-th lowest byte.
inline size_t held_count(Word leaf) { return leaf & (kLeaf - 1); }
inline uint32_t held_bytes(Word leaf) { return static_cast<uint32_t>(leaf >> 48); }

// The word for `record` in a slot that is reached after `consumed` bytes of its key.
inline Word leaf_word(const Record* record, size_t consumed) {
  const auto address = reinterpret_cast<uintptr_t>(record);
  ASHLAR_CHECK((address & ~kAddressMask) == 0);
  const Word held = std::min<size_t>(record->key_bytes - consumed, kHeldBytes);
  const auto* rest = reinterpret_cast<const unsigned char*>(record->key_data) + consumed;
  Word word = address | kLeaf | held;
  if (held > 0) word |= Word{rest[0]} << 48;
  if (held > 1) word |= Word{rest[1]} << 56;
  return word;
}

// The same leaf after `count` more bytes of its key have been consumed; count <= held_count(leaf).
inline Word consume(Word leaf, size_t count) {
  return (leaf & kAddressMask) | kLeaf | (held_count(leaf) - count) |
         Word{held_bytes(leaf)} >> (8 * count) << 48;
}

}  // namespace ashlar::art
