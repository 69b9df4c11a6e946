// Builds nodes, fills them and replaces them by larger ones: the writer's half of node.h.
//
//   4 lanes -> 12 -> 16 -> Node48 -> Node256       sizes in node.h
//
// The steps: two or three children are by far the most frequent numbers, ten (decimal digits) and sixteen (hexadecimal
// ones) the next. Node bytes per key, for decimal, hexadecimal and random bytes: 21, 35, 29; with 4 -> 8 -> 16 they are
// 36, 34, 28, with 4 -> 16 they are 25, 32, 30 (art_bench, 150,000 keys).
// Nodes of whole cache lines are cut from slabs of their own, so that they are aligned without waste.
// Threads: the one writer. Not here: where in the tree a node belongs (tree.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "art/node.h"
#include "base/arena.h"
#include "base/types.h"

namespace ashlar::art {

class NodePool {
 public:
  explicit NodePool(Arena& arena) : arena_(arena) {}
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;

  // A node of two children that looks at byte `depth` of keys that begin as `key` does. At most one of the two is
  // at kEnd. The node is not reachable yet: the caller publishes the word with a release store.
  Word pair(size_t depth, Bytes key, Child a, Child b);

  // Adds a child whose position is not taken. Returns `node`, to which it was added in place, or the larger node that
  // the caller must put where `node` was.
  Word add(Word node, Child child);

  // Safe from any thread.
  size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Slab {
    char* next = nullptr;
    char* end = nullptr;
  };
  void* allocate(size_t size_bytes);
  Linear* new_linear(const Node& like, size_t capacity);
  Word grow(const Linear& full);
  Word grow(const Node48& full);

  Arena& arena_;
  Slab lines_;   // Linear nodes of one or two whole cache lines
  Slab others_;  // the largest ones, on 32-byte boundaries: header and lanes share a line
  std::atomic<size_t> bytes_{0};
};

}  // namespace ashlar::art
