// A position in an ordered set of entries: the one interface that deltas, runs and merges share.
//
// Accessors are plain loads, moves are virtual: a merge compares keys far more often than it moves.
// A cursor is invalid before the first seek, past either end, and after an error; status() tells the error.
// Order is that of kv/entry.h. What "key" is (stored key or user key) is said by whoever makes the cursor.
// Lifetime: key() and value() stay valid until the next move; longer where a maker says so.
// Threads: one at a time per cursor.
#pragma once

#include "base/status.h"
#include "kv/entry.h"

namespace ashlar::kv {

class Cursor {
 public:
  virtual ~Cursor() = default;

  bool valid() const noexcept { return valid_; }
  Bytes key() const noexcept { return key_; }
  uint64_t trailer() const noexcept { return trailer_; }
  Bytes value() const noexcept { return value_; }
  // First error met; ok while everything read so far is right.
  virtual Status status() const = 0;

  virtual void seek_first() = 0;
  virtual void seek_last() = 0;
  // First entry at or after (key, trailer).
  virtual void seek(Bytes key, uint64_t trailer) = 0;
  // Last entry at or before (key, trailer).
  virtual void seek_for_previous(Bytes key, uint64_t trailer) = 0;
  // Both need valid().
  virtual void next() = 0;
  virtual void previous() = 0;

 protected:
  bool valid_ = false;
  Bytes key_;
  uint64_t trailer_ = 0;
  Bytes value_;
};

}  // namespace ashlar::kv
