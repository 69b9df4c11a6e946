#include "io/posix_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/environment.h"
#include "io/temporary_directory.h"

namespace ashlar::io {
namespace {

using Names = std::vector<std::string>;

class PosixDirectoryTest : public testing::Test {
 protected:
  Names names() {
    Names found = std::move(directory_->list()).value();
    std::sort(found.begin(), found.end());
    return found;
  }
  void create(const std::string& name, Bytes bytes) {
    const auto file = std::move(directory_->open(name, OpenMode::create)).value();
    ASSERT_TRUE(file->write_at(0, bytes).ok());
  }
  std::string read(const std::string& name) {
    const auto file = std::move(directory_->open(name, OpenMode::read_only)).value();
    std::string bytes(file->size_bytes().value(), '\0');
    EXPECT_EQ(file->read_at(0, bytes.data(), bytes.size()).value(), bytes.size());
    return bytes;
  }

  TemporaryDirectory temporary_;
  std::unique_ptr<Directory> directory_ =
      std::move(posix_environment().open_directory(temporary_.path(), CreateMode::must_exist)).value();
};

TEST_F(PosixDirectoryTest, CreatesOpensRenamesAndRemoves) {
  create("b", "two");
  create("a", "one");
  EXPECT_EQ(names(), (Names{"a", "b"}));
  ASSERT_TRUE(directory_->rename("a", "c").ok());
  EXPECT_EQ(names(), (Names{"b", "c"}));
  ASSERT_TRUE(directory_->rename("c", "b").ok());  // replaces
  EXPECT_EQ(names(), Names{"b"});
  EXPECT_EQ(read("b"), "one");
  EXPECT_TRUE(directory_->sync().ok());
  ASSERT_TRUE(directory_->remove("b").ok());
  EXPECT_EQ(names(), Names{});
}

TEST_F(PosixDirectoryTest, AnOpenFileOutlivesItsName) {
  create("a", "one");
  const auto file = std::move(directory_->open("a", OpenMode::read_only)).value();
  ASSERT_TRUE(directory_->remove("a").ok());
  char buffer[3];
  EXPECT_EQ(file->read_at(0, buffer, 3).value(), 3u);
}

TEST_F(PosixDirectoryTest, MissingAndExistingFilesAreNamedInTheError) {
  for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
    const auto missing = directory_->open("a", mode);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.status().to_string(), "io: open " + temporary_.path() + "/a: no such file (ENOENT)");
  }
  EXPECT_EQ(directory_->remove("a").code(), Code::io);
  EXPECT_EQ(directory_->rename("a", "b").code(), Code::io);
  create("a", "one");
  const auto existing = directory_->open("a", OpenMode::create);
  ASSERT_FALSE(existing.ok());
  EXPECT_EQ(existing.status().code(), Code::io);
  EXPECT_EQ(read("a"), "one");
}

TEST_F(PosixDirectoryTest, RefusesNamesThatLeadElsewhere) {
  for (const std::string& name : {std::string("x/y"), std::string("../x"), std::string(), std::string("."),
                                  std::string(".."), std::string("/x"), std::string("a\0b", 3)}) {
    EXPECT_EQ(directory_->open(name, OpenMode::create).status().code(), Code::invalid_argument) << name;
    EXPECT_EQ(directory_->remove(name).code(), Code::invalid_argument) << name;
    EXPECT_EQ(directory_->rename(name, "a").code(), Code::invalid_argument) << name;
    EXPECT_EQ(directory_->rename("a", name).code(), Code::invalid_argument) << name;
    EXPECT_EQ(directory_->lock(name).status().code(), Code::invalid_argument) << name;
  }
}

