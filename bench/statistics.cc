#include "statistics.h"

#include <algorithm>

namespace ashlar::bench {

Spread spread_of(std::span<const double> rounds) {
  if (rounds.empty()) return {};
  std::vector<double> sorted(rounds.begin(), rounds.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {median, sorted.front(), sorted.back()};
}

Percentiles percentiles_of(std::vector<uint64_t> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  // In thousandths, so that the rank is exact: ceil(n * p / 1000), counted from 1.
  const auto rank = [&](size_t thousandths) {
    return samples[(samples.size() * thousandths + 999) / 1000 - 1];
  };
  return {rank(500), rank(990), rank(999), samples.back()};
}

}  // namespace ashlar::bench
