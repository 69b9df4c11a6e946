// Executor on real threads: one per lane and one for timers, each started when first needed.
//
//   submit        -> [lane queue] -> thread "ashlar-prepare" | "-sync" | "-flush" | "-compact"
//   submit_after  -> [timers by deadline] -> thread "ashlar-timer" -> [lane queue]
//
// The threads block every signal but those that report a fault of the thread itself, so the host program's handlers
// run on its own threads. In a fork child none of the threads exist: stop() and the destructor then forget
// everything instead of waiting for ever.
#pragma once

#include <memory>

#include "io/executor.h"
#include "io/fork_guard.h"

namespace ashlar::io {

class PosixExecutor final : public Executor {
 public:
  PosixExecutor();
  ~PosixExecutor() override;
  void submit(Lane lane, std::function<void()> task) override;
  void submit_after(Lane lane, uint64_t delay_ns, std::function<void()> task) override;
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
            const std::function<bool()>& ready) override;
  void stop() override;

 private:
  class Threads;
  std::unique_ptr<Threads> threads_;
  ForkGuard guard_;
};

}  // namespace ashlar::io
