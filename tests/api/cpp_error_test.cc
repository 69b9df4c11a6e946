// Errors as values: Status, Result, check() and value(), batches that remember, programs without exceptions.
#include <ashlar/ashlar.hpp>
#include <map>

#include "no_exceptions.h"
#include "scratch.h"

namespace ashlar_test {
namespace {

namespace ash = ashlar;

TEST(CppError, CheckThrowsTheCodeAndTheText) {
  const Scratch scratch;
  ash::Db db = ash::Db::open(scratch.at("db")).value();
  const ash::Status status = db.put(std::string((size_t{1} << 20) + 1, 'k'), "v");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ash::Code::limit);
  EXPECT_NE(status.message().find("1048577"), std::string::npos);
  try {
    status.check();
    FAIL() << "check() returned";
  } catch (const ash::Exception& exception) {
    EXPECT_EQ(exception.code(), ash::Code::limit);
    EXPECT_EQ(std::string(exception.what()), "limit: " + status.message());
    EXPECT_EQ(exception.error().message, status.message());
  }
  ash::Status().check();
  EXPECT_EQ(ash::Status().to_string(), "ok");
}

TEST(CppError, ValueThrowsAndOthersLook) {
  const Scratch scratch;
  ash::Result<ash::Db> opened = ash::Db::open(scratch.at("absent"), ash::durable().create_if_missing(false));
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.code(), ash::Code::ok);
  EXPECT_EQ(opened.status().code(), opened.code());
  EXPECT_FALSE(opened.error().message.empty());
  EXPECT_THROW(opened.value(), ash::Exception);
  EXPECT_THROW(std::move(opened).value(), ash::Exception);
  const ash::Result<int> good = 5;
  EXPECT_EQ(good.value(), 5);
  EXPECT_EQ(good.error().code, ash::Code::ok);
  EXPECT_TRUE(good.status().ok());
}

TEST(CppError, BusyNamesTheHolder) {
  const Scratch scratch;
  ash::Db db = ash::Db::open(scratch.at("db")).value();
  const auto second = ash::Db::open(scratch.at("db"));
  EXPECT_EQ(second.code(), ash::Code::busy);
  EXPECT_NE(second.error().message.find(std::to_string(getpid())), std::string::npos)
      << second.error().message;
}

TEST(CppError, ABatchRemembersItsFirstFailureAndIsNotWritten) {
  const Scratch scratch;
  ash::Db db = ash::Db::open(scratch.at("db")).value();
  ash::WriteBatch batch;
  batch.put("a", "1").put(std::string((size_t{1} << 20) + 1, 'k'), "v").put("b", "2");
  EXPECT_EQ(batch.status().code(), ash::Code::limit);
  EXPECT_EQ(batch.count(), 2u);
  EXPECT_EQ(db.write(batch).code(), ash::Code::limit);
  EXPECT_FALSE(db.contains("a").value());
  batch.clear().put("a", "1");
  db.write(batch).check();
  EXPECT_TRUE(db.contains("a").value());
}

TEST(CppError, InsertManyTellsHowFarItCame) {
  const Scratch scratch;
  ash::Db db = ash::Db::open(scratch.at("db")).value();
  // Two batches fill up; the pair that cannot be is in the third.
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 2100; ++i)
    pairs.emplace_back("key" + std::to_string(10000 + i), std::string(1017, 'v'));
  pairs.emplace_back(std::string((size_t{1} << 20) + 1, 'k'), "v");
  size_t written = 77;
  EXPECT_EQ(db.insert_many(pairs, ash::WriteFlags::none, &written).code(), ash::Code::limit);
  EXPECT_EQ(written, 2048u);
  EXPECT_TRUE(db.contains(pairs[written - 1].first).value());
  EXPECT_FALSE(db.contains(pairs[written].first).value());
}

TEST(CppError, WithoutExceptionsTheTextIsPrintedAndTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Scratch scratch;
  EXPECT_EQ(no_exceptions::put_and_get(scratch.at("db")), "value");
  EXPECT_EXIT(no_exceptions::check_a_failure(), ::testing::KilledBySignal(SIGABRT), "ashlar: closed: ");
  EXPECT_EXIT(no_exceptions::loop_over_a_closed_database(), ::testing::KilledBySignal(SIGABRT),
              "ashlar: closed: ");
}

}  // namespace
}  // namespace ashlar_test
