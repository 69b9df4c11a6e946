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

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "art/node.h"
#include "art/record.h"
#include "base/arena.h"
#include "base/types.h"

namespace ashlar::art {

class Tree {
 public:
  // Nodes are taken from `arena`, which must outlive the tree and every reader.
  explicit Tree(Arena& arena) : arena_(arena) {}
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
  // Memory the tree has taken from the arena: nodes, not Records.
  size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  // For cursors.
  Word root() const noexcept { return root_.load(std::memory_order_acquire); }

 private:
  Arena& arena_;
  std::atomic<Word> root_{0};
  std::atomic<size_t> size_{0};
  std::atomic<size_t> bytes_{0};
};

}  // namespace ashlar::art
