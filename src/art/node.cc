#include "art/node.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace ashlar::art {

namespace {

Child linear_child(const Linear& node, LaneView lanes, int byte) {
  if (byte < 0) return {};
  const int lane = lanes.lane_of(static_cast<uint8_t>(byte));
  return {byte, node.slots()[lane].load(std::memory_order_acquire)};
}

Child node48_above(const Node48& node, int position) {
  for (int byte = position + 1; byte < 256; byte = (byte | 7) + 1) {
    const uint64_t lanes = node.lane_of_byte[byte / 8].load(std::memory_order_acquire) >> (byte % 8 * 8);
    if (lanes == 0) continue;
    const int skipped = std::countr_zero(lanes) / 8;
    const size_t lane = (lanes >> (skipped * 8) & 0xff) - 1;
    return {byte + skipped, node.slots[lane].load(std::memory_order_acquire)};
  }
  return {};
}

Child node48_below(const Node48& node, int position) {
  for (int byte = position - 1; byte >= 0; byte = (byte & ~7) - 1) {
    const uint64_t lanes = node.lane_of_byte[byte / 8].load(std::memory_order_acquire)
                           << ((7 - byte % 8) * 8);
    if (lanes == 0) continue;
    const int skipped = std::countl_zero(lanes) / 8;
    const size_t lane = (lanes << (skipped * 8) >> 56) - 1;
    return {byte - skipped, node.slots[lane].load(std::memory_order_acquire)};
  }
  return {};
}

}  // namespace

Child child_above(Word node, int position) {
  if ((node & kKindMask) == kLinear) {
    const auto& linear = *node_of<Linear>(node);
    const LaneView lanes(linear.lanes);
    return linear_child(linear, lanes, lanes.lowest_above(position));
  }
  if ((node & kKindMask) == kNode48) return node48_above(*node_of<Node48>(node), position);
  const auto& slots = node_of<Node256>(node)->slots;
  for (int byte = position + 1; byte < 256; ++byte) {
    if (const Word word = slots[byte].load(std::memory_order_acquire); word != 0) return {byte, word};
  }
  return {};
}

Child child_below(Word node, int position) {
  if ((node & kKindMask) == kLinear) {
    const auto& linear = *node_of<Linear>(node);
    const LaneView lanes(linear.lanes);
    return linear_child(linear, lanes, lanes.highest_below(position));
  }
  if ((node & kKindMask) == kNode48) return node48_below(*node_of<Node48>(node), position);
  const auto& slots = node_of<Node256>(node)->slots;
  for (int byte = position - 1; byte >= 0; --byte) {
    if (const Word word = slots[byte].load(std::memory_order_acquire); word != 0) return {byte, word};
  }
  return {};
}

Child first_child(Word node) {
  if (const Word end = load_slot(find_end_slot(node)); end != 0) return {kEnd, end};
  return child_above(node, kEnd);
}

Child last_child(Word node) {
  return child_below(node, kAfterAll);  // every node has a byte child
}

Word any_leaf(Word word) {
  while (!is_leaf(word)) {
    if ((word & kKindMask) == kLinear) {
      word = node_of<Linear>(word)->slots()->load(std::memory_order_acquire);
    } else if ((word & kKindMask) == kNode48) {
      word = node_of<Node48>(word)->slots[0].load(std::memory_order_acquire);
    } else {
      word = child_above(word, kEnd).word;
    }
  }
  return word;
}

size_t common_prefix(Bytes a, Bytes b, size_t from) {
  const size_t limit = std::min(a.size(), b.size());
  size_t at = from;
  while (at + 8 <= limit) {
    uint64_t x;
    uint64_t y;
    std::memcpy(&x, a.data() + at, 8);
    std::memcpy(&y, b.data() + at, 8);
    if (x != y) return at + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
    at += 8;
  }
  while (at < limit && a[at] == b[at]) ++at;
  return at;
}

Divergence diverge(Word node, const LeafMap& leaves, Bytes key, size_t from) {
  const Node& header = *node_of<Node>(node);
  const size_t depth = header.depth;
  // The bytes [base, depth) of every key below, either those in the node or those of one of the keys.
  const bool stored = depth - from <= kPrefixBytes;
  const size_t base = stored ? depth - std::min(depth, kPrefixBytes) : 0;
  const Bytes path =
      stored ? Bytes(reinterpret_cast<const char*>(header.prefix) + (kPrefixBytes - (depth - base)),
                     depth - base)
             : leaves.record(any_leaf(node))->key().substr(0, depth);
  if (key.size() <= base) {
    // Only when `from` is the key's end and the prefix begins there.
    ASHLAR_DCHECK(key.size() == from && from == base);
    return {from, static_cast<uint8_t>(path[0])};
  }
  const size_t at = base + common_prefix(path, key.substr(base), from - base);
  return {at, at < depth ? static_cast<uint8_t>(path[at - base]) : uint8_t{0}};
}

}  // namespace ashlar::art
