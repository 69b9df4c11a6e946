#include "io/posix_executor.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "base/check.h"

namespace ashlar::io {

namespace {

using Task = std::function<void()>;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::array kLaneThreadNames = {"ashlar-prepare", "ashlar-sync", "ashlar-flush", "ashlar-compact"};
static_assert(kLaneThreadNames.size() == kLaneCount);

// Starts a thread that takes no signals meant for the process. Faults stay open: blocked, they would kill the process
// past any handler that the host has installed to report them.
pthread_t start_thread(void* (*body)(void*), void* argument) {
  sigset_t blocked;
  sigset_t before;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    ::sigdelset(&blocked, fault);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  const int outcome = ::pthread_create(&thread, nullptr, body, argument);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASHLAR_CHECK(outcome == 0);
  return thread;
}

}  // namespace

class PosixExecutor::Threads {
 public:
  void submit(Lane lane, Task task) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!stopping_) enqueue(lanes_[static_cast<size_t>(lane)], std::move(task));
  }

  void submit_after(Lane lane, uint64_t delay_ns, Task task) {
    constexpr uint64_t kLongestDelayNs = uint64_t{1} << 60;  // keeps the deadline from overflowing
    const auto delay = std::chrono::nanoseconds(std::min(delay_ns, kLongestDelayNs));
    const SteadyTime deadline = std::chrono::steady_clock::now() + delay;
    const std::lock_guard<std::mutex> guard(mutex_);
    if (stopping_) return;
    timers_.emplace(deadline, std::pair(lane, std::move(task)));
    if (!timer_started_) {
      timer_started_ = true;
      timer_thread_ = start_thread(&run_timer_thread, this);
    }
    timer_changed_.notify_one();
  }

  void stop() {
    ASHLAR_CHECK(running_here != this);
    const std::lock_guard<std::mutex> one_stop(stop_mutex_);
    // Their captures may own much and may even submit: they die outside the lock.
    std::array<std::deque<Task>, kLaneCount> dropped;
    std::multimap<SteadyTime, std::pair<Lane, Task>> dropped_timers;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      stopping_ = true;
      for (size_t i = 0; i < kLaneCount; ++i) {
        dropped[i].swap(lanes_[i].tasks);
        lanes_[i].changed.notify_one();
      }
      dropped_timers.swap(timers_);
      timer_changed_.notify_one();
    }
    if (std::exchange(timer_started_, false)) ::pthread_join(timer_thread_, nullptr);
    for (LaneState& lane : lanes_) {
      if (std::exchange(lane.started, false)) ::pthread_join(lane.thread, nullptr);
    }
  }

 private:
  struct LaneState {
    Threads* owner = nullptr;
    std::deque<Task> tasks;
    std::condition_variable changed;
    pthread_t thread = {};
    bool started = false;
  };

  void enqueue(LaneState& lane, Task task) {
    lane.tasks.push_back(std::move(task));
    if (!lane.started) {
      lane.owner = this;
      lane.started = true;
      lane.thread = start_thread(&run_lane_thread, &lane);
    }
    lane.changed.notify_one();
  }

  // Flush and compaction matter for later, the caller's threads for now: where both want a core, the caller gets the
  // larger share. On Linux a thread has a nice value of its own; failing to set it costs nothing but the preference.
  static void yield_to_foreground(Lane lane) {
    constexpr int kBackgroundNice = 5;
    if (lane == Lane::flush || lane == Lane::compact) {
      static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kBackgroundNice));
    }
  }

  static void* run_lane_thread(void* argument) {
    LaneState& lane = *static_cast<LaneState*>(argument);
    lane.owner->run_lane(lane);
    return nullptr;
  }

  static void* run_timer_thread(void* argument) {
    static_cast<Threads*>(argument)->run_timers();
    return nullptr;
  }

  void run_lane(LaneState& lane) {
    ::pthread_setname_np(::pthread_self(), kLaneThreadNames[static_cast<size_t>(&lane - lanes_.data())]);
    running_here = this;
    yield_to_foreground(static_cast<Lane>(&lane - lanes_.data()));
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      lane.changed.wait(lock, [&] { return stopping_ || !lane.tasks.empty(); });
      if (stopping_) return;
      Task task = std::move(lane.tasks.front());
      lane.tasks.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // its captures die outside the lock
      lock.lock();
    }
  }

  void run_timers() {
    ::pthread_setname_np(::pthread_self(), "ashlar-timer");
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
      if (timers_.empty()) {
        timer_changed_.wait(lock);
        continue;
      }
      const auto first = timers_.begin();
      if (std::chrono::steady_clock::now() < first->first) {
        const SteadyTime deadline = first->first;  // the node may be gone while we sleep
        timer_changed_.wait_until(lock, deadline);
        continue;
      }
      auto [lane, task] = std::move(first->second);
      timers_.erase(first);
      enqueue(lanes_[static_cast<size_t>(lane)], std::move(task));
    }
  }

  static thread_local Threads* running_here;

  std::mutex stop_mutex_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::array<LaneState, kLaneCount> lanes_;
  std::condition_variable timer_changed_;
  std::multimap<SteadyTime, std::pair<Lane, Task>> timers_;  // equal deadlines keep their order of submission
  pthread_t timer_thread_ = {};
  bool timer_started_ = false;
};

thread_local PosixExecutor::Threads* PosixExecutor::Threads::running_here = nullptr;

PosixExecutor::PosixExecutor() : threads_(std::make_unique<Threads>()) {}

PosixExecutor::~PosixExecutor() {
  stop();
  // A fork child cannot destroy condition variables that threads of its parent sleep on.
  if (guard_.forked()) static_cast<void>(threads_.release());
}

void PosixExecutor::submit(Lane lane, std::function<void()> task) {
  if (!guard_.forked()) threads_->submit(lane, std::move(task));
}

void PosixExecutor::submit_after(Lane lane, uint64_t delay_ns, std::function<void()> task) {
  if (!guard_.forked()) threads_->submit_after(lane, delay_ns, std::move(task));
}

void PosixExecutor::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                         const std::function<bool()>& ready) {
  changed.wait(lock, ready);
}

void PosixExecutor::stop() {
  if (!guard_.forked()) threads_->stop();
}

}  // namespace ashlar::io
