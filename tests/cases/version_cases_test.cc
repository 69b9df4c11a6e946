// Cases about versions: what overwrites and deletions mean for the present and for snapshots, through every stage.
#include <map>

#include "base/prng.h"
#include "cases/case_fixture.h"

namespace ashlar::cases {
namespace {

class VersionCases : public CaseTest {};

// rocksdb 2752, 2833, 2989, without range deletes: at every step one of flush, compaction, reopen, kill or nothing.
TEST_F(VersionCases, K1PutsAndDeletesThroughEveryStageEqualAMap) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    new_world(seed);
    open();
    Prng prng(seed);
    std::map<std::string, std::string> model;
    for (int step = 0; step < 120; ++step) {
      const std::string key = numbered("k", prng.below(12));
      if (prng.one_in(3)) {
        remove(key);
        model.erase(key);
      } else {
        const std::string value = std::to_string(step) + std::string(prng.below(2000), 'v');
        put(key, value);
        model[key] = value;
      }
      switch (prng.below(8)) {
        case 0:
          flush();
          break;
        case 1:
          compact();
          break;
        case 2:
          reopen();
          break;
        case 3:
          kill();
          open();
          break;
        default:
          break;
      }
      ASSERT_EQ(get(key).has_value(), model.count(key) == 1) << "seed " << seed << " step " << step;
      ASSERT_EQ(rows(), Rows(model.begin(), model.end())) << "seed " << seed << " step " << step;
    }
    close();
  }
}

// surrealkv 351.
TEST_F(VersionCases, K4ASnapshotReadsWhatWasDeletedAndCompactedToTheBottom) {
  open();
  put("key", "value");
  const auto before = snapshot();
  remove("key");
  for (int round = 0; round < 3; ++round) {
    compact();
    EXPECT_EQ(get("key", before.get()), "value");
    EXPECT_EQ(get("key"), std::nullopt);
    EXPECT_EQ(rows(before.get()).size(), 1u);
    EXPECT_EQ(rows().size(), 0u);
    put("other", std::to_string(round));
    remove("other");
  }
}

// The same where the deletion is older than a second snapshot, which must not see the key again.
TEST_F(VersionCases, K4TwoSnapshotsAroundADeletion) {
  open();
  put("key", "old");
  flush();
  const auto first = snapshot();
  remove("key");
  flush();
  const auto second = snapshot();
  put("key", "new");
  compact();
  EXPECT_EQ(get("key", first.get()), "old");
  EXPECT_EQ(get("key", second.get()), std::nullopt);
  EXPECT_EQ(get("key"), "new");
}

// leveldb 184, scaled: 2 x 40,000 keys instead of 2 x 600,000.
TEST_F(VersionCases, K5ADeletedAndCompactedRangeLeavesNoKeyAndNoBytes) {
  constexpr uint64_t kKeys = 40000;
  options_.delta_bytes = 256 << 10;
  open();
  for (uint64_t i = 0; i < kKeys; ++i) {
    put(numbered("a", i), std::string(20, 'x'));
    put(numbered("b", i), std::string(20, 'x'));
  }
  compact();
  const uint64_t full_bytes = stats().run_bytes;
  for (uint64_t i = 0; i < kKeys; ++i) remove(numbered("b", i));
  compact();
  EXPECT_EQ(count(), kKeys);
  const auto last = iterate();
  ASSERT_TRUE(last->last());
  EXPECT_EQ(last->key(), numbered("a", kKeys - 1));
  EXPECT_LT(stats().run_bytes, full_bytes * 6 / 10);
  EXPECT_EQ(stats().run_tombstones, 0u);
  EXPECT_EQ(stats().run_entries, kKeys);
}

// rocksdb 2969, 3562.
TEST_F(VersionCases, K13TheLastOperationOfABatchWins) {
  open();
  kv::Batch batch;
  ASSERT_TRUE(batch.put(kDefault, "twice", "first").ok());
  ASSERT_TRUE(batch.put(kDefault, "twice", "second").ok());
  ASSERT_TRUE(batch.put(kDefault, "back", "first").ok());
  ASSERT_TRUE(batch.remove(kDefault, "back").ok());
  ASSERT_TRUE(batch.put(kDefault, "back", "again").ok());
  ASSERT_TRUE(batch.put(kDefault, "gone", "first").ok());
  ASSERT_TRUE(batch.remove(kDefault, "gone").ok());
  ASSERT_TRUE(store_->write(batch).ok());
  const kv::Batch empty;
  ASSERT_TRUE(store_->write(empty).ok());
  const Rows expected = {{"back", "again"}, {"twice", "second"}};
  EXPECT_EQ(rows(), expected);
  flush();
  EXPECT_EQ(rows(), expected);
  kill();
  open();
  EXPECT_EQ(rows(), expected);
  ASSERT_TRUE(store_->write(batch).ok());
  kill();
  open();
  EXPECT_EQ(rows(), expected);
  compact();
  EXPECT_EQ(rows(), expected);
  EXPECT_EQ(stats().run_entries, 2u);
}

TEST_F(VersionCases, K13AnEmptyBatchChangesNothing) {
  open();
  put("key", "value");
  const uint64_t sequence = stats().last_sequence;
  const kv::Batch empty;
  ASSERT_TRUE(store_->write(empty).ok());
  ASSERT_TRUE(store_->write(empty, store::WriteMode::sync).ok());
  EXPECT_EQ(stats().last_sequence, sequence);
  kill();
  open();
  EXPECT_EQ(rows(), (Rows{{"key", "value"}}));
}

}  // namespace
}  // namespace ashlar::cases
