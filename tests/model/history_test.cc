#include "model/history.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ashlar::model {
namespace {

KeySet small_keys() {
  Prng prng(7);
  return KeySet(prng, 30);
}

TEST(KeySet, IsSortedUniqueAndFindsItsKeys) {
  const KeySet keys = small_keys();
  ASSERT_GT(keys.size(), 10u);
  EXPECT_EQ(keys.key(0), "");
  for (Rank rank = 0; rank < keys.size(); ++rank) {
    EXPECT_EQ(keys.find(keys.key(rank)), rank);
    if (rank > 0) {
      EXPECT_LT(keys.key(rank - 1), keys.key(rank));
    }
  }
  EXPECT_EQ(keys.find("no such key of ours"), keys.size());
}

TEST(Values, DifferByTag) {
  std::map<std::string, uint32_t> seen;
  for (uint32_t tag = 0; tag < 20000; ++tag) {
    EXPECT_TRUE(seen.emplace(value_bytes(tag, 16), tag).second) << tag;
  }
  EXPECT_EQ(value_bytes(5, 0).size(), 0u);
  EXPECT_EQ(value_bytes(1u << 30, kMaxValueBytes).size(), kMaxValueBytes);
}

TEST(History, AnswersForEveryCommit) {
  const KeySet keys = small_keys();
  History history(keys);
  const Slot slot = history.add_slot();
  history.stage_put(slot, 3, 10, 20);
  const Commit first = history.accept();
  history.stage_remove(slot, 3);
  history.stage_put(slot, 4, 11, 20);
  const Commit second = history.accept();
  history.stage_put(slot, 3, 12, 20);
  history.reject();

  EXPECT_EQ(history.get(slot, 3, 0), nullptr);
  ASSERT_NE(history.get(slot, 3, first), nullptr);
  EXPECT_EQ(history.get(slot, 3, first)->tag, 10u);
  EXPECT_EQ(history.get(slot, 3, second), nullptr);
  EXPECT_EQ(history.next_present(slot, 0, second), 4u);
  EXPECT_EQ(history.next_present(slot, 5, second), keys.size());
  EXPECT_EQ(history.previous_present(slot, keys.size() - 1, first), 3u);
  EXPECT_EQ(history.previous_present(slot, 2, first), keys.size());
}

TEST(History, TheLastMutationOfACommitWins) {
  const KeySet keys = small_keys();
  History history(keys);
  const Slot slot = history.add_slot();
  history.stage_put(slot, 1, 1, 20);
  history.stage_remove(slot, 1);
  history.stage_put(slot, 1, 2, 20);
  const Commit commit = history.accept();
  ASSERT_NE(history.get(slot, 1, commit), nullptr);
  EXPECT_EQ(history.get(slot, 1, commit)->tag, 2u);
}

TEST(History, DoubtsShowAsToldUntilTheyAreDecided) {
  const KeySet keys = small_keys();
  History history(keys);
  const Slot slot = history.add_slot();
  history.stage_put(slot, 1, 1, 20);
  history.accept();
  history.stage_put(slot, 1, 2, 20);
  history.doubt(false);
  history.stage_put(slot, 2, 3, 20);
  const Commit last = history.accept();
  EXPECT_EQ(history.get(slot, 1, last)->tag, 1u);
  history.truncate(last, 1);
  EXPECT_EQ(history.get(slot, 1, last)->tag, 2u);
  EXPECT_TRUE(history.doubts().empty());
}

TEST(History, TruncateForgetsWhatNeverHappened) {
  const KeySet keys = small_keys();
  History history(keys);
  const Slot slot = history.add_slot();
  history.stage_put(slot, 1, 1, 20);
  const Commit first = history.accept();
  history.stage_put(slot, 1, 2, 20);
  history.accept();
  history.truncate(first, 0);
  EXPECT_EQ(history.last(), first);
  history.stage_put(slot, 2, 3, 20);
  const Commit third = history.accept();
  EXPECT_GT(third, first + 1);
  EXPECT_EQ(history.get(slot, 1, third)->tag, 1u);
}

TEST(History, PruneKeepsEveryViewFromTheFloorOn) {
  const KeySet keys = small_keys();
  History history(keys);
  const Slot slot = history.add_slot();
  Prng prng(3);
  std::vector<std::vector<int64_t>> expected(101, std::vector<int64_t>(keys.size(), -1));
  for (Commit commit = 1; commit <= 100; ++commit) {
    expected[commit] = expected[commit - 1];
    const auto rank = static_cast<Rank>(prng.below(keys.size()));
    if (prng.one_in(3)) {
      history.stage_remove(slot, rank);
      expected[commit][rank] = -1;
    } else {
      history.stage_put(slot, rank, commit, 30);
      expected[commit][rank] = commit;
    }
    ASSERT_EQ(history.accept(), commit);
  }
  for (const Commit floor : {0u, 40u, 90u, 100u}) {
    history.prune(floor);
    for (Commit commit = floor; commit <= 100; ++commit) {
      for (Rank rank = 0; rank < keys.size(); ++rank) {
        const Version* version = history.get(slot, rank, commit);
        ASSERT_EQ(version == nullptr ? -1 : int64_t{version->tag}, expected[commit][rank]);
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::model
