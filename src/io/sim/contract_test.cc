// The same promises, asked of the operating system and of the simulated machine: engine code tested on one runs on
// the other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "io/environment.h"
#include "io/sim/world.h"
#include "io/temporary_directory.h"

namespace ashlar::io::sim {
namespace {

enum class Kind { posix, simulated };

class EnvironmentContract : public testing::TestWithParam<Kind> {
 protected:
  Environment& environment() { return GetParam() == Kind::posix ? posix_environment() : world_; }
  std::string root() const { return GetParam() == Kind::posix ? temporary_.path() : "root"; }
  std::unique_ptr<Directory> open_directory() {
    return std::move(environment().open_directory(root() + "/db", CreateMode::create_if_missing)).value();
  }
  static std::unique_ptr<File> open(Directory& directory, const std::string& name, OpenMode mode) {
    return std::move(directory.open(name, mode)).value();
  }
  static std::string contents(const File& file) {
    std::string bytes(file.size_bytes().value() + 10, '?');
    bytes.resize(file.read_at(0, bytes.data(), bytes.size()).value());
    return bytes;
  }
  static std::vector<std::string> names(Directory& directory) {
    std::vector<std::string> found = std::move(directory.list()).value();
    std::sort(found.begin(), found.end());
    return found;
  }

  TemporaryDirectory temporary_;
  World world_{1};
};

TEST_P(EnvironmentContract, WritesReadsAndGaps) {
  const auto directory = open_directory();
  const auto file = open(*directory, "a", OpenMode::create);
  ASSERT_TRUE(file->write_at(3, "abc").ok());
  ASSERT_TRUE(file->write_at(1, "").ok());
  EXPECT_EQ(contents(*file), std::string("\0\0\0abc", 6));
  ASSERT_TRUE(file->write_at(4, "BCD").ok());
  EXPECT_EQ(contents(*file), std::string("\0\0\0aBCD", 7));
  char buffer[4];
  EXPECT_EQ(file->read_at(5, buffer, 4).value(), 2u);
  EXPECT_EQ(file->read_at(7, buffer, 4).value(), 0u);
  EXPECT_EQ(file->read_at(1000, buffer, 4).value(), 0u);
  const auto other = open(*directory, "a", OpenMode::read_only);
  EXPECT_EQ(contents(*other), std::string("\0\0\0aBCD", 7));
}

TEST_P(EnvironmentContract, ResizeAndFillLeaveZeros) {
  const auto directory = open_directory();
  const auto file = open(*directory, "a", OpenMode::create);
  ASSERT_TRUE(file->write_at(0, std::string(5000, 'x')).ok());
  ASSERT_TRUE(file->resize(10).ok());
  ASSERT_TRUE(file->resize(2000).ok());
  EXPECT_EQ(contents(*file), std::string(10, 'x') + std::string(1990, '\0'));
  ASSERT_TRUE(file->fill_zeros(700).ok());
  EXPECT_EQ(contents(*file), std::string(700, '\0'));
  ASSERT_TRUE(file->write_at(699, "yy").ok());
  ASSERT_TRUE(file->fill_zeros(9000).ok());
  EXPECT_EQ(contents(*file), std::string(9000, '\0'));
}

TEST_P(EnvironmentContract, MappingsShareTheFile) {
  const auto directory = open_directory();
  auto file = open(*directory, "a", OpenMode::create);
  EXPECT_EQ(file->map(1).status().code(), Code::invalid_argument);
  ASSERT_TRUE(file->fill_zeros(8192).ok());
  EXPECT_EQ(file->map(0).status().code(), Code::invalid_argument);
  EXPECT_EQ(file->map(8193).status().code(), Code::invalid_argument);
  auto first = std::move(file->map(8192)).value();
  auto second = std::move(file->map(4096)).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first->data()) % 4096, 0u);
  std::memcpy(first->data() + 100, "store", 5);
  EXPECT_EQ(std::string(second->data() + 100, 5), "store");
  EXPECT_EQ(contents(*file).substr(100, 5), "store");
  ASSERT_TRUE(file->write_at(200, "write").ok());
  EXPECT_EQ(std::string(first->data() + 200, 5), "write");
  EXPECT_EQ(first->sync(8193, 0).code(), Code::invalid_argument);
  EXPECT_EQ(first->sync(0, 8193).code(), Code::invalid_argument);
  EXPECT_TRUE(first->sync(100, 5).ok());
  second.reset();
  file.reset();
  std::memcpy(first->data() + 300, "later", 5);
  first.reset();
  EXPECT_EQ(contents(*open(*directory, "a", OpenMode::read_only)).substr(300, 5), "later");
}

