#include "run/filter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/aes_hash.h"
#include "base/coding.h"

namespace ashlar::run {
namespace {

uint64_t hash_of_key(uint64_t i) {
  std::string key = "\0\0\0\1user";
  append_u64(key, i);
  return aes_hash(key);
}

std::string filter_of(uint64_t key_count, uint32_t bits_per_key) {
  FilterBuilder builder(bits_per_key);
  for (uint64_t i = 0; i < key_count; ++i) builder.add(hash_of_key(i));
  EXPECT_EQ(builder.key_count(), bits_per_key == 0 ? 0 : key_count);
  std::string section = builder.finish();
  EXPECT_EQ(section.size(), builder.section_bytes());
  return section;
}

TEST(Filter, NeverDeniesAKeyThatWasAdded) {
  for (const uint32_t bits_per_key : {1u, 5u, 10u, 20u, 64u}) {
    for (const uint64_t key_count : {1u, 2u, 100u, 32768u, 32769u, 100000u}) {
      const std::string section = filter_of(key_count, bits_per_key);
      const Filter filter = Filter::parse(section).value();
      EXPECT_EQ(filter.key_count(), key_count);
      for (uint64_t i = 0; i < key_count; ++i) ASSERT_TRUE(filter.may_contain(hash_of_key(i))) << i;
    }
  }
}

// Fixed keys and a fixed hash: these figures are the same on every machine and in every run.
TEST(Filter, FalsePositivesAreWhatTheorySays) {
  constexpr uint64_t kKeys = 200'000;
  constexpr uint64_t kProbes = 1'000'000;
  for (const uint32_t bits_per_key : {5u, 8u, 10u, 12u, 16u}) {
    const std::string section = filter_of(kKeys, bits_per_key);
    const Filter filter = Filter::parse(section).value();
    uint64_t positives = 0;
    for (uint64_t i = 0; i < kProbes; ++i) positives += filter.may_contain(hash_of_key(kKeys + i));
    const double measured = static_cast<double>(positives) / static_cast<double>(kProbes);
    const double blocked = Filter::theoretical_false_positive_rate(bits_per_key, filter.probe_count());
    const double classical =
        std::pow(1 - std::exp(-double(filter.probe_count()) / bits_per_key), filter.probe_count());
    RecordProperty("measured_at_" + std::to_string(bits_per_key), std::to_string(measured));
    std::printf("%2u bits per key, %u probes: measured %.5f, theory blocked %.5f, unblocked %.5f\n",
                bits_per_key, filter.probe_count(), measured, blocked, classical);
    EXPECT_LT(measured, 1.3 * blocked) << bits_per_key;
    EXPECT_GT(measured, blocked / 1.3) << bits_per_key;
  }
}

TEST(Filter, AbsentFilterLetsEverythingPass) {
  EXPECT_EQ(filter_of(100, 0), "");
  EXPECT_EQ(filter_of(0, 10), "");
  const Filter filter = Filter::parse("").value();
  EXPECT_TRUE(filter.may_contain(0));
  EXPECT_TRUE(filter.may_contain(~uint64_t{0}));
  filter.prefetch(1);
}

TEST(Filter, BothWaysOfHashingGiveTheSameBits) {
  const std::string fastest = filter_of(5000, 10);
  set_aes_hash_way(AesHashWay::portable);
  EXPECT_EQ(filter_of(5000, 10), fastest);
  set_aes_hash_way(AesHashWay::fastest);
}

TEST(Filter, HeadIsWhereTheFormatSays) {
  const std::string section = filter_of(1000, 10);
  EXPECT_EQ(load_u64(section.data()), 1000u);
  EXPECT_EQ(load_u64(section.data() + 8), (1000u * 10 + 511) / 512);
  EXPECT_EQ(load_u32(section.data() + 16), 6u);
  EXPECT_EQ(section.size(), 64 + 64 * load_u64(section.data() + 8));
}

TEST(Filter, DamagedHeadsAreRefused) {
  const std::string good = filter_of(1000, 10);
  for (size_t cut = 1; cut < good.size(); ++cut) {
    EXPECT_EQ(Filter::parse(Bytes(good).substr(0, cut)).status().code(), Code::corruption) << cut;
  }
  const auto code_with = [&good](size_t at, uint64_t value, size_t size) {
    std::string bad = good;
    std::memcpy(bad.data() + at, &value, size);
    return Filter::parse(bad).status().code();
  };
  EXPECT_EQ(code_with(8, 0, 8), Code::corruption);
  EXPECT_EQ(code_with(8, 21, 8), Code::corruption);
  EXPECT_EQ(code_with(8, uint64_t{1} << 58, 8), Code::corruption);
  EXPECT_EQ(code_with(16, 0, 4), Code::corruption);
  EXPECT_EQ(code_with(16, 17, 4), Code::corruption);
  EXPECT_EQ(code_with(20, 1, 4), Code::corruption);
}

}  // namespace
}  // namespace ashlar::run
