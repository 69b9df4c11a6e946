// Several cursors seen as one, in internal order, both ways.
//
//   current:  the child whose entry is shown
//   heap:     the other valid children, next one to show on top   (forward: smallest, backward: largest)
//
// A step moves `current` and compares it with the top of the heap: one comparison while the same child goes on being
// the next, however many quiet children there are; only when another takes over does the heap sift.
// Positions of the heap are cached (key, trailer) pairs, so a comparison touches no child.
//
// G1 Going forward, every child but `current` stands on its first entry after current's, or past its end; going
//    backward, on its last entry before current's. A change of direction moves each child across current's entry.
// G2 Children never hold the same (key, trailer) twice.
// G3 A child may grow while it is read (the active delta does); new entries are found or not, but never out of order.
// G4 An error of any child ends the merge: valid() is false and status() tells it.
//
// Lifetime: key() and value() are those of the current child: valid until the next move.
// Threads: one at a time.
#pragma once

#include <memory>
#include <vector>

#include "kv/cursor.h"

namespace ashlar::lsm {

// Children speak the same kind of keys. One child comes back as it is.
std::unique_ptr<kv::Cursor> merge(std::vector<std::unique_ptr<kv::Cursor>> children);

class MergeCursor final : public kv::Cursor {
 public:
  explicit MergeCursor(std::vector<std::unique_ptr<kv::Cursor>> children);

  Status status() const override;
  void seek_first() override;
  void seek_last() override;
  void seek(Bytes key, uint64_t trailer) override;
  void seek_for_previous(Bytes key, uint64_t trailer) override;
  void next() override;
  void previous() override;

 private:
  enum class Direction : uint8_t { forward, backward };
  struct Entry {
    Bytes key;
    uint64_t trailer = 0;
    kv::Cursor* child = nullptr;
  };

  static Entry entry_of(kv::Cursor* child) { return {child->key(), child->trailer(), child}; }
  // Whether `a` is to be shown before `b` in the present direction.
  bool before(const Entry& a, const Entry& b) const;
  void rebuild(Direction direction);
  void take_top();
  void turn_forward();
  void turn_backward();
  void after_move();
  void sift_down(size_t at);
  void show();
  bool failed(const kv::Cursor& child);

  std::vector<std::unique_ptr<kv::Cursor>> children_;
  Direction direction_ = Direction::forward;
  kv::Cursor* current_ = nullptr;  // null when not valid
  std::vector<Entry> heap_;
  Status status_;
};

}  // namespace ashlar::lsm
