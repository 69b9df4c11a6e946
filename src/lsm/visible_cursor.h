// What a reader sees: of every key the newest version at or below a sequence, no tombstones, between two bounds.
//
//   below:    a9 a4 | b7(removed) b2 | c8 c5 | d3        internal order
//   at 6:     a4      b2               c5      d3
//   at 9:     a9                       c8      d3
//
// Forward the cursor below stands on the entry shown; nothing but the key is copied, and that only when moving on.
// Backward it stands somewhere in front of the shown key's versions, because they come oldest first and the newest is
// known only when the next key appears; key and value are copies there.
//
// C1 key() is in [lower, upper); keys are shown once, in order, both ways, whatever the mix of moves.
// C2 Entries above the sequence do not matter, even if they appear while the cursor is open.
// C3 A step costs time linear in the entries it passes, with no recursion; where a key has more than a few versions
//    to pass, they are passed by a seek.
// C4 After an error below, valid() is false and status() tells it.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kv/cursor.h"

namespace ashlar::lsm {

// User keys: lower included, upper excluded.
struct Bounds {
  std::string lower;
  std::optional<std::string> upper;

  // All keys that begin with `prefix`.
  static Bounds of_prefix(Bytes prefix);
};

class VisibleCursor {
 public:
  // `below` speaks user keys of one keyspace, in internal order.
  VisibleCursor(std::unique_ptr<kv::Cursor> below, Sequence at_most, Bounds bounds);

  bool valid() const noexcept { return valid_; }
  // Both live until the next move.
  Bytes key() const noexcept { return key_; }
  Bytes value() const noexcept { return value_; }
  // Sequence of the version shown.
  Sequence sequence() const noexcept { return kv::trailer_sequence(trailer_); }
  Status status() const { return below_->status(); }

  void seek_first();
  void seek_last();
  void seek(Bytes key);               // first key at or after
  void seek_for_previous(Bytes key);  // last key at or before
  void next();                        // needs valid()
  void previous();                    // needs valid()

 private:
  enum class Direction : uint8_t { forward, backward };
  enum class HideSavedKey : uint8_t { no, yes };

  bool is_past_upper(Bytes key) const { return bounds_.upper.has_value() && key >= *bounds_.upper; }
  void find_forward(HideSavedKey hide);
  void show_current();
  void find_backward();
  bool collect_versions();
  void pass_newer_versions();

  std::unique_ptr<kv::Cursor> below_;
  uint64_t at_most_trailer_;  // seek_trailer of the sequence: entries whose trailer is not above it count
  Bounds bounds_;
  Direction direction_ = Direction::forward;
  bool valid_ = false;
  Bytes key_;
  Bytes value_;
  uint64_t trailer_ = 0;
  std::string saved_key_;
  std::string saved_value_;
};

}  // namespace ashlar::lsm
