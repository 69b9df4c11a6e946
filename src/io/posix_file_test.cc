#include "io/posix_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "io/environment.h"
#include "io/posix_error.h"
#include "io/temporary_directory.h"

namespace ashlar::io {
namespace {

class PosixFileTest : public testing::Test {
 protected:
  std::unique_ptr<File> create(const std::string& name) {
    return std::move(directory_->open(name, OpenMode::create)).value();
  }
  // What another program sees.
  std::string bytes_of(const std::string& name) const {
    std::ifstream in(temporary_.path() + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  TemporaryDirectory temporary_;
  std::unique_ptr<Directory> directory_ =
      std::move(posix_environment().open_directory(temporary_.path(), CreateMode::must_exist)).value();
};

TEST_F(PosixFileTest, WritesAndReadsAnywhere) {
  const auto file = create("a");
  EXPECT_EQ(file->name(), "a");
  ASSERT_TRUE(file->write_at(5, Bytes("xy\0z", 4)).ok());
  EXPECT_EQ(file->size_bytes().value(), 9u);
  EXPECT_EQ(bytes_of("a"), std::string("\0\0\0\0\0xy\0z", 9));
  char buffer[16] = {};
  EXPECT_EQ(file->read_at(5, buffer, 4).value(), 4u);
  EXPECT_EQ(std::string(buffer, 4), std::string("xy\0z", 4));
  EXPECT_TRUE(file->sync().ok());
}

TEST_F(PosixFileTest, AHintToWriteBackChangesNothing) {
  const auto file = create("f");
  const std::string bytes(300'000, 'b');
  ASSERT_TRUE(file->write_at(0, bytes).ok());
  file->start_write_back(0, 200'000);
  file->start_write_back(200'000, 1'000'000);  // more than there is
  EXPECT_EQ(bytes_of("f"), bytes);
  ASSERT_TRUE(file->write_at(10, "again").ok());
  EXPECT_TRUE(file->sync().ok());
  EXPECT_EQ(bytes_of("f").substr(8, 9), "bbagainbb");
}

TEST_F(PosixFileTest, ReadsShortOnlyAtTheEnd) {
  const auto file = create("a");
  ASSERT_TRUE(file->write_at(0, "hello").ok());
  char buffer[16];
  EXPECT_EQ(file->read_at(3, buffer, sizeof buffer).value(), 2u);
  EXPECT_EQ(file->read_at(5, buffer, sizeof buffer).value(), 0u);
  EXPECT_EQ(file->read_at(100, buffer, sizeof buffer).value(), 0u);
  EXPECT_EQ(file->read_at(0, buffer, 0).value(), 0u);
}

TEST_F(PosixFileTest, ResizeCutsAndExtendsWithZeros) {
  const auto file = create("a");
  ASSERT_TRUE(file->write_at(0, "hello").ok());
  ASSERT_TRUE(file->resize(2).ok());
  ASSERT_TRUE(file->resize(4).ok());
  EXPECT_EQ(bytes_of("a"), std::string("he\0\0", 4));
}

TEST_F(PosixFileTest, FillReplacesEverythingByExactlySoManyWrittenZeros) {
  constexpr uint64_t kOddBytes = (uint64_t{9} << 20) + 13;  // two full writes and a bit
  for (const uint64_t before : {uint64_t{0}, uint64_t{1000}, kOddBytes + 5000}) {
    const std::string name = "filled" + std::to_string(before);
    const auto file = create(name);
    if (before != 0) {
      ASSERT_TRUE(file->write_at(0, std::string(before, 'x')).ok());
    }
    ASSERT_TRUE(file->fill_zeros(kOddBytes).ok());
    const std::string bytes = bytes_of(name);
    EXPECT_EQ(bytes.size(), kOddBytes);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; }));
    struct stat found = {};
    ASSERT_EQ(::stat((temporary_.path() + "/" + name).c_str(), &found), 0);
    EXPECT_GE(static_cast<uint64_t>(found.st_blocks) * 512, kOddBytes) << "holes";
  }
  const auto file = create("emptied");
  ASSERT_TRUE(file->write_at(0, "x").ok());
  ASSERT_TRUE(file->fill_zeros(0).ok());
  EXPECT_EQ(file->size_bytes().value(), 0u);
}

TEST_F(PosixFileTest, MappingAndFileAreOneAndOutliveEachOther) {
  auto file = create("a");
  ASSERT_TRUE(file->fill_zeros(3 * 4096).ok());
  auto mapping = std::move(file->map(2 * 4096 + 100)).value();
  EXPECT_EQ(mapping->size_bytes(), 2u * 4096 + 100);
  std::memcpy(mapping->data() + 5000, "stored", 6);
  char buffer[6];
  ASSERT_EQ(file->read_at(5000, buffer, 6).value(), 6u);
  EXPECT_EQ(std::string(buffer, 6), "stored");
  ASSERT_TRUE(file->write_at(10, "written").ok());
  EXPECT_EQ(std::string(mapping->data() + 10, 7), "written");

  file.reset();
  std::memcpy(mapping->data() + 5000, "STORED", 6);
  EXPECT_TRUE(mapping->sync(5000, 6).ok());
  EXPECT_TRUE(mapping->sync(0, 0).ok());
  EXPECT_TRUE(mapping->sync(4097, mapping->size_bytes() - 4097).ok());
  mapping.reset();
  EXPECT_EQ(bytes_of("a").substr(5000, 6), "STORED");
}

TEST_F(PosixFileTest, StoresThroughAMappingSurviveTheDeathOfTheProcess) {
  const auto file = create("a");
  ASSERT_TRUE(file->fill_zeros(8192).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    auto mapping = file->map(8192);
    std::memcpy((*mapping)->data() + 4000, "last words", 10);
    ::kill(::getpid(), SIGKILL);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFSIGNALED(state));
  EXPECT_EQ(bytes_of("a").substr(4000, 10), "last words");
}

TEST_F(PosixFileTest, RefusesToMapOrSyncWhatIsNotThere) {
  const auto file = create("a");
  EXPECT_EQ(file->map(0).status().code(), Code::invalid_argument);
  EXPECT_EQ(file->map(1).status().code(), Code::invalid_argument);
  ASSERT_TRUE(file->resize(4096).ok());
  EXPECT_EQ(file->map(4097).status().code(), Code::invalid_argument);
  const auto mapping = std::move(file->map(4096)).value();
  EXPECT_EQ(mapping->sync(4096, 1).code(), Code::invalid_argument);
  EXPECT_EQ(mapping->sync(4097, 0).code(), Code::invalid_argument);
  EXPECT_EQ(mapping->sync(1, UINT64_MAX).code(), Code::invalid_argument);
}

TEST_F(PosixFileTest, AReadOnlyFileCannotBeChanged) {
  ASSERT_TRUE(create("a")->resize(4096).ok());
  const auto file = std::move(directory_->open("a", OpenMode::read_only)).value();
  EXPECT_EQ(file->write_at(0, "x").code(), Code::io);
  EXPECT_EQ(file->resize(0).code(), Code::io);
  EXPECT_EQ(file->fill_zeros(10).code(), Code::io);
  EXPECT_EQ(file->map(4096).status().code(), Code::io);
  EXPECT_EQ(bytes_of("a"), std::string(4096, '\0'));
}

TEST_F(PosixFileTest, AFullDeviceIsNoSpace) {
  PosixFile file(Descriptor(::open("/dev/full", O_RDWR | O_CLOEXEC)), "/dev", "full");
  const Status status = file.write_at(0, "x");
  EXPECT_EQ(status.to_string(), "no_space: write /dev/full at 0: No space left on device (ENOSPC)");
}

TEST_F(PosixFileTest, AnErrorAfterAShortWriteNamesThePlaceItReached) {
  const auto file = create("a");
  ASSERT_NE(::signal(SIGXFSZ, SIG_IGN), SIG_ERR);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limited = {6000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
  const Status status = file->write_at(1000, std::string(10000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(status.to_string(), "io: write " + temporary_.path() + "/a at 6000: File too large (EFBIG)");
  EXPECT_EQ(file->size_bytes().value(), 6000u);
}

TEST(PosixError, CodesAndTexts) {
  EXPECT_EQ(posix_error(ENOSPC, "fallocate", "db/a").code(), Code::no_space);
  EXPECT_EQ(posix_error(EDQUOT, "fallocate", "db/a").code(), Code::no_space);
  EXPECT_EQ(posix_error_at(EIO, "read", "db/a", 512).to_string(),
            "io: read db/a at 512: Input/output error (EIO)");
  EXPECT_EQ(posix_error(ENOENT, "open", "db/a").to_string(), "io: open db/a: no such file (ENOENT)");
  EXPECT_EQ(posix_error(9999, "open", "db/a").to_string(), "io: open db/a: unknown error (9999)");
}

}  // namespace
}  // namespace ashlar::io
