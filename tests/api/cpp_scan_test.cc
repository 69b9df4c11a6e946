// Loops over scans, and what they do about a damaged block in the middle.
#include <ashlar/ashlar.hpp>
#include <fstream>

#include "scratch.h"

namespace ashlar_test {
namespace {

namespace ash = ashlar;

class CppScan : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* key : {"a", "b/1", "b/2", "b/3", "c"}) db_.put(key, std::string("=") + key).check();
  }
  template <typename AnyScan>
  static std::string keys(AnyScan scan) {
    std::string all;
    for (auto [key, value] : scan) {
      EXPECT_EQ(value, "=" + std::string(key));
      all += std::string(key) + " ";
    }
    scan.status().check();
    return all;
  }

  Scratch scratch_;
  ash::Db db_ = ash::Db::open(scratch_.at("db")).value();
};

TEST_F(CppScan, RangesPrefixesAndDirections) {
  EXPECT_EQ(keys(db_.scan()), "a b/1 b/2 b/3 c ");
  EXPECT_EQ(keys(db_.scan().reverse()), "c b/3 b/2 b/1 a ");
  EXPECT_EQ(keys(db_.scan().reverse().reverse()), "a b/1 b/2 b/3 c ");
  EXPECT_EQ(keys(db_.prefix("b/")), "b/1 b/2 b/3 ");
  EXPECT_EQ(keys(db_.prefix("b/").reverse()), "b/3 b/2 b/1 ");
  EXPECT_EQ(keys(db_.range("b/2", "c")), "b/2 b/3 ");
  EXPECT_EQ(keys(db_.range("z", "a")), "");
  EXPECT_EQ(keys(db_.prefix("nothing")), "");
  ash::ScanOptions options;
  options.lower = "b/2";
  options.prefix = "b";
  EXPECT_EQ(keys(db_.scan(options)), "b/2 b/3 ");
}

TEST_F(CppScan, KeysAlone) {
  std::string all;
  for (std::string_view key : db_.prefix("b").reverse().keys()) all += std::string(key) + " ";
  EXPECT_EQ(all, "b/3 b/2 b/1 ");
  all.clear();
  for (auto key : db_.range("a", "b/2").keys().reverse()) all += std::string(key) + " ";
  EXPECT_EQ(all, "b/1 a ");
}

TEST_F(CppScan, EachPassSeesTheMomentItStarts) {
  auto scan = db_.scan().keys();
  int first = 0;
  for (auto key : scan) {
    if (first == 0) db_.put("zz", "=zz").check();
    first += key.empty() ? 0 : 1;
  }
  EXPECT_EQ(first, 5);
  int second = 0;
  for (auto key : scan) second += key.empty() ? 0 : 1;
  EXPECT_EQ(second, 6);
  scan.status().check();
}

TEST_F(CppScan, LeavingEarlyIsNoError) {
  for (auto [key, value] : db_.scan()) {
    if (key == "b/1") break;
  }
}

TEST_F(CppScan, ATemporaryHandleMayBeLoopedOver) {
  int count = 0;
  for (auto [key, value] : db_.snapshot().prefix("b/")) count += key.size() + 1 == value.size() ? 1 : 0;
  for (auto key : db_.keyspace("default").value().scan().keys()) count += key.empty() ? 0 : 1;
  EXPECT_EQ(count, 8);
}

TEST_F(CppScan, TheIteratorMovesBothWays) {
  ash::ScanOptions options;
  options.prefix = "b/";
  ash::Iterator it = db_.iterator(options).value();
  EXPECT_FALSE(it.valid());
  ASSERT_TRUE(it.seek("b/2"));
  EXPECT_EQ(it.key(), "b/2");
  ASSERT_TRUE(it.next());
  EXPECT_FALSE(it.next());
  ASSERT_TRUE(it.seek_for_previous("b/25"));
  EXPECT_EQ(it.value(), "=b/2");
  ASSERT_TRUE(it.last());
  ASSERT_TRUE(it.previous());
  EXPECT_EQ(it.key(), "b/2");
  it.status().check();
}

