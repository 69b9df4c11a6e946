// Each planted bug must be found by the simulation within a bounded number of seeds, and the same seeds must be clean
// without it: the workload alone is no violation.
#include <gtest/gtest.h>

#include <cstdio>

#include "sim/run.h"

namespace ashlar::simulation {
namespace {

constexpr uint64_t kMostSeeds = 300;
constexpr uint64_t kOperations = 1500;

class CanaryTest : public testing::TestWithParam<const char*> {};

TEST_P(CanaryTest, IsCaught) {
  const auto canary = canary_named(GetParam());
  ASSERT_TRUE(canary.has_value());
  Totals totals;
  for (uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    Request request;
    request.seed = seed;
    request.operations = kOperations;
    request.canary = *canary;
    const std::string problem = run_seed(request, totals);
    if (problem.empty()) continue;
    std::printf("%s: caught by seed %llu: %s\n", GetParam(), static_cast<unsigned long long>(seed),
                problem.substr(0, problem.find("\nthe last")).c_str());
    return;
  }
  FAIL() << "not caught by " << kMostSeeds << " seeds";
}

TEST_P(CanaryTest, TheSameWorkloadIsCleanWithoutTheBug) {
  Totals totals;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Request request;
    request.seed = seed;
    request.operations = kOperations;
    request.canary = *canary_named(GetParam());
    request.plant = false;
    EXPECT_EQ(run_seed(request, totals), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, CanaryTest,
                         testing::Values("skip_frame_checksum", "publish_before_persist",
                                         "reuse_without_new_salt", "drop_tombstones_early"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace ashlar::simulation
