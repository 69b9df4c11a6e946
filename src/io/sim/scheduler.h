// Virtual time and every background task of the simulated machine, on one thread.
//
//   executor A   prepare [t t]  sync []  flush [t]  compact [ ]   + timers by deadline
//   executor B   ...
//   run_one(): draws one lane among those with work that no unfinished task blocks, and runs its first task
//
// I1 Within a lane tasks run first in first out and one at a time; among lanes the seed decides.
// I2 Time moves when somebody sleeps, with each I/O call, and to the next timer when all that is left is waiting.
// I3 A wait that nothing can end stops the process: "deadlock".
// A wait runs other tasks on top of the waiting one; the lower one goes on only after the upper ones have returned.
// Whoever waits may hold no other mutex that a task takes (there is one thread: it would wait for itself).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "io/clock.h"
#include "io/executor.h"

namespace ashlar::io::sim {

class Scheduler {
 public:
  explicit Scheduler(uint64_t seed) : prng_(seed) {}
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Executors made from now on belong to `process`; only tasks of the same process run while one of them waits.
  std::unique_ptr<Executor> create_executor(uint64_t process);
  uint64_t now_ns() const { return now_ns_; }
  void pass(uint64_t duration_ns) { now_ns_ += duration_ns; }
  // Runs one task that is due. False when there is none.
  bool run_one(uint64_t process);
  // Runs what is due, and what that submits, until nothing is.
  void run_until_idle(uint64_t process);
  // Moves time on, running timers in the order of their deadlines and everything they lead to.
  void advance(uint64_t process, uint64_t duration_ns);
  bool running() const { return depth_ != 0; }
  uint64_t tasks_run() const { return tasks_run_; }

 private:
  class QueueExecutor;

  bool jump_to_timer(uint64_t process, uint64_t limit_ns);

  Prng prng_;
  uint64_t now_ns_ = 1'000'000'000;
  uint64_t tasks_run_ = 0;
  int depth_ = 0;
  std::vector<QueueExecutor*> executors_;  // in order of creation
};

}  // namespace ashlar::io::sim
