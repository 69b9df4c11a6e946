// Adaptive radix tree from keys to their newest Record: the index of a delta.
//
//   root_ --> [depth 0: a b m]                      a node looks at ONE byte of the key, key[depth];
//               |   |   |                           bytes that all keys below share are skipped
//     [depth 4: 1 7 9] leaf [depth 1: end o x]      `end`: the key that is over at this depth
//               |   |   |
//              leaf ...                             leaf = pointer to a Record + the next key bytes
//
// Source: Leis, Kemper, Neumann, "The Adaptive Radix Tree", ICDE 2013. What differs, and why:
//  - Nodes are never changed in a way a reader could trip over, so readers take no lock, never retry and keep no
//    epoch: memory comes from one Arena and lives as long as the tree (see node.h for the argument).
//  - A node stores its absolute depth and the last bytes before it. Splitting an edge puts a new node above the
//    old one, which is not touched.
//  - A leaf word carries the two key bytes that follow its slot. Most leaf splits and most lookups of absent keys
//    are decided by them and never touch the record or the segment.
//  - The path of the last insert is kept: a key that shares bytes with the last one starts where they part.
//
// T1  A key is in the tree at most once; its versions hang on its newest Record, newest first.
// T2  What a reader has seen stays readable until the Arena dies.
// T3  insert() publishes with a release store: whoever finds a Record sees all of it, and all of its key.
//
// Keys: any bytes, any length below 4 GiB - 1; no step recurses on the length of a key.
// Threads: one writer (insert); find, size, bytes and cursors from any thread at any time.
// Not here: removal (a tombstone is a Record like any other), ordered walks (cursor.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "art/leaf_map.h"
#include "art/node_pool.h"
#include "art/record.h"
#include "art/word.h"
#include "base/arena.h"
#include "base/types.h"

namespace ashlar::art {

class Tree {
 public:
  // Nodes are taken from `arena`, which must outlive the tree and every reader.
  explicit Tree(Arena& arena) : pool_(arena) {}
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // The newest version of `key`, or null.
  const Record* find(Bytes key) const noexcept;

  // Makes `record` the newest version of its key and returns the version that was the newest before, or null.
  // Sets record->older. The record's sequence must be above that version's. Writer only.
  const Record* insert(Record* record);

  // Distinct keys.
  size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  bool empty() const noexcept { return size() == 0; }
  // Memory that the nodes take, Records not counted.
  size_t bytes() const noexcept { return pool_.bytes(); }

  // Starts to fetch what insert or find of `key` would wait for: call it, do something else for 100 ns, then come back.
  // Safe from any thread.
  void prefetch(Bytes key) const noexcept;

  // For cursors.
  const LeafMap& leaves() const noexcept { return leaves_; }
  Word root() const noexcept { return root_.load(std::memory_order_acquire); }

 private:
  // A slot on the way to a key, reached after `consumed` bytes of it.
  struct Step {
    Slot* slot;
    size_t consumed;
  };
  // Deeper paths are kept as far as this; a key that parts from the last one deeper walks the rest again.
  static constexpr size_t kPathSteps = 32;

  size_t resume(Bytes key);
  void split_edge(Slot* slot, Word below, Divergence parted, Record* record);
  const Record* insert_at_leaf(Step at, Word leaf, Record* record);
  const Record* add_version(Slot* slot, Word leaf, Record* record, size_t consumed);
  void add_key(Slot* slot, Word node, int position, Record* record, size_t consumed);
  void count_key() { size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // What readers use, and the writer seldom changes, has cache lines of its own.
  Slot root_{0};
  LeafMap leaves_;

  alignas(64) NodePool pool_;
  std::atomic<size_t> size_{0};
  // The slots that the last inserted key went through, from the root down; writer only.
  std::array<Step, kPathSteps> path_;
  size_t path_steps_ = 0;
  const Record* last_ = nullptr;
};

}  // namespace ashlar::art
