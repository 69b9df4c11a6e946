// Medians and percentiles. No interpolation: every figure quoted was really measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ashlar::bench {

// Median, smallest and largest of a few rounds; of an even number the mean of the middle two. All 0 where there is none.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};
[[nodiscard]] Spread spread_of(std::span<const double> rounds);

// Nearest-rank percentiles of many samples: the p-th is the smallest sample that at least p of all samples do not exceed.
struct Percentiles {
  uint64_t p50 = 0;
  uint64_t p99 = 0;
  uint64_t p999 = 0;
  uint64_t max = 0;
};
[[nodiscard]] Percentiles percentiles_of(std::vector<uint64_t> samples);

}  // namespace ashlar::bench
