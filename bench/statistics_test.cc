#include "statistics.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ashlar::bench {
namespace {

TEST(Statistics, MedianOfAnOddNumberIsTheMiddleOne) {
  const double rounds[] = {5, 1, 3};
  const Spread spread = spread_of(rounds);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.max, 5);
}

TEST(Statistics, MedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  const double rounds[] = {8, 2, 4, 100};
  EXPECT_EQ(spread_of(rounds).median, 6);
}

TEST(Statistics, NothingGivesZeros) {
  EXPECT_EQ(spread_of({}).median, 0);
  EXPECT_EQ(percentiles_of({}).max, 0u);
}

TEST(Statistics, PercentilesAreNearestRanks) {
  std::vector<uint64_t> samples(1000);
  std::iota(samples.rbegin(), samples.rend(), uint64_t{1});  // 1000 .. 1, unsorted on purpose
  const Percentiles percentiles = percentiles_of(samples);
  EXPECT_EQ(percentiles.p50, 500u);
  EXPECT_EQ(percentiles.p99, 990u);
  EXPECT_EQ(percentiles.p999, 999u);
  EXPECT_EQ(percentiles.max, 1000u);
}

TEST(Statistics, FewSamplesGiveTheLargestForHighPercentiles) {
  const Percentiles percentiles = percentiles_of({30, 10, 20});
  EXPECT_EQ(percentiles.p50, 20u);
  EXPECT_EQ(percentiles.p99, 30u);
  EXPECT_EQ(percentiles.p999, 30u);
  const Percentiles single = percentiles_of({7});
  EXPECT_EQ(single.p50, 7u);
  EXPECT_EQ(single.max, 7u);
}

}  // namespace
}  // namespace ashlar::bench
