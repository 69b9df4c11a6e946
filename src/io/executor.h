// Background work and waiting, so that the whole engine can also run on one thread from a seed.
//
// A task does one bounded piece of work and returns; it submits its successor rather than looping. A task may block
// in wait() or on file I/O, and never blocks any other way.
//
//   POSIX: one thread per lane, timers on a thread of their own.   Simulation: one thread runs everything; tasks
//   start in an order drawn from the seed, whenever somebody waits or the test steps.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace ashlar::io {

enum class Lane : uint8_t {
  prepare,  // segments made ready ahead of need; must never sit behind a flush
  sync,     // background syncs of the journal
  flush,    // deltas to runs
  compact,  // everything that may take long
};
inline constexpr size_t kLaneCount = 4;

class Executor {
 public:
  virtual ~Executor() = default;  // equals stop()
  // Runs `task` later on `lane`, first in first out within the lane. Dropped silently after stop().
  virtual void submit(Lane lane, std::function<void()> task) = 0;
  // The same, not before `delay_ns` from now.
  virtual void submit_after(Lane lane, uint64_t delay_ns, std::function<void()> task) = 0;
  // Returns when `ready()` holds. `lock` is held on entry, on return and whenever ready() is called; whoever makes it
  // true does so under the same mutex and notifies `changed`.
  virtual void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                    const std::function<bool()>& ready) = 0;
  // Drops what has not begun and returns when what has begun is over. Idempotent. Not callable from a task.
  virtual void stop() = 0;
};

}  // namespace ashlar::io