// A database in one run whose middle was overwritten on disk.
class CppDamage : public ::testing::Test {
 protected:
  static constexpr int kKeys = 20000;

  void SetUp() override {
    const std::string path = scratch_.at("db");
    {
      ash::Db db = ash::Db::open(path, ash::durable().compression(ash::Compression::none)).value();
      for (int i = 0; i < kKeys; ++i)
        db.put("key" + std::to_string(100000 + i), std::string(100, 'v')).check();
      db.compact().check();
      db.close().check();
    }
    std::filesystem::path largest;
    uintmax_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().filename().string().find("run") == std::string::npos || entry.file_size() <= size)
        continue;
      largest = entry.path();
      size = entry.file_size();
    }
    ASSERT_GT(size, uintmax_t{1} << 20) << "no large run in " << path;
    std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file << "damage";
    file.close();
    db_ = ash::Db::open(path).value();
  }

  Scratch scratch_;
  ash::Db db_;
};

TEST_F(CppDamage, EndsANamedLoopAndStandsInItsStatus) {
  auto scan = db_.scan();
  int count = 0;
  std::string before;
  for (auto [key, value] : scan) {
    ASSERT_EQ(value, std::string(100, 'v'));
    ASSERT_LT(before, key);
    before = key;
    ++count;
  }
  EXPECT_GT(count, kKeys / 4);
  EXPECT_LT(count, kKeys);
  const ash::Status status = scan.status();
  EXPECT_EQ(status.code(), ash::Code::corruption);
  EXPECT_NE(status.message().find("run"), std::string::npos) << status.message();
}

TEST_F(CppDamage, IsThrownAfterALoopThatDidNotLook) {
  int count = 0;
  try {
    for (auto [key, value] : db_.scan()) count += key.empty() || value.empty() ? 0 : 1;
    FAIL() << "a scan cut short went unnoticed after " << count << " keys";
  } catch (const ash::Exception& exception) {
    EXPECT_EQ(exception.code(), ash::Code::corruption);
  }
  EXPECT_GT(count, 0);
}

TEST_F(CppDamage, IsThrownForANamedScanThatNobodyAsked) {
  const auto careless = [&] {
    auto scan = db_.scan().reverse().keys();
    for (auto key : scan) (void)key;
  };
  EXPECT_THROW(careless(), ash::Exception);
}

TEST_F(CppDamage, DoesNotHideAnotherException) {
  try {
    auto scan = db_.scan();
    for (auto [key, value] : scan) (void)key;
    throw std::runtime_error("the program's own");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the program's own");
  }
}

TEST_F(CppDamage, IsToldByVerifyAndByIterators) {
  const ash::Status verified = db_.verify();
  EXPECT_EQ(verified.code(), ash::Code::corruption);
  ash::Iterator it = db_.iterator().value();
  for (bool on = it.first(); on; on = it.next()) {
  }
  EXPECT_EQ(it.status().code(), ash::Code::corruption);
  EXPECT_TRUE(it.last()) << it.status().to_string();
  EXPECT_EQ(it.key(), "key" + std::to_string(100000 + kKeys - 1));
}

TEST_F(CppDamage, LeavesTheRestReadable) {
  EXPECT_EQ(*db_.get("key100000").value(), std::string(100, 'v'));
  EXPECT_EQ(*db_.get("key" + std::to_string(100000 + kKeys - 1)).value(), std::string(100, 'v'));
  int damaged = 0;
  for (int i = 0; i < kKeys; ++i) {
    const auto value = db_.get("key" + std::to_string(100000 + i));
    if (!value.ok()) {
      EXPECT_EQ(value.code(), ash::Code::corruption);
      ++damaged;
    } else {
      ASSERT_EQ(*value.value(), std::string(100, 'v'));
    }
  }
  EXPECT_GT(damaged, 0);
  EXPECT_LT(damaged, kKeys / 10);
}

}  // namespace
}  // namespace ashlar_test
