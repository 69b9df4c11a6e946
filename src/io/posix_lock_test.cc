#include "io/posix_lock.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "io/environment.h"
#include "io/temporary_directory.h"

namespace ashlar::io {
namespace {

// A fork child that runs `body`, reports one byte of outcome and then lives until it is told to go or is killed.
class Child {
 public:
  explicit Child(const std::function<char()>& body) {
    EXPECT_EQ(::pipe(from_child_), 0);
    EXPECT_EQ(::pipe(to_child_), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(from_child_[0]);
      ::close(to_child_[1]);
      const char outcome = body();
      char ignored = 0;
      const bool told = ::write(from_child_[1], &outcome, 1) == 1 && ::read(to_child_[0], &ignored, 1) >= 0;
      ::_exit(told ? 0 : 1);
    }
    ::close(from_child_[1]);
    ::close(to_child_[0]);
    EXPECT_EQ(::read(from_child_[0], &outcome_, 1), 1);
  }
  ~Child() { end(0); }

  char outcome() const { return outcome_; }
  pid_t pid() const { return pid_; }
  void kill() { end(SIGKILL); }

 private:
  void end(int signal) {
    if (pid_ <= 0) return;
    if (signal != 0) ::kill(pid_, signal);
    ::close(to_child_[1]);
    ::close(from_child_[0]);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  int from_child_[2] = {-1, -1};
  int to_child_[2] = {-1, -1};
  pid_t pid_ = -1;
  char outcome_ = '?';
};

class PosixLockTest : public testing::Test {
 protected:
  std::unique_ptr<Directory> open() {
    return std::move(posix_environment().open_directory(temporary_.path(), CreateMode::must_exist)).value();
  }
  // In a child: takes the lock through a directory of its own and keeps it.
  static char take(const std::string& path) {
    auto directory = posix_environment().open_directory(path, CreateMode::must_exist);
    auto lock = (*directory)->lock("LOCK");
    if (!lock.ok()) return lock.status().code() == Code::busy ? 'b' : 'e';
    static_cast<void>(std::move(lock).value().release());
    return 'y';
  }

  TemporaryDirectory temporary_;
};

TEST_F(PosixLockTest, ASecondHandleOfThisProcessIsRefusedUntilTheFirstLetsGo) {
  const auto first = open();
  const auto second = open();
  auto lock = std::move(first->lock("LOCK")).value();
  for (Directory* directory : {first.get(), second.get()}) {
    const auto refused = directory->lock("LOCK");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), Code::busy);
    const std::string expected =
        "held by process " + std::to_string(::getpid()) + " (" + ::program_invocation_short_name;
    EXPECT_NE(refused.status().message().find(expected), std::string::npos) << refused.status().message();
  }
  EXPECT_TRUE(second->lock("OTHER").ok());
  lock.reset();
  EXPECT_TRUE(second->lock("LOCK").ok());
}

TEST_F(PosixLockTest, TheSameDirectoryByAnotherPathIsTheSameLock) {
  const auto lock = std::move(open()->lock("LOCK")).value();
  std::filesystem::create_symlink(temporary_.path(), temporary_.path() + "/link");
  const auto linked =
      std::move(posix_environment().open_directory(temporary_.path() + "/link", CreateMode::must_exist))
          .value();
  EXPECT_EQ(linked->lock("LOCK").status().code(), Code::busy);
}

TEST_F(PosixLockTest, AnotherProcessIsNamed) {
  Child child([&] { return take(temporary_.path()); });
  ASSERT_EQ(child.outcome(), 'y');
  const auto refused = open()->lock("LOCK");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().to_string(), "busy: lock " + temporary_.path() + "/LOCK: held by process " +
                                              std::to_string(child.pid()) + " (" +
                                              ::program_invocation_short_name + ")");
}

TEST_F(PosixLockTest, TheLockDiesWithItsHolderAndTheFileStays) {
  Child child([&] { return take(temporary_.path()); });
  ASSERT_EQ(child.outcome(), 'y');
  child.kill();
  EXPECT_TRUE(std::filesystem::exists(temporary_.path() + "/LOCK"));
  EXPECT_TRUE(open()->lock("LOCK").ok());
}

TEST_F(PosixLockTest, AForkChildNeitherHoldsNorReleasesTheLockOfItsParent) {
  auto lock = std::move(open()->lock("LOCK")).value();
  {
    Child child([&] {
      lock.reset();  // what a child that unwinds would do
      return take(temporary_.path());
    });
    EXPECT_EQ(child.outcome(), 'b');
    Child other([&] { return take(temporary_.path()); });
    EXPECT_EQ(other.outcome(), 'b') << "the first child must not have released it";
  }
  Child bystander([&] { return 'x'; });  // lives on and holds nothing
  lock.reset();
  EXPECT_TRUE(open()->lock("LOCK").ok());
}

TEST_F(PosixLockTest, AForkChildThatOutlivesAKilledHolderDoesNotKeepTheLock) {
  int until[2];
  int running[2];
  ASSERT_EQ(::pipe(until), 0);
  ASSERT_EQ(::pipe(running), 0);
  Child holder([&] {
    const char outcome = take(temporary_.path());
    char ignored = 0;
    if (::fork() == 0) {  // the grandchild waits until the test lets go of the pipe
      ::close(until[1]);
      const bool told = ::write(running[1], "r", 1) == 1 && ::read(until[0], &ignored, 1) == 0;
      ::_exit(told ? 0 : 1);
    }
    return ::read(running[0], &ignored, 1) == 1 ? outcome : 'e';
  });
  ASSERT_EQ(holder.outcome(), 'y');
  holder.kill();
  EXPECT_TRUE(open()->lock("LOCK").ok());
  for (const int end : {until[0], until[1], running[0], running[1]}) ::close(end);
}

TEST_F(PosixLockTest, AnUnreadableLabelStillRefuses) {
  Child child([&] { return take(temporary_.path()); });
  ASSERT_EQ(child.outcome(), 'y');
  for (const char* label : {"", "12", "12 \xff", " x\n", "x y\n", "\n"}) {
    std::ofstream(temporary_.path() + "/LOCK", std::ios::trunc) << label;
    const auto refused = open()->lock("LOCK");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().to_string(),
              "busy: lock " + temporary_.path() + "/LOCK: held by another process");
  }
}

TEST_F(PosixLockTest, OfManyThreadsExactlyOneHoldsItAtATime) {
  std::atomic<int> holders{0};
  std::atomic<int> taken{0};
  std::atomic<bool> shared{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto directory = open();
      for (int round = 0; round < 200; ++round) {
        auto lock = directory->lock("LOCK");
        if (!lock.ok()) continue;
        if (holders.fetch_add(1) != 0) shared = true;
        ++taken;
        holders.fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(shared.load());
  EXPECT_GT(taken.load(), 0);
}

}  // namespace
}  // namespace ashlar::io
