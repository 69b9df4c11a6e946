// What outlives what: values, snapshots and iterators over overwriting, flushing, compacting and closing.
#include <cstring>
#include <thread>

#include "scratch.h"

namespace ashlar_test {
namespace {

TEST(Lifetime, AValueStaysAsItWasWhateverHappens) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "k", "first value"), ASHLAR_OK);
  ashlar_value in_memory;
  ASSERT_EQ(ashlar_get(db, nullptr, 0, "k", 1, &in_memory), ASHLAR_OK);
  ASSERT_EQ(ashlar_flush(db), ASHLAR_OK);
  ashlar_value in_run;
  ASSERT_EQ(ashlar_get(db, nullptr, 0, "k", 1, &in_run), ASHLAR_OK);
  ASSERT_EQ(put(db, "k", "second"), ASHLAR_OK);
  ASSERT_EQ(ashlar_compact(db), ASHLAR_OK);
  EXPECT_EQ(view(in_memory), "first value");
  EXPECT_EQ(view(in_run), "first value");
  // A value is moved by copying its bytes.
  ashlar_value moved;
  std::memcpy(&moved, &in_run, sizeof moved);
  std::thread([&] { ashlar_value_release(&moved); }).join();
  EXPECT_EQ(moved.data, nullptr);
  ashlar_value_release(&moved);
  ashlar_value_release(&in_memory);
  EXPECT_EQ(get(db, "k"), "second");
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Lifetime, ASnapshotShowsTheSameForItsWholeLife) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "k", "old"), ASHLAR_OK);
  ASSERT_EQ(put(db, "gone", "still here"), ASHLAR_OK);
  ashlar_snapshot* snapshot = nullptr;
  ASSERT_EQ(ashlar_snapshot_create(db, &snapshot), ASHLAR_OK);
  EXPECT_EQ(ashlar_snapshot_sequence(snapshot), 2u);
  ASSERT_EQ(put(db, "k", "new"), ASHLAR_OK);
  ASSERT_EQ(put(db, "later", "x"), ASHLAR_OK);
  ASSERT_EQ(ashlar_remove(db, 0, "gone", 4, 0), ASHLAR_OK);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(get(db, "k", snapshot), "old");
    EXPECT_EQ(get(db, "gone", snapshot), "still here");
    EXPECT_EQ(get(db, "later", snapshot), "not_found");
    EXPECT_EQ(get(db, "k"), "new");
    EXPECT_EQ(get(db, "gone"), "not_found");
    ASSERT_EQ(ashlar_compact(db), ASHLAR_OK);
  }
  ashlar_snapshot_release(snapshot);
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Lifetime, IteratorsSurviveClosingAndKeepTheLock) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(put(db, "k" + std::to_string(1000 + i), "v"), ASHLAR_OK);
  ASSERT_EQ(ashlar_flush(db), ASHLAR_OK);
  for (int i = 1000; i < 2000; ++i) ASSERT_EQ(put(db, "k" + std::to_string(1000 + i), "v"), ASHLAR_OK);
  ashlar_iterator* it = nullptr;
  ASSERT_EQ(ashlar_iterator_create(db, nullptr, 0, nullptr, &it), ASHLAR_OK);
  ASSERT_EQ(ashlar_iterator_first(it), 1);
  ASSERT_EQ(ashlar_close(db), ASHLAR_OK);

  ashlar_db* again = nullptr;
  EXPECT_EQ(ashlar_open(scratch.at("db").c_str(), nullptr, &again), ASHLAR_BUSY);
  int count = 1;
  while (ashlar_iterator_next(it)) ++count;
  EXPECT_EQ(count, 2000);
  EXPECT_EQ(ashlar_iterator_status(it), ASHLAR_OK) << ashlar_last_error();
  ashlar_iterator_destroy(it);

  again = open_db(scratch.at("db"));
  EXPECT_EQ(get(again, "k1000"), "v");
  EXPECT_EQ(ashlar_close(again), ASHLAR_OK);
}

TEST(Lifetime, SnapshotsMayBeReleasedAfterClosing) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "k", "v"), ASHLAR_OK);
  ashlar_snapshot* snapshot = nullptr;
  ASSERT_EQ(ashlar_snapshot_create(db, &snapshot), ASHLAR_OK);
  ASSERT_EQ(ashlar_close(db), ASHLAR_OK);
  EXPECT_EQ(ashlar_snapshot_sequence(snapshot), 1u);
  ashlar_snapshot_release(snapshot);
  db = open_db(scratch.at("db"));
  EXPECT_EQ(get(db, "k"), "v");
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Lifetime, ValuesOutliveClosing) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "in run", "value in a run"), ASHLAR_OK);
  ASSERT_EQ(ashlar_flush(db), ASHLAR_OK);
  ASSERT_EQ(put(db, "in memory", "value in memory"), ASHLAR_OK);
  ashlar_value in_run;
  ashlar_value in_memory;
  ASSERT_EQ(ashlar_get(db, nullptr, 0, "in run", 6, &in_run), ASHLAR_OK);
  ASSERT_EQ(ashlar_get(db, nullptr, 0, "in memory", 9, &in_memory), ASHLAR_OK);
  ASSERT_EQ(ashlar_close(db), ASHLAR_OK);
  EXPECT_EQ(view(in_run), "value in a run");
  EXPECT_EQ(view(in_memory), "value in memory");
  ashlar_value_release(&in_run);
  ashlar_value_release(&in_memory);
  db = open_db(scratch.at("db"));
  EXPECT_EQ(get(db, "in memory"), "value in memory");
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Lifetime, DroppedKeyspacesStayInOldSnapshotsAndIterators) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ashlar_keyspace side = 0;
  ASSERT_EQ(ashlar_keyspace_create(db, "side", 4, &side), ASHLAR_OK);
  ASSERT_EQ(ashlar_put(db, side, "k", 1, "v", 1, 0), ASHLAR_OK);
  ashlar_snapshot* snapshot = nullptr;
  ashlar_iterator* it = nullptr;
  ASSERT_EQ(ashlar_snapshot_create(db, &snapshot), ASHLAR_OK);
  ASSERT_EQ(ashlar_iterator_create(db, nullptr, side, nullptr, &it), ASHLAR_OK);
  ASSERT_EQ(ashlar_keyspace_drop(db, side), ASHLAR_OK);
  ASSERT_EQ(ashlar_compact(db), ASHLAR_OK);
  EXPECT_EQ(get(db, "k", snapshot, side), "v");
  EXPECT_EQ(ashlar_iterator_first(it), 1);
  EXPECT_EQ(ashlar_put(db, side, "k", 1, "v", 1, 0), ASHLAR_INVALID_ARGUMENT);
  ashlar_iterator_destroy(it);
  ashlar_snapshot_release(snapshot);
  ashlar_keyspace again = 0;
  ASSERT_EQ(ashlar_keyspace_create(db, "side", 4, &again), ASHLAR_OK);
  EXPECT_NE(again, side);
  EXPECT_EQ(get(db, "k", nullptr, again), "not_found");
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Lifetime, ManyMayHaveDatabasesOpenAtOnce) {
  const Scratch scratch;
  std::vector<ashlar_db*> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(open_db(scratch.at(std::to_string(i).c_str())));
    ASSERT_EQ(put(all.back(), "k", std::to_string(i)), ASHLAR_OK);
  }
  for (int i = 0; i < 8; ++i) EXPECT_EQ(get(all[static_cast<size_t>(i)], "k"), std::to_string(i));
  for (ashlar_db* db : all) EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

}  // namespace
}  // namespace ashlar_test
