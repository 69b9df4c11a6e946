// What a slot of the tree holds: one 64-bit word, loaded and stored whole. The kind is known before a node is touched.
//
//   kind (low 3 bits)
//   0       the word is 0: nothing here
//   1..3    a node: Linear, Node48, Node256 (node.h)         [0 .. small|address, 16-byte aligned|kind]
//   4..6    a leaf that holds the next 0..2 bytes of its key (leaf_map.h)
//   7       a leaf whose Record lies where the short form does not reach; holds no key bytes
//
// User addresses have at most 48 bits on x86-64 and AArch64 unless a program asks for more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar::art {

using Word = uint64_t;

inline constexpr Word kKindMask = 7;
inline constexpr Word kLinear = 1;
inline constexpr Word kNode48 = 2;
inline constexpr Word kNode256 = 3;
inline constexpr Word kLeaf = 4;  // a bit of its own
inline constexpr Word kFarLeaf = 7;
inline constexpr Word kAddressMask = ((Word{1} << 48) - 1) & ~kKindMask;
// A node that has few children, and so in all likelihood lies near the leaves and outside the processor's caches.
inline constexpr Word kSmall = Word{1} << 48;

inline bool is_leaf(Word word) { return (word & kLeaf) != 0; }

}  // namespace ashlar::art
