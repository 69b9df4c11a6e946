#include "art/node_pool.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"

namespace ashlar::art {

namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kSlabBytes = 4096;
constexpr size_t kSmallestCapacity = 4;
constexpr size_t kMiddleCapacity = 12;
constexpr size_t kLargestCapacity = Lanes::kCount;
constexpr size_t kNode48Capacity = 48;

constexpr size_t linear_bytes(size_t capacity) { return sizeof(Linear) + capacity * sizeof(Slot); }
static_assert(linear_bytes(kSmallestCapacity) == kLineBytes);

template <typename Kind>
Word word_of(Kind* node, Word kind) {
  return reinterpret_cast<uintptr_t>(node) | kind;
}

void add_to_linear(Linear& node, Child child) {
  const size_t lane = node.count++;
  node.slots()[lane].store(child.word, std::memory_order_release);
  if (child.position == kEnd) {
    node.end_lane.store(static_cast<uint8_t>(lane), std::memory_order_release);
  } else {
    node.lanes.set(lane, static_cast<uint8_t>(child.position));
  }
}

void add_to_node48(Node48& node, Child child) {
  if (child.position == kEnd) {
    node.end.store(child.word, std::memory_order_release);
    return;
  }
  const size_t lane = node.count++;
  node.slots[lane].store(child.word, std::memory_order_release);
  auto& numbers = node.lane_of_byte[child.position / 8];
  const uint64_t number = uint64_t{lane + 1} << (child.position % 8 * 8);
  numbers.store(numbers.load(std::memory_order_relaxed) | number, std::memory_order_release);
}

void add_to_node256(Node256& node, Child child) {
  Slot& slot = child.position == kEnd ? node.end : node.slots[child.position];
  slot.store(child.word, std::memory_order_release);
}

void copy_header(const Node& from, Node& to) {
  to.depth = from.depth;
  std::memcpy(to.prefix, from.prefix, kPrefixBytes);
}

}  // namespace

void* NodePool::allocate(size_t size_bytes) {
  bytes_.store(bytes_.load(std::memory_order_relaxed) + size_bytes, std::memory_order_relaxed);
  if (size_bytes > linear_bytes(kLargestCapacity)) return arena_.allocate(size_bytes, kLineBytes);
  Slab& slab = size_bytes % kLineBytes == 0 ? lines_ : others_;
  if (static_cast<size_t>(slab.end - slab.next) < size_bytes) {
    slab.next = static_cast<char*>(arena_.allocate(kSlabBytes, kLineBytes));
    slab.end = slab.next + kSlabBytes;
  }
  void* memory = slab.next;
  slab.next += size_bytes;
  return memory;
}

Linear* NodePool::new_linear(const Node& like, size_t capacity) {
  auto* node = new (allocate(linear_bytes(capacity))) Linear;
  copy_header(like, *node);
  node->capacity = static_cast<uint8_t>(capacity);
  for (size_t lane = 0; lane < capacity; ++lane) new (node->slots() + lane) Slot(0);
  return node;
}

Word NodePool::pair(size_t depth, Bytes key, Child a, Child b) {
  if (a.position == kEnd) std::swap(a, b);
  ASHLAR_CHECK(a.position != kEnd && a.position != b.position);
  Node like;
  like.depth = static_cast<uint32_t>(depth);
  const size_t kept = std::min(depth, kPrefixBytes);
  std::memcpy(like.prefix + (kPrefixBytes - kept), key.data() + (depth - kept), kept);
  Linear* node = new_linear(like, kSmallestCapacity);
  node->lanes.fill(static_cast<uint8_t>(a.position));
  add_to_linear(*node, a);
  add_to_linear(*node, b);
  return word_of(node, kLinear | kSmall);
}

Word NodePool::add(Word word, Child child) {
  if ((word & kKindMask) == kLinear) {
    auto& node = *node_of<Linear>(word);
    if (ASHLAR_LIKELY(node.count < node.capacity)) {
      add_to_linear(node, child);
      return word;
    }
    return add(grow(node), child);
  }
  if ((word & kKindMask) == kNode48) {
    auto& node = *node_of<Node48>(word);
    if (node.count < kNode48Capacity || child.position == kEnd) {
      add_to_node48(node, child);
      return word;
    }
    return add(grow(node), child);
  }
  add_to_node256(*node_of<Node256>(word), child);
  return word;
}

Word NodePool::grow(const Linear& full) {
  const size_t end_lane = full.end_lane.load(std::memory_order_relaxed);
  if (full.capacity < kLargestCapacity) {
    Linear* node = new_linear(full, full.capacity < kMiddleCapacity ? kMiddleCapacity : kLargestCapacity);
    node->count = full.count;
    node->end_lane.store(static_cast<uint8_t>(end_lane), std::memory_order_relaxed);
    // Lanes beyond the old capacity repeat lane 0 already, and go on doing so.
    for (size_t i = 0; i < 2; ++i) {
      node->lanes.words[i].store(full.lanes.words[i].load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
    }
    for (size_t lane = 0; lane < full.count; ++lane) {
      node->slots()[lane].store(full.slots()[lane].load(std::memory_order_relaxed),
                                std::memory_order_relaxed);
    }
    return word_of(node, node->capacity < kLargestCapacity ? kLinear | kSmall : kLinear);
  }
  auto* node = new (allocate(sizeof(Node48))) Node48;
  copy_header(full, *node);
  for (size_t lane = 0; lane < full.count; ++lane) {
    const bool is_end = lane == end_lane && end_lane != 0;
    add_to_node48(*node,
                  {is_end ? kEnd : full.lanes.get(lane), full.slots()[lane].load(std::memory_order_relaxed)});
  }
  return word_of(node, kNode48);
}

Word NodePool::grow(const Node48& full) {
  auto* node = new (allocate(sizeof(Node256))) Node256;
  copy_header(full, *node);
  node->end.store(full.end.load(std::memory_order_relaxed), std::memory_order_relaxed);
  for (int byte = 0; byte < 256; ++byte) {
    const size_t lane = full.lane_plus_one(static_cast<uint8_t>(byte));
    if (lane == 0) continue;
    node->slots[byte].store(full.slots[lane - 1].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  return word_of(node, kNode256);
}

}  // namespace ashlar::art
