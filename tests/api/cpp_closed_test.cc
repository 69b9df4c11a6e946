// Handles that were closed or moved from: Code::closed everywhere, never a crash.
#include <ashlar/ashlar.hpp>
#include <map>

#include "scratch.h"

namespace ashlar_test {
namespace {

namespace ash = ashlar;

const std::map<std::string, std::string> kPairs = {{"a", "1"}};

void expect_closed(ash::Reader& reader) {
  EXPECT_EQ(reader.get("k").code(), ash::Code::closed);
  EXPECT_EQ(reader.contains("k").code(), ash::Code::closed);
  EXPECT_EQ(reader.iterator().code(), ash::Code::closed);
  auto scan = reader.scan();
  for (auto [key, value] : scan) ADD_FAILURE() << key << value;
  EXPECT_EQ(scan.status().code(), ash::Code::closed);
}

void expect_closed(ash::Writer& writer) {
  expect_closed(static_cast<ash::Reader&>(writer));
  EXPECT_EQ(writer.put("k", "v").code(), ash::Code::closed);
  EXPECT_EQ(writer.insert("k", "v").code(), ash::Code::closed);
  EXPECT_EQ(writer.remove("k").code(), ash::Code::closed);
  size_t written = 9;
  EXPECT_EQ(writer.insert_many(kPairs, ash::WriteFlags::none, &written).code(), ash::Code::closed);
  EXPECT_EQ(written, 0u);
}

void expect_closed(ash::Db& db) {
  expect_closed(static_cast<ash::Writer&>(db));
  EXPECT_FALSE(db.is_open());
  EXPECT_EQ(db.write(ash::WriteBatch()).code(), ash::Code::closed);
  EXPECT_EQ(db.snapshot().status().code(), ash::Code::closed);
  EXPECT_EQ(db.snapshot().get("k").code(), ash::Code::closed);
  EXPECT_EQ(db.snapshot().sequence(), 0u);
  EXPECT_EQ(db.keyspace("x").code(), ash::Code::closed);
  EXPECT_EQ(db.find_keyspace("x").code(), ash::Code::closed);
  EXPECT_EQ(db.keyspaces().code(), ash::Code::closed);
  EXPECT_EQ(db.drop(ash::Keyspace()).code(), ash::Code::closed);
  EXPECT_EQ(db.sync().code(), ash::Code::closed);
  EXPECT_EQ(db.flush().code(), ash::Code::closed);
  EXPECT_EQ(db.compact().code(), ash::Code::closed);
  EXPECT_EQ(db.wait_idle().code(), ash::Code::closed);
  EXPECT_EQ(db.verify().code(), ash::Code::closed);
  EXPECT_EQ(db.stats().code(), ash::Code::closed);
  EXPECT_NE(db.background_error(), "");
  EXPECT_EQ(db.close().code(), ash::Code::closed);
}

class CppClosed : public ::testing::Test {
 protected:
  Scratch scratch_;
  ash::Db db_ = ash::Db::open(scratch_.at("db")).value();
};

TEST_F(CppClosed, ADefaultMadeDbIsClosed) {
  ash::Db db;
  expect_closed(db);
}

TEST_F(CppClosed, AClosedDbIsClosed) {
  db_.close().check();
  expect_closed(db_);
}

TEST_F(CppClosed, AMovedFromDbIsClosedAndTheOtherIsNot) {
  db_.put("k", "v").check();
  ash::Db other = std::move(db_);
  expect_closed(db_);  // NOLINT: that is the point
  EXPECT_EQ(*other.get("k").value(), "v");
  db_ = std::move(other);
  expect_closed(other);  // NOLINT
  EXPECT_EQ(*db_.get("k").value(), "v");
}

TEST_F(CppClosed, AssigningClosesWhatWasThere) {
  ash::Db other = ash::Db::open(scratch_.at("other")).value();
  other = std::move(db_);
  EXPECT_TRUE(ash::Db::open(scratch_.at("other")).ok());
  EXPECT_EQ(ash::Db::open(scratch_.at("db")).code(), ash::Code::busy);
  ash::Db& same = other;
  other = std::move(same);
  EXPECT_TRUE(other.is_open());
}

TEST_F(CppClosed, TheDestructorClosesEvenWhereHandlesAreLeft) {
  ash::Keyspace keyspace = db_.keyspace("side").value();
  ash::Snapshot snapshot = db_.snapshot();
  ash::Scan scan = db_.scan();
  { const ash::Db dying = std::move(db_); }
  expect_closed(keyspace);
  expect_closed(snapshot);
  for (auto [key, value] : scan) ADD_FAILURE() << key << value;
  EXPECT_EQ(scan.status().code(), ash::Code::closed);
  snapshot.release();
  expect_closed(snapshot);
  EXPECT_TRUE(ash::Db::open(scratch_.at("db")).ok());
}

TEST_F(CppClosed, KeyspacesAndSnapshotsFindOut) {
  ash::Keyspace keyspace = db_.keyspace("side").value();
  ash::Snapshot snapshot = db_.snapshot();
  ash::Reader at = snapshot.keyspace(keyspace);
  db_.close().check();
  expect_closed(keyspace);
  expect_closed(snapshot);
  expect_closed(at);
}

TEST_F(CppClosed, IteratorsAndValuesGoOn) {
  db_.put("a", "1").check();
  db_.put("b", "2").check();
  ash::Iterator it = db_.iterator().value();
  ASSERT_TRUE(it.first());
  const auto value = db_.get("a").value();
  db_.close().check();
  EXPECT_EQ(ash::Db::open(scratch_.at("db")).code(), ash::Code::busy);
  EXPECT_EQ(*value, "1");
  EXPECT_TRUE(it.next());
  EXPECT_EQ(it.key(), "b");
  EXPECT_EQ(it.value(), "2");
  EXPECT_FALSE(it.next());
  it.status().check();
}

TEST_F(CppClosed, ALoopGoesOnOverAClosedDatabase) {
  db_.put("a", "1").check();
  db_.put("b", "2").check();
  std::string seen;
  for (auto [key, value] : db_.scan()) {
    if (seen.empty()) db_.close().check();
    seen += std::string(key) + std::string(value);
  }
  EXPECT_EQ(seen, "a1b2");
}

TEST_F(CppClosed, MovedFromSmallThings) {
  db_.put("a", "1").check();
  ash::Iterator it = db_.iterator().value();
  const ash::Iterator other = std::move(it);
  EXPECT_FALSE(it.first() || it.last() || it.next() || it.previous() || it.seek("a") ||
               it.valid());  // NOLINT
  EXPECT_FALSE(it.seek_for_previous("a"));
  EXPECT_EQ(it.key(), "");
  EXPECT_EQ(it.value(), "");
  EXPECT_EQ(it.status().code(), ash::Code::closed);
  ash::Value value = std::move(*db_.get("a").value());
  const ash::Value taken = std::move(value);
  EXPECT_EQ(value.size(), 0u);  // NOLINT
  EXPECT_NE(value.data(), nullptr);
  EXPECT_EQ(taken, "1");
}

TEST_F(CppClosed, HandlesOfAnotherDatabaseAreRefused) {
  ash::Db other = ash::Db::open(scratch_.at("other")).value();
  const ash::Keyspace foreign = other.keyspace("side").value();
  EXPECT_EQ(db_.drop(foreign).code(), ash::Code::invalid_argument);
  EXPECT_EQ(db_.snapshot().keyspace(foreign).get("k").code(), ash::Code::invalid_argument);
  EXPECT_TRUE(other.find_keyspace("side").value().has_value());
}

}  // namespace
}  // namespace ashlar_test
