#include "base/prng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace ashlar {
namespace {

// First outputs of the authors' splitmix64.c from state 1234567.
TEST(Prng, SplitMixKnownAnswers) {
  uint64_t state = 1234567;
  EXPECT_EQ(split_mix(state), 6457827717110365317u);
  EXPECT_EQ(split_mix(state), 3203168211198807973u);
  EXPECT_EQ(split_mix(state), 9817491932198370423u);
  EXPECT_EQ(split_mix(state), 4593380528125082431u);
}

// xoshiro256** written out once more, from the paper, over the state that SplitMix64 makes of the seed.
TEST(Prng, FollowsXoshiro256StarStar) {
  uint64_t seed = 42;
  std::array<uint64_t, 4> s = {};
  for (uint64_t& word : s) word = split_mix(seed);
  const auto rotl = [](uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  Prng prng(42);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t expected = rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    ASSERT_EQ(prng.next(), expected);
  }
}

TEST(Prng, SameSeedSameStreamOtherSeedOtherStream) {
  Prng a(9);
  Prng b(9);
  Prng c(10);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    equal += value == c.next();
  }
  EXPECT_EQ(equal, 0);
}

TEST(Prng, BoundsHoldAndEveryValueComes) {
  Prng prng(3);
  std::set<uint64_t> below;
  std::set<uint64_t> between;
  for (int i = 0; i < 1000; ++i) {
    below.insert(prng.below(7));
    between.insert(prng.between(10, 12));
    EXPECT_EQ(prng.below(1), 0u);
    EXPECT_TRUE(prng.one_in(1));
  }
  EXPECT_EQ(below, (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(between, (std::set<uint64_t>{10, 11, 12}));
}

}  // namespace
}  // namespace ashlar
