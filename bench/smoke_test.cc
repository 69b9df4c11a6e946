// The tables themselves, at a hundredth of their size, over a std::map; and over engines that are wrong on purpose.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "model.h"
#include "scratch.h"
#include "session.h"
#include "stopwatch.h"
#include "tables.h"

namespace ashlar::bench {
namespace {

// Acknowledges every write of the 57th key and keeps none of them.
class LosesOneKey : public Model {
 public:
  void put(std::string_view key, std::string_view value) override {
    if (++puts_ == 57) lost_ = key;
    if (key != lost_) Model::put(key, value);
  }

 private:
  int puts_ = 0;
  std::string lost_;
};

// Stores every value of the 57th key with one bit turned over.
class CorruptsOneValue : public Model {
 public:
  void put(std::string_view key, std::string_view value) override {
    if (++puts_ == 57) damaged_ = key;
    std::string stored(value);
    if (key == damaged_) stored[stored.size() / 2] = static_cast<char>(stored[stored.size() / 2] ^ 4);
    Model::put(key, stored);
  }

 private:
  int puts_ = 0;
  std::string damaged_;
};

class Refuses : public Model {
 public:
  void put(std::string_view, std::string_view) override { throw DriverError("disk full"); }
};

template <class Kind>
Engine engine(const std::string& name) {
  return {name, "WD", [] { return std::make_unique<Kind>(); }};
}

class SmokeTest : public testing::Test {
 protected:
  Results run(std::vector<Engine> engines, int rounds = 1) {
    Settings settings;
    settings.rounds = rounds;
    settings.scale = 0.01;
    settings.directory = directory_.path();
    settings.quiet = true;
    Session session(settings, std::move(engines));
    run_table_w(session);
    run_table_d(session);
    return session.results();
  }

  FreshDirectory directory_{std::filesystem::temp_directory_path(), "ashlar-bench-test"};
};

TEST_F(SmokeTest, EveryWorkloadVerifiesOverTheModel) {
  const Results results = run({engine<Model>("model")}, 2);
  EXPECT_EQ(results.rows().size(), 9u);  // five of W, four of D
  for (const Row& row : results.rows()) {
    EXPECT_TRUE(row.problems.empty()) << row.workload << ": " << row.problems.front();
    const Metric* verified = row.find("verified");
    ASSERT_NE(verified, nullptr) << row.workload;
    EXPECT_EQ(verified->rounds, std::vector<double>(2, 1.0)) << row.workload;
    ASSERT_FALSE(row.metrics.front().rounds.empty());
    EXPECT_GT(row.metrics.front().rounds.front(), 0) << row.workload;
  }
}

TEST_F(SmokeTest, RunsLeaveNothingBehind) {
  run({engine<Model>("model")});
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(SmokeTest, CanaryThatLosesOneKeyIsCaughtInEveryRow) {
  const Results results = run({engine<LosesOneKey>("canary")});
  for (const Row& row : results.rows())
    EXPECT_FALSE(row.problems.empty()) << row.table << " " << row.workload;
}

TEST_F(SmokeTest, CanaryThatCorruptsOneValueIsCaughtWhereverValuesAreRead) {
  const Results results = run({engine<CorruptsOneValue>("canary")});
  for (const Row& row : results.rows()) {
    if (row.workload == "count_10k") continue;  // reads no values
    EXPECT_FALSE(row.problems.empty()) << row.table << " " << row.workload;
  }
}

TEST_F(SmokeTest, AnEngineThatFailsMarksItsRowsAndOthersGoOn) {
  const Results results = run({engine<Refuses>("refuses"), engine<Model>("model")});
  for (const Row& row : results.rows())
    EXPECT_EQ(row.problems.empty(), row.engine == "model") << row.workload;
}

TEST(Stopwatch, StopsAfterTheCallThatPassesTheLimit) {
  const Laps laps = time_each(1'000'000, 1'000'000, [](size_t) {
    const uint64_t until = now_ns() + 200'000;
    while (now_ns() < until) {
    }
  });
  EXPECT_TRUE(laps.cut_short);
  EXPECT_GE(laps.ns.size(), 1u);
  EXPECT_LT(laps.ns.size(), 1'000'000u);
}

TEST(Stopwatch, TimesEveryCall) {
  size_t calls = 0;
  const Laps laps = time_each(1000, 10'000'000'000, [&](size_t i) { EXPECT_EQ(i, calls++); });
  EXPECT_EQ(calls, 1000u);
  EXPECT_FALSE(laps.cut_short);
  uint64_t sum = 0;
  for (const uint64_t ns : laps.ns) sum += ns;
  EXPECT_EQ(sum, laps.total_ns);
}

TEST(Scratch, DiskUseTellsHolesFromBlocks) {
  const FreshDirectory directory(std::filesystem::temp_directory_path(), "ashlar-bench-test");
  const std::filesystem::path file = directory.path() / "sparse";
  std::FILE* out = std::fopen(file.c_str(), "w");
  ASSERT_NE(out, nullptr);
  std::fputc('x', out);
  std::fclose(out);
  std::filesystem::resize_file(file, 1 << 20);
  const DiskUse use = disk_use(directory.path());
  EXPECT_EQ(use.apparent_bytes, uint64_t{1} << 20);
  EXPECT_LT(use.allocated_bytes, uint64_t{1} << 20);
}

}  // namespace
}  // namespace ashlar::bench
