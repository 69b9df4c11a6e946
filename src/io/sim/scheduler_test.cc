#include "io/sim/scheduler.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ashlar::io::sim {
namespace {

constexpr uint64_t kProcess = 1;

// The order in which six tasks on three lanes run.
std::string order_from(uint64_t seed) {
  Scheduler scheduler(seed);
  const auto executor = scheduler.create_executor(kProcess);
  std::string order;
  for (const char c : std::string("aA1bB2")) {
    const Lane lane = c >= 'a' ? Lane::prepare : c >= 'A' ? Lane::flush : Lane::compact;
    executor->submit(lane, [&order, c] { order += c; });
  }
  scheduler.run_until_idle(kProcess);
  return order;
}

TEST(Scheduler, TheSeedDecidesBetweenLanesAndNeverWithinOne) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    const std::string order = order_from(seed);
    EXPECT_EQ(order, order_from(seed));
    EXPECT_EQ(order.size(), 6u);
    EXPECT_LT(order.find('a'), order.find('b'));
    EXPECT_LT(order.find('A'), order.find('B'));
    EXPECT_LT(order.find('1'), order.find('2'));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 90u) << "every interleaving: 6! / (2! 2! 2!)";
}

TEST(Scheduler, TimersWaitForTheirTime) {
  Scheduler scheduler(1);
  const auto executor = scheduler.create_executor(kProcess);
  std::string order;
  executor->submit_after(Lane::flush, 2000, [&] { order += 'b'; });
  executor->submit_after(Lane::flush, 1000, [&] {
    order += 'a';
    executor->submit_after(Lane::compact, 5000, [&] { order += 'd'; });
  });
  executor->submit_after(Lane::flush, 2000, [&] { order += 'c'; });
  scheduler.run_until_idle(kProcess);
  EXPECT_EQ(order, "");
  scheduler.advance(kProcess, 999);
  EXPECT_EQ(order, "");
  scheduler.advance(kProcess, 1);
  EXPECT_EQ(order, "a");
  scheduler.advance(kProcess, 4999);
  EXPECT_EQ(order, "abc");
  scheduler.advance(kProcess, 1);
  EXPECT_EQ(order, "abcd");
}

TEST(Scheduler, AWaitRunsTasksAndThenTimers) {
  Scheduler scheduler(1);
  const auto executor = scheduler.create_executor(kProcess);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  const uint64_t start_ns = scheduler.now_ns();
  executor->submit_after(Lane::flush, 3'600'000'000'000, [&] {
    executor->submit(Lane::compact, [&] {
      const std::lock_guard<std::mutex> guard(mutex);
      done = true;
    });
  });
  std::unique_lock<std::mutex> lock(mutex);
  executor->wait(lock, changed, [&] { return done; });
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_EQ(scheduler.now_ns() - start_ns, 3'600'000'000'000u);
}

TEST(Scheduler, ALaneWhoseTaskWaitsRunsNothingElse) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Scheduler scheduler(seed);
    const auto executor = scheduler.create_executor(kProcess);
    std::mutex mutex;
    std::condition_variable changed;
    std::string order;
    const auto mark = [&](char c) {
      const std::lock_guard<std::mutex> guard(mutex);
      order += c;
    };
    executor->submit(Lane::flush, [&] {
      std::unique_lock<std::mutex> lock(mutex);
      executor->wait(lock, changed, [&] { return order.find('p') != std::string::npos; });
      order += 'f';
    });
    executor->submit(Lane::flush, [&] { mark('F'); });
    executor->submit(Lane::prepare, [&] { mark('p'); });
    scheduler.run_until_idle(kProcess);
    EXPECT_EQ(order, "pfF");
  }
}

TEST(Scheduler, StopDropsTasksAndTimersAndFreesThem) {
  Scheduler scheduler(1);
  const auto executor = scheduler.create_executor(kProcess);
  const auto witness = std::make_shared<int>(0);
  executor->submit(Lane::flush, [witness] { ++*witness; });
  executor->submit_after(Lane::flush, 10, [witness] { ++*witness; });
  EXPECT_EQ(witness.use_count(), 3);
  executor->stop();
  EXPECT_EQ(witness.use_count(), 1);
  executor->submit(Lane::flush, [witness] { ++*witness; });
  scheduler.advance(kProcess, 1'000'000);
  EXPECT_EQ(*witness, 0);
}

TEST(Scheduler, TasksOfAnotherProcessDoNotRun) {
  Scheduler scheduler(1);
  const auto dead = scheduler.create_executor(1);
  const auto alive = scheduler.create_executor(2);
  std::string order;
  dead->submit(Lane::flush, [&] { order += 'd'; });
  alive->submit(Lane::flush, [&] { order += 'a'; });
  scheduler.advance(2, 1'000'000);
  EXPECT_EQ(order, "a");
  scheduler.run_until_idle(1);
  EXPECT_EQ(order, "ad");
}

TEST(SchedulerDeathTest, AWaitThatNothingCanEndIsADeadlock) {
  EXPECT_DEATH(
      {
        Scheduler scheduler(1);
        const auto executor = scheduler.create_executor(kProcess);
        std::mutex mutex;
        std::condition_variable changed;
        std::unique_lock<std::mutex> lock(mutex);
        executor->submit(Lane::flush, [] {});
        executor->wait(lock, changed, [] { return false; });
      },
      "deadlock");
}

TEST(SchedulerDeathTest, ATaskCannotStopItsExecutor) {
  EXPECT_DEATH(
      {
        Scheduler scheduler(1);
        const auto executor = scheduler.create_executor(kProcess);
        executor->submit(Lane::flush, [&] { executor->stop(); });
        scheduler.run_until_idle(kProcess);
      },
      "broken invariant");
}

}  // namespace
}  // namespace ashlar::io::sim
