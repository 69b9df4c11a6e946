// A value in the engine's own memory, and what keeps it there: a view of the segment, or a block of a run.
// Movable, 32 bytes, never allocates. Threads: one at a time; released on any.
#pragma once

#include "lsm/read_view.h"
#include "run/pin.h"

namespace ashlar::lsm {

class PinnedValue {
 public:
  PinnedValue() = default;
  PinnedValue(Bytes bytes, ViewPin view) : bytes_(bytes), view_(std::move(view)) {}
  PinnedValue(Bytes bytes, run::Pin block) : bytes_(bytes), block_(std::move(block)) {}

  // Valid until release() or destruction.
  Bytes bytes() const noexcept { return bytes_; }
  void release() noexcept {
    view_.release();
    block_.reset();
    bytes_ = Bytes();
  }

 private:
  Bytes bytes_;
  ViewPin view_;
  run::Pin block_;
};
static_assert(sizeof(PinnedValue) <= 32);

}  // namespace ashlar::lsm
