// What the store decides itself: which segment takes the next commit, when a flush begins, what a sync covers. That data
// survives is the business of tests/.
#include "store/store.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/sim/world.h"

namespace ashlar::store {
namespace {

using io::sim::Survival;
using io::sim::World;

constexpr KeyspaceId kDefault{0};

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    options_.delta_bytes = uint64_t{1} << 20;
    options_.first_segment_bytes = uint64_t{64} << 10;
    options_.sync_interval_ms = 0;  // only what a test asks for becomes durable
    open();
  }

  void open() { store_ = Store::open(world_, "db", options_).value(); }
  void close() {
    ASSERT_TRUE(store_->close().ok());
    store_.reset();
  }
  void kill() {
    world_.kill_process();
    store_.reset();
  }
  void lose_power() {
    world_.power_cut(Survival::none);
    store_.reset();
  }
  void put(const std::string& key, size_t value_bytes = 1) {
    ASSERT_TRUE(store_->put(kDefault, key, std::string(value_bytes, 'v')).ok());
  }
  bool has(const std::string& key) {
    lsm::PinnedValue value;
    bool found = false;
    EXPECT_TRUE(store_->get(nullptr, kDefault, key, &value, &found).ok());
    return found;
  }
  std::string newest_segment() const {
    std::string newest;
    for (const std::string& file : world_.files()) {
      if (file.ends_with(".seg")) newest = std::max(newest, file);
    }
    return newest;
  }

  World world_{20261201};
  Options options_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, ASyncedBatchOfNothingCoversWhatCameBefore) {
  put("before");
  ASSERT_TRUE(store_->write(kv::Batch(), WriteMode::sync).ok());
  put("after");
  lose_power();
  open();
  EXPECT_TRUE(has("before"));
  EXPECT_FALSE(has("after"));
}

TEST_F(StoreTest, AnUnsyncedBatchOfNothingCoversNothing) {
  put("before");
  ASSERT_TRUE(store_->write(kv::Batch(), WriteMode::preset).ok());
  lose_power();
  open();
  EXPECT_FALSE(has("before"));
}

TEST_F(StoreTest, AClosedSegmentIsContinued) {
  put("a");
  for (int life = 0; life < 3; ++life) {
    close();
    open();
    EXPECT_TRUE(has("a"));
    EXPECT_EQ(store_->stats()->sealed_deltas, 0u) << life;
  }
  EXPECT_EQ(store_->stats()->run_files, 0u);
}

TEST_F(StoreTest, AfterAKillTheNextCommitGoesToAnotherSegment) {
  put("a");
  kill();
  open();
  EXPECT_TRUE(has("a"));
  // What was recovered is sealed: it waits for its flush, or is in a run by now.
  EXPECT_EQ(store_->stats()->sealed_deltas + store_->stats()->run_files, 1u);
  put("b");
  close();
  open();
  EXPECT_TRUE(has("a"));
  EXPECT_TRUE(has("b"));
}

TEST_F(StoreTest, ASegmentOfAnEarlierBootIsContinued) {
  put("a");
  ASSERT_TRUE(store_->sync().ok());
  lose_power();
  open();
  EXPECT_TRUE(has("a"));
  EXPECT_EQ(store_->stats()->sealed_deltas, 0u);
  EXPECT_EQ(store_->stats()->run_files, 0u);
}

TEST_F(StoreTest, SmallSegmentsOfAYoungDatabaseShareARun) {
  // Segments of 64, 64, 128 and 256 KiB are sealed, half of delta_bytes, by when the fifth is in use.
  for (int i = 0; i < 600; ++i) put("key " + std::to_string(i), 1000);
  ASSERT_TRUE(store_->wait_idle().ok());
  const Stats stats = store_->stats().value();
  EXPECT_GE(stats.flushes, 1u);
  EXPECT_LE(stats.flushes, 2u);
  EXPECT_EQ(stats.compactions, 0u);
  EXPECT_EQ(stats.run_entries, 600u);
  for (int i = 0; i < 600; ++i) EXPECT_TRUE(has("key " + std::to_string(i))) << i;
}

TEST_F(StoreTest, AFlushDoesNotWaitForMore) {
  put("a");
  ASSERT_TRUE(store_->flush().ok());
  EXPECT_EQ(store_->stats()->run_files, 1u);
  EXPECT_EQ(store_->stats()->sealed_deltas, 0u);
  lose_power();
  open();
  EXPECT_TRUE(has("a"));
}

TEST_F(StoreTest, ADatabaseWithoutItsPointerIsNotTakenForAnEmptyDirectory) {
  put("a");
  ASSERT_TRUE(store_->flush().ok());
  close();
  const std::vector<std::string> files = world_.files();
  const auto current = std::find_if(files.begin(), files.end(),
                                    [](const std::string& name) { return name.ends_with("CURRENT"); });
  ASSERT_NE(current, files.end());
  const std::string bytes = world_.read_file(*current).value();
  {
    const auto directory = world_.open_directory("db", io::CreateMode::must_exist).value();
    ASSERT_TRUE(directory->remove("CURRENT").ok());
  }
  EXPECT_EQ(Store::open(world_, "db", options_).status().code(), Code::corruption);
  world_.replace_file(*current, bytes);
  open();
  EXPECT_TRUE(has("a"));
}

TEST_F(StoreTest, OneHolderAtATime) {
  EXPECT_EQ(Store::open(world_, "db", options_).status().code(), Code::busy);
  put("a");
  EXPECT_TRUE(has("a"));
  Options strict = options_;
  strict.error_if_exists = true;
  close();
  EXPECT_EQ(Store::open(world_, "db", strict).status().code(), Code::invalid_argument);
  open();
  EXPECT_TRUE(has("a"));
}

}  // namespace
}  // namespace ashlar::store
