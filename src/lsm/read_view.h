// What a read looks at: the active delta, the sealed ones, and the runs; and the cheap way to hold on to it.
//
//   current --> ReadView { active delta, sealed deltas newest first, Version }     replaced as a whole at rotation, flush
//      ^                                                                           and compaction
//   slots:  [view*][0][view*][0] ...      one cache line each; a reader claims one for as long as it reads
//
// B1  A view that is current or stands in a slot is alive, and so is everything it holds.
// B2  acquire: claim a free slot by storing the view in it (one compare-and-swap on a line the thread used last), then
//     look again whether it is still current; only then touch it. Retiring: make the new view current, then free every
//     retired view that stands in no slot. Both sides are sequentially consistent, so one of them sees the other.
// B3  No count is shared between readers on different cores.
// Threads: acquire and release from any; install and reclaim from one at a time (the caller's mutex).
// Not here: which sequence to read at (txn, store).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "delta/delta.h"
#include "lsm/version.h"

namespace ashlar::lsm {

struct ReadView {
  std::shared_ptr<delta::Delta> active;
  std::vector<std::shared_ptr<delta::Delta>> sealed;  // newest first
  std::shared_ptr<const Version> version;
};

struct alignas(64) ViewSlot {
  std::atomic<const ReadView*> view{nullptr};
};

// A held slot. Movable, one pointer, no allocation.
class ViewPin {
 public:
  ViewPin() = default;
  explicit ViewPin(ViewSlot* slot) : slot_(slot) {}
  ViewPin(ViewPin&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  ViewPin& operator=(ViewPin&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~ViewPin() { release(); }
  void release() noexcept {
    if (slot_ != nullptr) slot_->view.store(nullptr, std::memory_order_release);
    slot_ = nullptr;
  }
  // Gives the slot away: whoever gets it releases it by storing null.
  ViewSlot* take() noexcept { return std::exchange(slot_, nullptr); }
  const ReadView* operator->() const { return slot_->view.load(std::memory_order_relaxed); }
  const ReadView& operator*() const { return *slot_->view.load(std::memory_order_relaxed); }
  explicit operator bool() const noexcept { return slot_ != nullptr; }

 private:
  ViewSlot* slot_ = nullptr;
};

class ViewRegistry {
 public:
  ViewRegistry();
  ViewRegistry(const ViewRegistry&) = delete;
  ViewRegistry& operator=(const ViewRegistry&) = delete;
  // No pin may be left.
  ~ViewRegistry();

  // The current view, pinned. Null pin only after close().
  ViewPin acquire();
  // Whether `view` is still the current one.
  bool is_current(const ReadView* view) const { return current_.load(std::memory_order_seq_cst) == view; }
  // For whoever installs views: the newest one, without a pin.
  const ReadView* newest() const { return current_.load(std::memory_order_relaxed); }

  // Makes `view` current and retires the one before. Frees nothing.
  void install(std::unique_ptr<const ReadView> view);
  // The retired views that nobody reads any more. Destroying them frees what they alone held: segments are given back,
  // files removed; so the caller does it without a lock.
  std::vector<std::unique_ptr<const ReadView>> take_reclaimable();
  // Pins held at this moment.
  size_t pins() const;
  size_t retired() const { return retired_.size(); }

 private:
  static constexpr size_t kBlockSlots = 128;
  struct Block {
    ViewSlot slots[kBlockSlots];
    std::atomic<Block*> next{nullptr};
  };
  ViewSlot* claim(const ReadView* view);
  Block* add_block(Block* last);

  std::atomic<const ReadView*> current_{nullptr};
  std::unique_ptr<const ReadView> owner_;
  std::vector<std::unique_ptr<const ReadView>> retired_;
  Block first_;
};

}  // namespace ashlar::lsm
