// Ordered walks over a Tree: Cursor goes both ways, Scan goes forward and fetches ahead.
//
//   cursor = stack of (node, byte taken in it) from the root down to the leaf; record_ = what the leaf held
//
// C1  Keys come in the order of their bytes (memcmp, the shorter first), each once.
// C2  Every key that was in the tree when the cursor was positioned (first, last, seek...) is met. Keys inserted
//     later may or may not be.
// C3  record() is at least as new as the newest version at the time the cursor was positioned.
//
// Why stale nodes do no harm: a frame may hold a node that the writer has since replaced by a larger one, or above
// which it has put another. Nodes only gain children, and a replaced node is frozen as it was at that moment, which is
// after the cursor read it; so it holds every key that C2 speaks of, and its slots lead to nodes for which the same is true.
//
// Threads: each cursor belongs to one thread; any number run beside the writer.
// Not here: visibility by sequence and tombstones (Record::version_at, delta).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "art/node.h"
#include "art/record.h"
#include "art/tree.h"
#include "base/types.h"

namespace ashlar::art {

class Cursor {
 public:
  // Not positioned. `tree` must outlive the cursor.
  explicit Cursor(const Tree& tree) : tree_(&tree) {}

  bool valid() const noexcept { return record_ != nullptr; }
  // The key's newest version as of some time at or after positioning. Only when valid, as are key, next and previous.
  const Record* record() const noexcept { return record_; }
  Bytes key() const noexcept { return record_->key(); }

  void first();
  void last();
  void seek(Bytes key);               // to the first key >= `key`
  void seek_for_previous(Bytes key);  // to the last key <= `key`
  void next();                        // past the last key: not valid
  void previous();                    // before the first key: not valid

 private:
  struct Frame {
    Word node = 0;
    int position = kEnd;  // byte taken in the node, or kEnd
  };
  // Deeper paths are rare; they spill to the heap.
  static constexpr size_t kInlineFrames = 24;

  Frame& top() {
    return depth_ <= kInlineFrames ? frames_[depth_ - 1] : spilled_[depth_ - 1 - kInlineFrames];
  }
  void push(Word node, int position);
  void go_to_first_below(Word word);
  void go_to_last_below(Word word);
  void go_after_top();
  void go_before_top();

  const Tree* tree_;
  const Record* record_ = nullptr;
  size_t depth_ = 0;  // frames in use
  std::array<Frame, kInlineFrames> frames_;
  std::vector<Frame> spilled_;
};

// Forward walk over all that was in the tree when it began, for flush: it runs ahead of its reader and fetches
// records, keys and the beginnings of values, so that their cache misses overlap. Same promises as Cursor.
//
//   cursor_ -> [ record fetched | .. | key and value fetched | .. | record() ]
class Scan {
 public:
  explicit Scan(const Tree& tree);

  bool valid() const noexcept { return ring_[at_ % kAhead] != nullptr; }
  const Record* record() const noexcept { return ring_[at_ % kAhead]; }
  void next();

 private:
  static constexpr size_t kAhead = 16;
  static constexpr size_t kFetchKeyAhead = 8;

  const Record* take();

  Cursor cursor_;
  size_t at_ = 0;
  std::array<const Record*, kAhead> ring_;
};

}  // namespace ashlar::art