TEST_P(EnvironmentContract, NamesComeGoAndReplaceEachOther) {
  const auto directory = open_directory();
  ASSERT_TRUE(open(*directory, "a", OpenMode::create)->write_at(0, "one").ok());
  ASSERT_TRUE(open(*directory, "b", OpenMode::create)->write_at(0, "two").ok());
  EXPECT_EQ(names(*directory), (std::vector<std::string>{"a", "b"}));
  const auto replaced = open(*directory, "b", OpenMode::read_write);
  ASSERT_TRUE(directory->rename("a", "b").ok());
  EXPECT_EQ(names(*directory), std::vector<std::string>{"b"});
  EXPECT_EQ(contents(*open(*directory, "b", OpenMode::read_only)), "one");
  EXPECT_EQ(contents(*replaced), "two");
  ASSERT_TRUE(directory->rename("b", "b").ok());
  ASSERT_TRUE(directory->remove("b").ok());
  EXPECT_EQ(names(*directory), std::vector<std::string>{});
  EXPECT_TRUE(replaced->write_at(0, "still").ok());
  EXPECT_TRUE(directory->sync().ok());
}

TEST_P(EnvironmentContract, RefusalsCarryTheSameCodes) {
  const auto directory = open_directory();
  EXPECT_EQ(directory->open("a", OpenMode::read_only).status().code(), Code::io);
  EXPECT_NE(directory->open("a", OpenMode::read_write).status().message().find("no such file"),
            std::string::npos);
  EXPECT_EQ(directory->remove("a").code(), Code::io);
  EXPECT_EQ(directory->rename("a", "b").code(), Code::io);
  ASSERT_TRUE(open(*directory, "a", OpenMode::create)->resize(4096).ok());
  EXPECT_EQ(directory->open("a", OpenMode::create).status().code(), Code::io);
  const auto reader = open(*directory, "a", OpenMode::read_only);
  EXPECT_EQ(reader->write_at(0, "x").code(), Code::io);
  EXPECT_EQ(reader->resize(0).code(), Code::io);
  EXPECT_EQ(reader->fill_zeros(1).code(), Code::io);
  EXPECT_EQ(reader->map(4096).status().code(), Code::io);
  for (const std::string& name : {std::string("x/y"), std::string(), std::string("."), std::string("..")}) {
    EXPECT_EQ(directory->open(name, OpenMode::create).status().code(), Code::invalid_argument);
    EXPECT_EQ(directory->remove(name).code(), Code::invalid_argument);
    EXPECT_EQ(directory->rename("a", name).code(), Code::invalid_argument);
    EXPECT_EQ(directory->lock(name).status().code(), Code::invalid_argument);
  }
  EXPECT_EQ(environment().open_directory(root() + "/none", CreateMode::must_exist).status().code(), Code::io);
  EXPECT_EQ(environment().open_directory("", CreateMode::create_if_missing).status().code(),
            Code::invalid_argument);
}

TEST_P(EnvironmentContract, OneLockAtATime) {
  const auto first = open_directory();
  const auto second = open_directory();
  auto lock = std::move(first->lock("LOCK")).value();
  const auto refused = second->lock("LOCK");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::busy);
  EXPECT_NE(refused.status().message().find("held by process"), std::string::npos);
  lock.reset();
  EXPECT_TRUE(second->lock("LOCK").ok());
  EXPECT_EQ(names(*first), std::vector<std::string>{"LOCK"});
}

TEST_P(EnvironmentContract, TasksRunInOrderWhileSomebodyWaits) {
  const auto executor = environment().create_executor();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> order;
  const auto mark = [&](int value) {
    const std::lock_guard<std::mutex> guard(mutex);
    order.push_back(value);
    changed.notify_all();
  };
  executor->submit(Lane::flush, [&] { mark(1); });
  // Only when the second has been: this thread may be held up between two submits for longer than any delay.
  executor->submit(Lane::flush, [&] {
    mark(2);
    executor->submit_after(Lane::flush, 1000, [&] { mark(3); });
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    executor->wait(lock, changed, [&] { return order.size() == 3; });
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  }
  executor->stop();
  executor->submit(Lane::flush, [&] { mark(4); });
  executor->stop();
  EXPECT_EQ(order.size(), 3u);
}

TEST_P(EnvironmentContract, TimeAndIdentity) {
  Clock& clock = environment().clock();
  const uint64_t before = clock.monotonic_ns();
  clock.sleep_ns(1000);
  EXPECT_GE(clock.monotonic_ns(), before + 1000);
  EXPECT_GT(clock.wall_ns(), 1'600'000'000'000'000'000u);
  EXPECT_EQ(environment().boot_id(), environment().boot_id());
  EXPECT_NE(environment().boot_id(), Uuid{});
  EXPECT_NE(environment().random_uuid(), environment().random_uuid());
  EXPECT_GT(open_directory()->free_bytes().value(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Worlds, EnvironmentContract, testing::Values(Kind::posix, Kind::simulated),
                         [](const auto& kind) { return kind.param == Kind::posix ? "posix" : "simulated"; });

}  // namespace
}  // namespace ashlar::io::sim
