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
    int position = 0;  // byte taken, or kEndPosition
  };
  // Deeper paths than this are rare; they spill to the heap.
  static constexpr size_t kInlineFrames = 24;

  const Tree* tree_;
  const Record* record_ = nullptr;
  size_t depth_ = 0;
  std::array<Frame, kInlineFrames> inline_frames_;
  std::vector<Frame> spilled_frames_;
};

// Forward walk of all that was in the tree when it began, for flush: reads records ahead, so that the cache misses
// of the next keys overlap. Same promises as Cursor.
class Scan {
 public:
  explicit Scan(const Tree& tree);

  bool valid() const noexcept;
  const Record* record() const noexcept;
  void next();
};

}  // namespace ashlar::art
