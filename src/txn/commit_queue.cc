#include "txn/commit_queue.h"

namespace ashlar::txn {

namespace {

// A commit takes under a microsecond where no device is involved: spin about that long before sleeping.
constexpr int kSpins = 200;

void wake(Waiter* waiter, Waiter::State state) noexcept {
  waiter->state.store(state, std::memory_order_release);
  waiter->state.notify_one();  // only the address is used: the waiter may have left already
}

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool CommitQueue::enter(Waiter* self) noexcept {
  uintptr_t state = state_.load(std::memory_order_relaxed);
  while (true) {
    if (state == 0) {
      if (state_.compare_exchange_weak(state, kBusy, std::memory_order_acquire, std::memory_order_relaxed)) {
        self->next = nullptr;
        return true;
      }
      continue;
    }
    self->next = reinterpret_cast<Waiter*>(state & ~kBusy);
    if (state_.compare_exchange_weak(state, reinterpret_cast<uintptr_t>(self) | kBusy,
                                     std::memory_order_acq_rel, std::memory_order_relaxed)) {
      break;
    }
  }
  for (int spin = 0; spin < kSpins; ++spin) {
    if (self->state.load(std::memory_order_acquire) != Waiter::kWaiting) break;
    pause();
  }
  while (self->state.load(std::memory_order_acquire) == Waiter::kWaiting) {
    self->state.wait(Waiter::kWaiting, std::memory_order_acquire);
  }
  return self->state.load(std::memory_order_acquire) == Waiter::kLead;
}

void CommitQueue::pass_on(Waiter* heir) noexcept { wake(heir, Waiter::kLead); }

void CommitQueue::finish(Waiter* follower) noexcept { wake(follower, Waiter::kDone); }

void CommitQueue::hand_over() noexcept {
  auto* newest = reinterpret_cast<Waiter*>(state_.exchange(kBusy, std::memory_order_acquire) & ~kBusy);
  Waiter* group = nullptr;
  while (newest != nullptr) {
    Waiter* older = newest->next;
    newest->next = group;
    group = newest;
    newest = older;
  }
  wake(group, Waiter::kLead);
}

}  // namespace ashlar::txn
