// The inner nodes of the tree and how they are read.
//
//   Node      [depth|capacity|count|end lane|..|prefix: the 8 key bytes before depth]          16 bytes
//   Linear    Node + 16 lanes of key bytes + 4, 12 or 16 children             64, 128 or 160 bytes
//   Node48    Node + end + 256 lane numbers (0 = none, else lane + 1) + 48 children      664 bytes
//   Node256   Node + end + 256 children                                                2,072 bytes
//
// All keys below a node agree in the bytes [0, depth) and differ, if at all, from key[depth] on. `prefix` is aligned to
// its right end: prefix[8 - k] = key[depth - k]. How many of those bytes are new at this node depends on the parent
// alone (depth - parent's depth - 1), so a new parent never changes an old child.
// A Linear node is one class in three sizes, so that a lookup takes the same few instructions at every level; the
// smallest is one cache line. Source of the kinds: Leis et al., ICDE 2013.
//
// N1  depth, prefix and capacity never change once a node is reachable.
// N2  A child slot goes from empty to a leaf, and from there only to newer versions of the same key or to nodes that hold
//     at least the same keys. A key byte, once visible, leads to a filled slot.
// N3  A node that is full is copied into a larger one, which replaces it in the parent's slot; the old one stays as it is.
// N4  Lane 0 of a Linear node always holds a byte child; `end`, where there is one, takes another lane, whose key byte
//     repeats lane 0 like that of an unused lane.
//
// Threads: reads from any thread. Not here: building and growing (node_pool.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "art/lanes.h"
#include "art/leaf_map.h"
#include "art/word.h"

namespace ashlar::art {

using Slot = std::atomic<Word>;

inline constexpr size_t kPrefixBytes = 8;

struct alignas(16) Node {
  uint32_t depth = 0;
  uint8_t capacity = 0;              // Linear: lanes; writer only
  uint8_t count = 0;                 // lanes in use, with `end` in a Linear node; writer only
  std::atomic<uint8_t> end_lane{0};  // Linear: lane of the key that ends here; 0 = none (N4)
  uint8_t prefix[kPrefixBytes] = {};
};
static_assert(sizeof(Node) == 16);

struct Linear : Node {
  Lanes lanes;
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
};
static_assert(sizeof(Linear) == 32);

struct Node48 : Node {
  Slot end{0};
  std::atomic<uint64_t> lane_of_byte[32] = {};  // 8 lane numbers a word
  Slot slots[48] = {};

  size_t lane_plus_one(uint8_t byte) const {
    return lane_of_byte[byte / 8].load(std::memory_order_acquire) >> (byte % 8 * 8) & 0xff;
  }
};

struct Node256 : Node {
  Slot end{0};
  Slot slots[256] = {};
};

template <typename Kind>
Kind* node_of(Word word) {
  return reinterpret_cast<Kind*>(word & kAddressMask);
}

// Position in a node: a key byte, or kEnd for the key that is over here, which sorts before all bytes.
inline constexpr int kEnd = -1;
inline constexpr int kAfterAll = 256;

struct Child {
  int position = kEnd;
  Word word = 0;  // 0: there is none
};

// The slot for `byte`, or null. The slot may be empty in a Node256 only.
inline Slot* find_slot(Word node, uint8_t byte) {
  if ((node & kKindMask) == kLinear) {
    auto* linear = node_of<Linear>(node);
    const int lane = LaneView(linear->lanes).lane_of(byte);
    return lane < 0 ? nullptr : linear->slots() + lane;
  }
  if ((node & kKindMask) == kNode48) {
    auto* node48 = node_of<Node48>(node);
    const size_t lane = node48->lane_plus_one(byte);
    return lane == 0 ? nullptr : node48->slots + (lane - 1);
  }
  return node_of<Node256>(node)->slots + byte;
}

// The slot of the key that ends at the node's depth, or null. May be empty in the larger kinds.
inline Slot* find_end_slot(Word node) {
  if ((node & kKindMask) == kLinear) {
    auto* linear = node_of<Linear>(node);
    const size_t lane = linear->end_lane.load(std::memory_order_acquire);
    return lane == 0 ? nullptr : linear->slots() + lane;
  }
  if ((node & kKindMask) == kNode48) return &node_of<Node48>(node)->end;
  return &node_of<Node256>(node)->end;
}

inline Word load_slot(const Slot* slot) {
  return slot == nullptr ? 0 : slot->load(std::memory_order_acquire);
}

// The child with the lowest byte above `position` (kEnd: of all), and the one with the highest below it (kAfterAll: of
// all). `end` is not among them.
Child child_above(Word node, int position);
Child child_below(Word node, int position);

// First and last child, `end` included.
Child first_child(Word node);
Child last_child(Word node);

// Some leaf below the node, quick to find.
Word any_leaf(Word node);

// Length of the longest common prefix; the first `from` bytes are known to agree.
size_t common_prefix(Bytes a, Bytes b, size_t from);

// Where `key` leaves the path to a node.
struct Divergence {
  size_t at = 0;          // the first byte that differs or that the key lacks; the node's depth if none does
  uint8_t node_byte = 0;  // the byte of all keys below the node at that place, when there is one
};
// `key` agrees in the first `from` bytes with all keys below the node; from < depth. Touches a record only when
// more than kPrefixBytes are unknown.
Divergence diverge(Word node, const LeafMap& leaves, Bytes key, size_t from);

}  // namespace ashlar::art
