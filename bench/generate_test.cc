#include "generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ashlar::bench {
namespace {

// Published outputs of splitmix64 seeded with 0 and with 1234567 (the generator adds its constant before it mixes).
TEST(Generate, Splitmix64MatchesTheReference) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdaf);
  EXPECT_EQ(splitmix64(1234567), 6457827717110365317u);
}

TEST(Generate, SequentialKeysAreZeroPaddedAndOrdered) {
  const Strings keys = sequential_keys(101);
  ASSERT_EQ(keys.size(), 101u);
  EXPECT_EQ(keys[0], "00000000000000000000");
  EXPECT_EQ(keys[42], "00000000000000000042");
  EXPECT_EQ(keys[100], "00000000000000000100");
}

TEST(Generate, RandomKeysAreHexDigitsThenFourZeros) {
  const Strings keys = random_keys(1000);
  std::set<std::string_view> distinct;
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys[i].size(), kKeySize);
    EXPECT_TRUE(keys[i].ends_with("0000"));
    EXPECT_EQ(keys[i].find_first_not_of("0123456789abcdef"), std::string_view::npos);
    distinct.insert(keys[i]);
  }
  EXPECT_EQ(distinct.size(), keys.size());
  EXPECT_EQ(std::stoull(std::string(keys[7].substr(0, 16)), nullptr, 16), splitmix64(7 ^ kSeed));
}

TEST(Generate, AbsentKeysAreInNoSetOfRandomKeys) {
  const Strings present = random_keys(500);
  const Strings absent = absent_keys(500);
  std::set<std::string_view> all;
  for (size_t i = 0; i < 500; ++i) all.insert(present[i]);
  for (size_t i = 0; i < 500; ++i) EXPECT_EQ(all.count(absent[i]), 0u);
}

TEST(Generate, ValuesAreTheLowBytesOfTheChainedStates) {
  const std::string value = value_bytes(kSeed);
  ASSERT_EQ(value.size(), kValueSize);
  const uint64_t first = splitmix64(kSeed);
  const uint64_t second = splitmix64(first);
  EXPECT_EQ(static_cast<unsigned char>(value[0]), first & 0xff);
  EXPECT_EQ(static_cast<unsigned char>(value[1]), second & 0xff);
  EXPECT_NE(value, value_bytes(~kSeed));
}

TEST(Generate, DbxEntriesCarryTheirNumber) {
  EXPECT_EQ(dbx_keys(12)[11], "key_11");
  EXPECT_EQ(dbx_values(12)[11], "value_data_11");
}

TEST(Generate, ShuffledOrderIsAPermutationAndNotTheIdentity) {
  std::vector<size_t> order = shuffled_order(1000);
  EXPECT_EQ(order, shuffled_order(1000));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace ashlar::bench
