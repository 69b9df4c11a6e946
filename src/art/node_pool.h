// Builds nodes, fills them and replaces them by larger ones: the writer's half of node.h.
//
//   4 lanes -> 8 -> 16 -> Node48 -> Node256       sizes in node.h
//
// Nodes of one cache line are cut from slabs of their own, so that they are aligned to it without waste.
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
  Slab lines_;   // nodes of 64 bytes
  Slab others_;  // Linear nodes of other sizes, on 32-byte boundaries: header and lanes share a line
  std::atomic<size_t> bytes_{0};
};

}  // namespace ashlar::art
