#include "io/sim/scheduler.h"

#include <algorithm>

#include "base/check.h"

namespace ashlar::io::sim {

class Scheduler::QueueExecutor final : public Executor {
 public:
  using Task = std::function<void()>;

  QueueExecutor(Scheduler& scheduler, uint64_t process) : scheduler_(scheduler), process_(process) {
    scheduler_.executors_.push_back(this);
  }
  QueueExecutor(const QueueExecutor&) = delete;
  QueueExecutor& operator=(const QueueExecutor&) = delete;
  ~QueueExecutor() override {
    QueueExecutor::stop();
    std::erase(scheduler_.executors_, this);
  }

  void submit(Lane lane, Task task) override {
    if (!stopped_) lanes_[static_cast<size_t>(lane)].tasks.push_back(std::move(task));
  }

  void submit_after(Lane lane, uint64_t delay_ns, Task task) override {
    constexpr uint64_t kLongestDelayNs = uint64_t{1} << 60;
    const uint64_t deadline_ns = scheduler_.now_ns_ + std::min(delay_ns, kLongestDelayNs);
    if (!stopped_) timers_.emplace(deadline_ns, std::pair(lane, std::move(task)));
  }

  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable&,
            const std::function<bool()>& ready) override {
    while (!ready()) {
      lock.unlock();
      if (!scheduler_.run_one(process_) && !scheduler_.jump_to_timer(process_, UINT64_MAX)) {
        check_failed("deadlock: somebody waits and neither a task nor a timer is left", __FILE__, __LINE__);
      }
      lock.lock();
    }
  }

  void stop() override {
    for (const LaneState& lane : lanes_) ASHLAR_CHECK(!lane.busy);
    stopped_ = true;
    // Out first: what a dropped task owns may submit or stop while it dies.
    std::array<LaneState, kLaneCount> dropped;
    std::swap(dropped, lanes_);
    const auto dropped_timers = std::exchange(timers_, {});
  }

  uint64_t process() const { return process_; }
  uint64_t next_timer_ns() const { return timers_.empty() ? UINT64_MAX : timers_.begin()->first; }

  void release_timers(uint64_t now_ns) {
    while (!timers_.empty() && timers_.begin()->first <= now_ns) {
      auto& [lane, task] = timers_.begin()->second;
      lanes_[static_cast<size_t>(lane)].tasks.push_back(std::move(task));
      timers_.erase(timers_.begin());
    }
  }

  bool runnable(size_t lane) const { return !lanes_[lane].busy && !lanes_[lane].tasks.empty(); }

  void run_first(size_t lane) {
    LaneState& state = lanes_[lane];
    Task task = std::move(state.tasks.front());
    state.tasks.pop_front();
    state.busy = true;
    task();
    task = nullptr;
    state.busy = false;
  }

 private:
  struct LaneState {
    std::deque<Task> tasks;
    bool busy = false;
  };

  Scheduler& scheduler_;
  const uint64_t process_;
  bool stopped_ = false;
  std::array<LaneState, kLaneCount> lanes_;
  std::multimap<uint64_t, std::pair<Lane, Task>> timers_;  // equal deadlines keep their order of submission
};

std::unique_ptr<Executor> Scheduler::create_executor(uint64_t process) {
  return std::make_unique<QueueExecutor>(*this, process);
}

bool Scheduler::run_one(uint64_t process) {
  std::vector<std::pair<QueueExecutor*, size_t>> choices;
  for (QueueExecutor* executor : executors_) {
    if (executor->process() != process) continue;
    executor->release_timers(now_ns_);
    for (size_t lane = 0; lane < kLaneCount; ++lane) {
      if (executor->runnable(lane)) choices.emplace_back(executor, lane);
    }
  }
  if (choices.empty()) return false;
  const auto [executor, lane] = choices[prng_.below(choices.size())];
  ++tasks_run_;
  ++depth_;
  executor->run_first(lane);
  --depth_;
  return true;
}

void Scheduler::run_until_idle(uint64_t process) {
  while (run_one(process)) {
  }
}

bool Scheduler::jump_to_timer(uint64_t process, uint64_t limit_ns) {
  uint64_t next_ns = UINT64_MAX;
  for (const QueueExecutor* executor : executors_) {
    if (executor->process() == process) next_ns = std::min(next_ns, executor->next_timer_ns());
  }
  if (next_ns == UINT64_MAX || next_ns > limit_ns) return false;
  now_ns_ = std::max(now_ns_, next_ns);
  return true;
}

void Scheduler::advance(uint64_t process, uint64_t duration_ns) {
  const uint64_t end_ns = now_ns_ + duration_ns;
  run_until_idle(process);
  while (jump_to_timer(process, end_ns)) run_until_idle(process);
  now_ns_ = std::max(now_ns_, end_ns);
}

}  // namespace ashlar::io::sim
