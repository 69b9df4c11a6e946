// Whose turn it is to commit: one leader at a time, taking along whoever queued up meanwhile.
//
//   state_:  0                  nobody commits
//            1                  a leader commits, nobody waits
//            pointer | 1        a leader commits; waiting writers as a stack, newest first
//
// An uncontended writer enters and leaves by one compare-and-swap each and queues nothing. A leader that leaves while
// others wait turns the stack around and hands the whole group to its first member.
// Threads: any. Fair: groups are first come, first served.
// Not here: what a leader does with its group (pipeline.h).
#pragma once

#include <atomic>
#include <cstdint>

namespace ashlar::txn {

// Lives on the stack of the waiting writer.
struct Waiter {
  enum State : int32_t { kWaiting, kLead, kDone };
  Waiter* next = nullptr;  // in a group: the one behind; in the stack: the one before
  std::atomic<int32_t> state{kWaiting};
};

class CommitQueue {
 public:
  // True: the caller leads, alone.
  bool try_enter() noexcept {
    uintptr_t free = 0;
    return state_.compare_exchange_strong(free, kBusy, std::memory_order_acquire, std::memory_order_relaxed);
  }
  // Waits. True: the caller leads the group that begins with `self` (self->next ...). False: another leader has done the
  // work and called finish(self).
  bool enter(Waiter* self) noexcept;
  // The leader, after everything: the next group gets its turn.
  void leave() noexcept {
    uintptr_t alone = kBusy;
    if (state_.compare_exchange_strong(alone, 0, std::memory_order_release, std::memory_order_relaxed))
      return;
    hand_over();
  }
  // Instead of leave(): `heir`, a member of the leader's own group, leads the rest of it.
  static void pass_on(Waiter* heir) noexcept;
  // Tells a follower that its work is done. It may be gone when this returns.
  static void finish(Waiter* follower) noexcept;

 private:
  static constexpr uintptr_t kBusy = 1;
  void hand_over() noexcept;

  alignas(64) std::atomic<uintptr_t> state_{0};
};

}  // namespace ashlar::txn