TEST_F(PosixDirectoryTest, OnlyRegularFilesAreListedAndOpened) {
  create("file", "one");
  std::filesystem::create_directory(temporary_.path() + "/folder");
  ASSERT_EQ(::mkfifo((temporary_.path() + "/pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("file", temporary_.path() + "/link");
  EXPECT_EQ(names(), Names{"file"});
  for (const char* name : {"folder", "pipe", "link"}) {
    EXPECT_EQ(directory_->open(name, OpenMode::read_only).status().code(), Code::io) << name;
  }
}

TEST_F(PosixDirectoryTest, KeepsWorkingWhenItsPathIsRenamed) {
  const std::string old_path = temporary_.path() + "/old";
  const auto moved =
      std::move(posix_environment().open_directory(old_path, CreateMode::create_if_missing)).value();
  std::filesystem::rename(old_path, temporary_.path() + "/new");
  ASSERT_TRUE(moved->open("a", OpenMode::create).ok());
  EXPECT_TRUE(std::filesystem::exists(temporary_.path() + "/new/a"));
  EXPECT_EQ(moved->path(), old_path);
}

TEST_F(PosixDirectoryTest, ListsInFullEveryTime) {
  create("a", "one");
  EXPECT_EQ(names(), Names{"a"});
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(PosixDirectoryTest, KnowsTheFreeSpace) {
  const uint64_t free_bytes = directory_->free_bytes().value();
  const auto expected = std::filesystem::space(temporary_.path());
  EXPECT_LE(free_bytes, expected.capacity);
  EXPECT_GT(free_bytes, 0u);
}

TEST_F(PosixDirectoryTest, OpensAndCreatesPaths) {
  Environment& environment = posix_environment();
  const std::string deep = temporary_.path() + "/one//two/three/";
  const auto missing = environment.open_directory(deep, CreateMode::must_exist);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), Code::io);
  EXPECT_FALSE(std::filesystem::exists(temporary_.path() + "/one"));
  EXPECT_TRUE(environment.open_directory(deep, CreateMode::create_if_missing).ok());
  EXPECT_TRUE(environment.open_directory(deep, CreateMode::create_if_missing).ok());
  EXPECT_TRUE(environment.open_directory(deep, CreateMode::must_exist).ok());

  create("file", "one");
  EXPECT_FALSE(environment.open_directory(temporary_.path() + "/file", CreateMode::create_if_missing).ok());
  EXPECT_FALSE(environment.open_directory(temporary_.path() + "/file/x", CreateMode::create_if_missing).ok());
  EXPECT_EQ(environment.open_directory("", CreateMode::create_if_missing).status().code(),
            Code::invalid_argument);
}

TEST_F(PosixDirectoryTest, CreatesRelativePaths) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(temporary_.path());
  EXPECT_TRUE(posix_environment().open_directory("x/y", CreateMode::create_if_missing).ok());
  EXPECT_TRUE(posix_environment().open_directory("z", CreateMode::create_if_missing).ok());
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::is_directory(temporary_.path() + "/x/y"));
  EXPECT_TRUE(std::filesystem::is_directory(temporary_.path() + "/z"));
}

TEST(PosixEnvironment, BootIdIsTheKernelsAndRandomIdsDiffer) {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string text;
  ASSERT_TRUE(std::getline(in, text));
  std::erase(text, '-');
  char expected[33];
  const Uuid boot = posix_environment().boot_id();
  std::snprintf(expected, sizeof expected, "%016llx%016llx", static_cast<unsigned long long>(boot.high),
                static_cast<unsigned long long>(boot.low));
  EXPECT_EQ(text, expected);
  EXPECT_EQ(boot, posix_environment().boot_id());
  EXPECT_NE(posix_environment().random_uuid(), posix_environment().random_uuid());
}

TEST(PosixClock, GoesForwardAndSleepsAtLeastAsLongAsAsked) {
  Clock& clock = posix_environment().clock();
  const uint64_t before = clock.monotonic_ns();
  clock.sleep_ns(2'000'000);
  EXPECT_GE(clock.monotonic_ns() - before, 2'000'000u);
  EXPECT_GT(clock.wall_ns(), 1'600'000'000'000'000'000u);
}

}  // namespace
}  // namespace ashlar::io
