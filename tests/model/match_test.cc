// The checker of promise 1 must be able to fail: each test of the second half hands it a broken state.
#include "model/match.h"

#include <gtest/gtest.h>

namespace ashlar::model {
namespace {

// Ten commits over four keys; commit c puts key c % 4, commits 5 and 9 are batches that also remove key 3.
class MatcherTest : public testing::Test {
 protected:
  MatcherTest() : keys_(make_keys()), history_(keys_), slot_(history_.add_slot()) {
    for (Commit commit = 1; commit <= 10; ++commit) {
      history_.stage_put(slot_, commit % 4, commit, 24);
      if (commit == 5 || commit == 9) history_.stage_remove(slot_, 3);
      history_.accept();
    }
  }

  static KeySet make_keys() {
    Prng prng(1);
    return KeySet(prng, 12);
  }

  // The state after `commit`, with `tamper` applied to the tag of each key (0 = absent).
  template <typename Tamper>
  std::optional<Matcher::State> match(Commit commit, Commit low, Commit high, const Tamper& tamper) {
    Matcher matcher(history_, low, high);
    for (Rank rank = 0; rank < keys_.size(); ++rank) {
      const Version* version = history_.get(slot_, rank, commit);
      const uint32_t tag = tamper(rank, version == nullptr ? 0 : version->tag);
      const Bytes value = value_bytes(tag, 24);
      matcher.key(slot_, rank, tag == 0 ? nullptr : &value);
    }
    return matcher.best();
  }
  static uint32_t honest(Rank, uint32_t tag) { return tag; }

  KeySet keys_;
  History history_;
  Slot slot_;
};

TEST_F(MatcherTest, FindsEveryPrefix) {
  for (Commit commit = 0; commit <= 10; ++commit) {
    const auto state = match(commit, 0, 10, honest);
    ASSERT_TRUE(state.has_value()) << commit;
    EXPECT_EQ(state->commit, commit);
  }
}

TEST_F(MatcherTest, LostAcknowledgedCommitIsCaught) { EXPECT_FALSE(match(7, 8, 10, honest).has_value()); }

TEST_F(MatcherTest, StateBeyondTheLastAttemptIsCaught) { EXPECT_FALSE(match(10, 0, 9, honest).has_value()); }

TEST_F(MatcherTest, LostKeyIsCaught) {
  for (Rank lost = 0; lost < 3; ++lost) {
    EXPECT_FALSE(
        match(10, 0, 10, [&](Rank rank, uint32_t tag) { return rank == lost ? 0 : tag; }).has_value());
  }
}

TEST_F(MatcherTest, ResurrectedKeyIsCaught) {
  EXPECT_FALSE(match(9, 0, 10, [](Rank rank, uint32_t tag) { return rank == 3 ? 7 : tag; }).has_value());
}

TEST_F(MatcherTest, TornBatchIsCaught) {
  // Commit 9 put key 1 and removed key 3; here only the first half arrived.
  EXPECT_FALSE(match(8, 0, 10, [](Rank rank, uint32_t tag) { return rank == 1 ? 9 : tag; }).has_value());
}

TEST_F(MatcherTest, HoleIsCaught) {
  // Commit 10 is there, commit 9 is not.
  EXPECT_FALSE(match(8, 0, 10, [](Rank rank, uint32_t tag) { return rank == 2 ? 10 : tag; }).has_value());
}

TEST_F(MatcherTest, WrongBytesAreCaught) {
  EXPECT_FALSE(match(10, 0, 10, [](Rank rank, uint32_t tag) { return rank == 0 ? 99 : tag; }).has_value());
}

TEST_F(MatcherTest, DoubtsMayBeEitherButNotHalf) {
  history_.stage_put(slot_, 5, 50, 24);
  history_.stage_put(slot_, 6, 51, 24);
  history_.doubt(false);
  history_.stage_put(slot_, 7, 52, 24);
  history_.accept();
  const auto with = [](bool five, bool six) {
    return [five, six](Rank rank, uint32_t tag) {
      if (rank == 5 && five) return 50u;
      if (rank == 6 && six) return 51u;
      return tag;
    };
  };
  auto state = match(12, 12, 12, with(false, false));
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->present, 0u);
  state = match(12, 12, 12, with(true, true));
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->present, 1u);
  EXPECT_FALSE(match(12, 12, 12, with(true, false)).has_value());
  EXPECT_FALSE(match(12, 12, 12, with(false, true)).has_value());
}

TEST_F(MatcherTest, FitsNamesTheKey) {
  const Bytes right = value_bytes(10, 24);
  EXPECT_TRUE(fits(history_, slot_, 2, {10, 0}, &right));
  EXPECT_FALSE(fits(history_, slot_, 2, {9, 0}, &right));
  EXPECT_FALSE(fits(history_, slot_, 2, {10, 0}, nullptr));
  EXPECT_TRUE(fits(history_, slot_, 3, {10, 0}, nullptr));
}

}  // namespace
}  // namespace ashlar::model
