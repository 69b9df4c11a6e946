#include "io/posix_executor.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "io/environment.h"

namespace ashlar::io {
namespace {

// What tasks report to the test, under one mutex.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> marks;

  void add(int mark) {
    const std::lock_guard<std::mutex> guard(mutex);
    marks.push_back(mark);
    changed.notify_all();
  }
  std::vector<int> wait_for(Executor& executor, size_t count) {
    std::unique_lock<std::mutex> lock(mutex);
    executor.wait(lock, changed, [&] { return marks.size() >= count; });
    return marks;
  }
};

std::string thread_name() {
  char name[16] = {};
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

TEST(PosixExecutor, ALaneRunsInOrderOnItsOwnNamedThread) {
  PosixExecutor executor;
  Board board;
  std::vector<std::string> names(kLaneCount);
  std::vector<std::set<std::thread::id>> threads(kLaneCount);
  for (int i = 0; i < 300; ++i) {
    const size_t lane = static_cast<size_t>(i) % kLaneCount;
    executor.submit(static_cast<Lane>(lane), [&, i, lane] {
      names[lane] = thread_name();
      threads[lane].insert(std::this_thread::get_id());
      board.add(i);
    });
  }
  const std::vector<int> order = board.wait_for(executor, 300);
  executor.stop();
  EXPECT_EQ(names,
            (std::vector<std::string>{"ashlar-prepare", "ashlar-sync", "ashlar-flush", "ashlar-compact"}));
  std::vector<int> last(kLaneCount, -1);
  for (const int mark : order) {
    int& previous = last[static_cast<size_t>(mark) % kLaneCount];
    EXPECT_GT(mark, previous);
    previous = mark;
  }
  for (const auto& used : threads) EXPECT_EQ(used.size(), 1u);
}

TEST(PosixExecutor, ABlockedLaneDoesNotHoldUpTheOthers) {
  PosixExecutor executor;
  Board board;
  executor.submit(Lane::flush, [&] { board.wait_for(executor, 1); });
  executor.submit(Lane::prepare, [&] { board.add(1); });
  executor.submit(Lane::flush, [&] { board.add(2); });
  EXPECT_EQ(board.wait_for(executor, 2), (std::vector<int>{1, 2}));
}

TEST(PosixExecutor, TimersRunByDeadlineAndNotBefore) {
  PosixExecutor executor;
  Board board;
  Clock& clock = posix_environment().clock();
  const uint64_t start = clock.monotonic_ns();
  std::atomic<uint64_t> early{0};
  const auto submit = [&](int mark, uint64_t delay_ns) {
    executor.submit_after(Lane::compact, delay_ns, [&, mark, delay_ns] {
      if (clock.monotonic_ns() - start < delay_ns) ++early;
      board.add(mark);
    });
  };
  submit(3, 60'000'000);
  submit(1, 0);
  submit(2, 20'000'000);
  submit(4, 60'000'000);
  const std::vector<int> order = board.wait_for(executor, 4);
  EXPECT_EQ(early.load(), 0u);
  EXPECT_EQ(order.size(), 4u);
}

TEST(PosixExecutor, ATaskMaySubmitItsSuccessor) {
  PosixExecutor executor;
  Board board;
  std::function<void(int)> step = [&](int left) {
    board.add(left);
    if (left > 0) {
      if (left % 2 == 0) {
        executor.submit(Lane::flush, [&, left] { step(left - 1); });
      } else {
        executor.submit_after(Lane::prepare, 1000, [&, left] { step(left - 1); });
      }
    }
  };
  executor.submit(Lane::flush, [&] { step(20); });
  EXPECT_EQ(board.wait_for(executor, 21).back(), 0);
}

TEST(PosixExecutor, StopFinishesWhatHasBegunAndDropsTheRest) {
  PosixExecutor executor;
  Board board;
  std::atomic<bool> finished{false};
  std::atomic<int> dropped_ran{0};
  auto witness = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = witness;
  executor.submit(Lane::flush, [&] {
    board.add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    finished = true;
  });
  executor.submit(Lane::flush, [&, witness] { ++dropped_ran; });
  executor.submit_after(Lane::compact, uint64_t{3600} * 1'000'000'000, [&, witness] { ++dropped_ran; });
  executor.submit_after(Lane::compact, UINT64_MAX, [&, witness] { ++dropped_ran; });
  witness.reset();
  board.wait_for(executor, 1);
  executor.stop();
  EXPECT_TRUE(finished.load());
  EXPECT_EQ(dropped_ran.load(), 0);
  EXPECT_TRUE(alive.expired()) << "dropped tasks must be destroyed";
  executor.stop();
  executor.submit(Lane::flush, [&] { ++dropped_ran; });
  executor.submit_after(Lane::flush, 0, [&] { ++dropped_ran; });
  executor.stop();
  EXPECT_EQ(dropped_ran.load(), 0);
}

TEST(PosixExecutor, StopsFromManyThreadsAllReturnAfterTheLastTask) {
  for (int round = 0; round < 20; ++round) {
    PosixExecutor executor;
    Board board;
    std::atomic<bool> finished{false};
    executor.submit(Lane::compact, [&] {
      board.add(1);
      std::this_thread::yield();
      finished = true;
    });
    board.wait_for(executor, 1);
    std::vector<std::thread> stoppers;
    std::atomic<int> early{0};
    for (int i = 0; i < 3; ++i) {
      stoppers.emplace_back([&] {
        executor.submit(Lane::flush, [] {});
        executor.stop();
        if (!finished) ++early;
      });
    }
    for (std::thread& stopper : stoppers) stopper.join();
    EXPECT_EQ(early.load(), 0);
  }
}

TEST(PosixExecutor, ItsThreadsTakeNoSignalsOfTheProcess) {
  PosixExecutor executor;
  Board board;
  sigset_t mask;
  executor.submit(Lane::flush, [&] {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    board.add(1);
  });
  board.wait_for(executor, 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM, SIGPROF, SIGPIPE}) {
    EXPECT_EQ(::sigismember(&mask, signal), 1) << signal;
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    EXPECT_EQ(::sigismember(&mask, fault), 0) << fault;
  }
  sigset_t own;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(::sigismember(&own, SIGTERM), 0);
}

TEST(PosixExecutorDeathTest, ATaskCannotStopItsExecutor) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        PosixExecutor executor;
        Board board;
        executor.submit(Lane::flush, [&] { executor.stop(); });
        board.wait_for(executor, 1);
      },
      "broken invariant");
}

TEST(PosixExecutor, AForkChildForgetsTheThreadsItDoesNotHave) {
  auto executor = std::make_unique<PosixExecutor>();
  Board board;
  executor->submit(Lane::flush, [&] { board.add(1); });
  executor->submit_after(Lane::flush, uint64_t{3600} * 1'000'000'000, [] {});
  board.wait_for(*executor, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    executor->submit(Lane::flush, [] {});
    executor->stop();
    executor.reset();
    ::_exit(7);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 7);
  executor->submit(Lane::flush, [&] { board.add(2); });
  EXPECT_EQ(board.wait_for(*executor, 2).size(), 2u);
}

}  // namespace
}  // namespace ashlar::io
