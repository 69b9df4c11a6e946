// Wrong calls: each is refused with a code and a text, and changes nothing.
#include <unistd.h>

#include <thread>
#include <vector>

#include "scratch.h"

namespace ashlar_test {
namespace {

class Arguments : public ::testing::Test {
 protected:
  void SetUp() override { db_ = open_db(scratch_.at("db")); }
  void TearDown() override { EXPECT_EQ(ashlar_close(db_), ASHLAR_OK); }

  Scratch scratch_;
  ashlar_db* db_ = nullptr;
};

TEST_F(Arguments, ANullHandleIsRefusedByEveryCall) {
  ashlar_value value;
  ashlar_snapshot* snapshot = nullptr;
  ashlar_iterator* iterator = nullptr;
  ashlar_keyspace keyspace = 0;
  ashlar_stats stats = {};
  stats.struct_size = sizeof stats;
  const auto each = [](void*, ashlar_keyspace, const char*, size_t) {};
  ashlar_batch* batch = ashlar_batch_create();
  const ashlar_code codes[] = {
      ashlar_put(nullptr, 0, "k", 1, "v", 1, 0),
      ashlar_remove(nullptr, 0, "k", 1, 0),
      ashlar_write(nullptr, batch, 0),
      ashlar_insert_many(nullptr, 0, nullptr, nullptr, 0, 0, nullptr),
      ashlar_get(nullptr, nullptr, 0, "k", 1, &value),
      ashlar_contains(nullptr, nullptr, 0, "k", 1),
      ashlar_snapshot_create(nullptr, &snapshot),
      ashlar_iterator_create(nullptr, nullptr, 0, nullptr, &iterator),
      ashlar_keyspace_create(nullptr, "x", 1, &keyspace),
      ashlar_keyspace_find(nullptr, "x", 1, &keyspace),
      ashlar_keyspace_drop(nullptr, 1),
      ashlar_keyspace_list(nullptr, each, nullptr),
      ashlar_sync(nullptr),
      ashlar_flush(nullptr),
      ashlar_compact(nullptr),
      ashlar_wait_idle(nullptr),
      ashlar_verify(nullptr),
      ashlar_get_stats(nullptr, &stats),
  };
  for (const ashlar_code code : codes) EXPECT_EQ(code, ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(value.data, nullptr);
  EXPECT_EQ(snapshot, nullptr);
  EXPECT_EQ(iterator, nullptr);
  EXPECT_TRUE(fails_with(ashlar_sync(nullptr), ASHLAR_INVALID_ARGUMENT, "database handle is NULL"));
  ashlar_batch_destroy(batch);
}

TEST_F(Arguments, NullHandlesWithoutACodeAreHarmless) {
  ashlar_options_init(nullptr, ASHLAR_PRESET_FAST);
  ashlar_value_release(nullptr);
  ashlar_snapshot_release(nullptr);
  ashlar_iterator_destroy(nullptr);
  ashlar_batch_destroy(nullptr);
  ashlar_batch_clear(nullptr);
  EXPECT_EQ(ashlar_batch_count(nullptr), 0u);
  EXPECT_EQ(ashlar_snapshot_sequence(nullptr), 0u);
  EXPECT_EQ(ashlar_iterator_first(nullptr), 0);
  EXPECT_EQ(ashlar_iterator_seek(nullptr, "a", 1), 0);
  EXPECT_EQ(ashlar_iterator_next(nullptr), 0);
  EXPECT_EQ(ashlar_iterator_valid(nullptr), 0);
  EXPECT_NE(ashlar_iterator_key(nullptr).data, nullptr);
  EXPECT_TRUE(fails_with(ashlar_iterator_status(nullptr), ASHLAR_INVALID_ARGUMENT, "iterator is NULL"));
  char text[4] = "abc";
  ashlar_background_error(nullptr, text, sizeof text);
  EXPECT_STREQ(text, "");
  ashlar_background_error(db_, nullptr, 10);
  ashlar_background_error(db_, text, 0);
}

TEST_F(Arguments, PlacesForResultsMustBeThere) {
  EXPECT_EQ(ashlar_open("x", nullptr, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_get(db_, nullptr, 0, "k", 1, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_snapshot_create(db_, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_iterator_create(db_, nullptr, 0, nullptr, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_keyspace_create(db_, "x", 1, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_keyspace_find(db_, "x", 1, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_keyspace_list(db_, nullptr, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_get_stats(db_, nullptr), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_write(db_, nullptr, 0), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_batch_put(nullptr, 0, "k", 1, "v", 1), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_batch_remove(nullptr, 0, "k", 1), ASHLAR_INVALID_ARGUMENT);
}

TEST_F(Arguments, ANullKeyIsTheEmptyKeyOnlyWithSizeZero) {
  EXPECT_TRUE(fails_with(ashlar_put(db_, 0, nullptr, 3, "v", 1, 0), ASHLAR_INVALID_ARGUMENT, "key is NULL"));
  EXPECT_TRUE(
      fails_with(ashlar_put(db_, 0, "k", 1, nullptr, 3, 0), ASHLAR_INVALID_ARGUMENT, "value is NULL"));
  EXPECT_EQ(ashlar_remove(db_, 0, nullptr, 3, 0), ASHLAR_INVALID_ARGUMENT);
  ashlar_value value;
  EXPECT_EQ(ashlar_get(db_, nullptr, 0, nullptr, 3, &value), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_contains(db_, nullptr, 0, nullptr, 3), ASHLAR_INVALID_ARGUMENT);

  ASSERT_EQ(ashlar_put(db_, 0, nullptr, 0, nullptr, 0, 0), ASHLAR_OK) << ashlar_last_error();
  ASSERT_EQ(ashlar_get(db_, nullptr, 0, nullptr, 0, &value), ASHLAR_OK);
  EXPECT_NE(value.data, nullptr);
  EXPECT_EQ(value.size, 0u);
  ashlar_value_release(&value);
  ASSERT_EQ(ashlar_remove(db_, 0, nullptr, 0, 0), ASHLAR_OK);
  EXPECT_EQ(ashlar_contains(db_, nullptr, 0, "", 0), ASHLAR_NOT_FOUND);
}

TEST_F(Arguments, UnknownFlagsAreRefused) {
  EXPECT_TRUE(fails_with(put(db_, "k", "v", 2), ASHLAR_INVALID_ARGUMENT, "flags"));
  EXPECT_EQ(ashlar_remove(db_, 0, "k", 1, 0x80000000u), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(get(db_, "k"), "not_found");
}

TEST_F(Arguments, LimitsAreCheckedBeforeAByteIsRead) {
  const std::string longest(size_t{1} << 20, 'k');
  const std::string too_long = longest + "k";
  EXPECT_EQ(put(db_, longest, "v"), ASHLAR_OK) << ashlar_last_error();
  EXPECT_EQ(get(db_, longest), "v");
  EXPECT_TRUE(fails_with(put(db_, too_long, "v"), ASHLAR_LIMIT, "1048577"));
  EXPECT_EQ(ashlar_contains(db_, nullptr, 0, too_long.data(), too_long.size()), ASHLAR_LIMIT);
  EXPECT_EQ(ashlar_remove(db_, 0, too_long.data(), too_long.size(), 0), ASHLAR_LIMIT);
  // One byte is there, a GiB and one is claimed.
  EXPECT_TRUE(
      fails_with(ashlar_put(db_, 0, "k", 1, "v", (size_t{1} << 30) + 1, 0), ASHLAR_LIMIT, "1073741825"));
  EXPECT_EQ(ashlar_put(db_, 0, "k", 1, "v", SIZE_MAX, 0), ASHLAR_LIMIT);

  ashlar_batch* batch = ashlar_batch_create();
  EXPECT_EQ(ashlar_batch_put(batch, 0, "k", 1, "v", (size_t{1} << 30) + 1), ASHLAR_LIMIT);
  EXPECT_EQ(ashlar_batch_remove(batch, 0, too_long.data(), too_long.size()), ASHLAR_LIMIT);
  EXPECT_EQ(ashlar_batch_count(batch), 0u);
  ashlar_batch_destroy(batch);
}

TEST_F(Arguments, InsertManyWritesNothingWhereAPairIsWrong) {
  const ashlar_bytes keys[] = {{"a", 1}, {nullptr, 5}};
  const ashlar_bytes values[] = {{"1", 1}, {"2", 1}};
  size_t written = 99;
  EXPECT_TRUE(fails_with(ashlar_insert_many(db_, 0, keys, values, 2, 0, &written), ASHLAR_INVALID_ARGUMENT,
                         "keys[1]"));
  EXPECT_EQ(written, 0u);
  EXPECT_EQ(get(db_, "a"), "not_found");
  const ashlar_bytes huge[] = {{"1", 1}, {"2", size_t{1} << 40}};
  const ashlar_bytes good[] = {{"a", 1}, {"b", 1}};
  EXPECT_TRUE(fails_with(ashlar_insert_many(db_, 0, good, huge, 2, 0, &written), ASHLAR_LIMIT, "pair 1"));
  EXPECT_EQ(ashlar_insert_many(db_, 0, nullptr, values, 2, 0, &written), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_insert_many(db_, 0, nullptr, nullptr, 0, 0, &written), ASHLAR_OK);
  EXPECT_EQ(get(db_, "a"), "not_found");
}

TEST_F(Arguments, InsertManySpansManyBatches) {
  constexpr size_t kCount = 5000;
  const std::string value(1000, 'x');
  std::vector<std::string> texts;
  std::vector<ashlar_bytes> keys;
  std::vector<ashlar_bytes> values(kCount, ashlar_bytes{value.data(), value.size()});
  for (size_t i = 0; i < kCount; ++i) texts.push_back("key" + std::to_string(i));
  for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
  size_t written = 0;
  ASSERT_EQ(ashlar_insert_many(db_, 0, keys.data(), values.data(), kCount, 0, &written), ASHLAR_OK);
  EXPECT_EQ(written, kCount);
  for (const std::string& text : texts) ASSERT_EQ(get(db_, text), value) << text;
}

TEST_F(Arguments, ASnapshotOfAnotherDatabaseIsRefused) {
  ashlar_db* other = open_db(scratch_.at("other"));
  ashlar_snapshot* snapshot = nullptr;
  ASSERT_EQ(ashlar_snapshot_create(other, &snapshot), ASHLAR_OK);
  ashlar_value value;
  ashlar_iterator* iterator = nullptr;
  EXPECT_TRUE(
      fails_with(ashlar_get(db_, snapshot, 0, "k", 1, &value), ASHLAR_INVALID_ARGUMENT, "another database"));
  EXPECT_EQ(ashlar_contains(db_, snapshot, 0, "k", 1), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_iterator_create(db_, snapshot, 0, nullptr, &iterator), ASHLAR_INVALID_ARGUMENT);
  ashlar_snapshot_release(snapshot);
  EXPECT_EQ(ashlar_close(other), ASHLAR_OK);
}

TEST_F(Arguments, UnknownKeyspacesAreRefused) {
  ashlar_value value;
  ashlar_iterator* iterator = nullptr;
  EXPECT_EQ(ashlar_put(db_, 77, "k", 1, "v", 1, 0), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_get(db_, nullptr, 77, "k", 1, &value), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_iterator_create(db_, nullptr, 77, nullptr, &iterator), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_keyspace_drop(db_, 77), ASHLAR_INVALID_ARGUMENT);
  EXPECT_TRUE(fails_with(ashlar_keyspace_drop(db_, 0), ASHLAR_INVALID_ARGUMENT, "default"));
}

TEST_F(Arguments, KeyspaceNamesHaveOneTo255Bytes) {
  ashlar_keyspace keyspace = 0;
  const std::string longest(255, 'n');
  EXPECT_EQ(ashlar_keyspace_create(db_, "", 0, &keyspace), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(ashlar_keyspace_create(db_, nullptr, 3, &keyspace), ASHLAR_INVALID_ARGUMENT);
  EXPECT_TRUE(fails_with(ashlar_keyspace_create(db_, (longest + "n").data(), 256, &keyspace),
                         ASHLAR_INVALID_ARGUMENT, "256"));
  EXPECT_EQ(ashlar_keyspace_create(db_, longest.data(), longest.size(), &keyspace), ASHLAR_OK);
}

TEST_F(Arguments, PathsAreChecked) {
  auto* db = reinterpret_cast<ashlar_db*>(1);
  EXPECT_TRUE(fails_with(ashlar_open(nullptr, nullptr, &db), ASHLAR_INVALID_ARGUMENT, "path is NULL"));
  EXPECT_EQ(db, nullptr);
  EXPECT_TRUE(fails_with(ashlar_open("", nullptr, &db), ASHLAR_INVALID_ARGUMENT, "path is empty"));
}

TEST_F(Arguments, OpeningTwiceNamesTheHolder) {
  ashlar_db* second = nullptr;
  EXPECT_TRUE(fails_with(ashlar_open(scratch_.at("db").c_str(), nullptr, &second), ASHLAR_BUSY,
                         std::to_string(getpid())));
  EXPECT_EQ(second, nullptr);
}

TEST_F(Arguments, CreationIsAsAsked) {
  ashlar_options options;
  ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
  options.create_if_missing = 0;
  ashlar_db* db = nullptr;
  EXPECT_NE(ashlar_open(scratch_.at("absent").c_str(), &options, &db), ASHLAR_OK);
  EXPECT_FALSE(std::filesystem::exists(scratch_.at("absent")));
  EXPECT_EQ(ashlar_close(open_db(scratch_.at("there"))), ASHLAR_OK);
  ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
  options.error_if_exists = 1;
  EXPECT_EQ(ashlar_open(scratch_.at("there").c_str(), &options, &db), ASHLAR_INVALID_ARGUMENT);
}

TEST_F(Arguments, TheTextOfAFailureBelongsToItsThread) {
  EXPECT_EQ(put(db_, "k", "v", 2), ASHLAR_INVALID_ARGUMENT);
  const std::string here = ashlar_last_error();
  std::string fresh = "?";
  std::string there;
  std::thread([&] {
    fresh = ashlar_last_error();
    EXPECT_EQ(ashlar_sync(nullptr), ASHLAR_INVALID_ARGUMENT);
    there = ashlar_last_error();
  }).join();
  EXPECT_EQ(fresh, "");
  EXPECT_EQ(there, "the database handle is NULL");
  EXPECT_EQ(ashlar_last_error(), here);
}

TEST_F(Arguments, SuccessAndAbsenceLeaveTheTextAlone) {
  EXPECT_EQ(put(db_, "k", "v", 2), ASHLAR_INVALID_ARGUMENT);
  const std::string before = ashlar_last_error();
  EXPECT_EQ(put(db_, "k", "v"), ASHLAR_OK);
  EXPECT_EQ(get(db_, "absent"), "not_found");
  EXPECT_EQ(ashlar_last_error(), before);
}

TEST_F(Arguments, AnEndlessTextIsCut) {
  const std::string path = "/" + std::string(3000, 'p');
  ashlar_db* db = nullptr;
  EXPECT_NE(ashlar_open(path.c_str(), nullptr, &db), ASHLAR_OK);
  const std::string text = ashlar_last_error();
  EXPECT_EQ(text.size(), 2047u);
  EXPECT_EQ(text.substr(text.size() - 3), "...");
}

}  // namespace
}  // namespace ashlar_test
