#include "run/index.h"

#include <gtest/gtest.h>

#include "run/sample_run.h"

namespace ashlar::run {
namespace {

constexpr uint64_t kBegin = 64;
constexpr uint64_t kBlockBytes = 100;

// Cuts `entries` into blocks of random length and indexes them.
struct Sample {
  Sample(SampleEntries sorted, uint64_t seed, uint64_t max_entries_per_block) : entries(std::move(sorted)) {
    Prng prng(seed);
    IndexBuilder builder;
    for (size_t i = 0; i < entries.size();) {
      builder.add_block(kBegin + firsts.size() * kBlockBytes, i == 0 ? Bytes() : Bytes(entries[i - 1].key),
                        entries[i].key, entries[i].trailer);
      firsts.push_back(i);
      i += prng.between(1, max_entries_per_block);
    }
    end = kBegin + firsts.size() * kBlockBytes;
    EXPECT_EQ(builder.block_count(), firsts.size());
    section = builder.finish(end);
    EXPECT_EQ(section.size(), builder.section_bytes());
  }
  Result<Index> parse() const { return Index::parse(section, kBegin, end); }

  SampleEntries entries;
  std::vector<size_t> firsts;  // first entry of each block
  uint64_t end = 0;
  std::string section;
};

// The promise of find(): the first entry at or after the target is in that block, or is the first one of the next.
void expect_leads_to(const Sample& sample, const Index& index, const SampleEntry& target) {
  const auto wanted =
      static_cast<size_t>(std::lower_bound(sample.entries.begin(), sample.entries.end(), target, before) -
                          sample.entries.begin());
  const size_t block = index.find(target.key, target.trailer);
  if (block == Index::kNone) {
    ASSERT_EQ(wanted, 0u);
    return;
  }
  ASSERT_LT(block, sample.firsts.size());
  const size_t next_first =
      block + 1 < sample.firsts.size() ? sample.firsts[block + 1] : sample.entries.size();
  ASSERT_LE(sample.firsts[block], wanted);
  ASSERT_LE(wanted, next_first);
  // A key that the next block alone has is never looked for here.
  if (wanted == next_first && wanted < sample.entries.size() && sample.entries[wanted].key == target.key) {
    ASSERT_TRUE(index.continues_key(block + 1));
    ASSERT_EQ(sample.entries[wanted - 1].key, target.key);
  }
}

TEST(Index, LeadsToEveryEntryAndEveryGap) {
  for (uint64_t seed = 1; seed < 30; ++seed) {
    const Sample sample(sample_entries(seed, {.key_count = 200, .keyspace_count = seed % 2 == 0 ? 1u : 3u}),
                        seed, seed % 3 == 0 ? 2 : 20);
    const Index index = sample.parse().value();
    ASSERT_EQ(index.block_count(), sample.firsts.size());
    for (const SampleEntry& entry : sample.entries) {
      for (const uint64_t trailer :
           {entry.trailer - 1, entry.trailer, entry.trailer + 1, uint64_t{0}, ~uint64_t{0}}) {
        expect_leads_to(sample, index, {entry.key, trailer, {}});
      }
      expect_leads_to(sample, index, {entry.key.substr(0, entry.key.size() - 1), 7, {}});
      expect_leads_to(sample, index, {entry.key + '\0', 7, {}});
    }
    Prng prng(seed);
    for (int i = 0; i < 2000; ++i)
      expect_leads_to(sample, index, {sample_key(prng, 4), prng.below(3000), {}});
  }
}

// Many separators that agree in the common prefix and in the eight bytes after it.
TEST(Index, LongEqualPrefixes) {
  SampleEntries entries;
  for (const char* head : {"a", "b"}) {
    for (int i = 0; i < 200; ++i) {
      char tail[24];
      std::snprintf(tail, sizeof tail, "0000000000%03d", i);
      entries.push_back({stored_key(5, std::string("common/") + head + tail), 257, {}});
    }
  }
  const Sample sample(entries, 1, 3);
  const Index index = sample.parse().value();
  for (const SampleEntry& entry : entries) {
    expect_leads_to(sample, index, entry);
    expect_leads_to(sample, index, {entry.key.substr(0, entry.key.size() - 2), 1, {}});
  }
}

TEST(Index, SeparatorsAreShort) {
  SampleEntries entries;
  for (int i = 0; i < 100; ++i)
    entries.push_back({stored_key(0, std::to_string(100 + i) + std::string(500, 'x')), 1, {}});
  const Sample sample(entries, 1, 1);
  EXPECT_LT(sample.section.size(), 100 * (24 + 8 + 7) + 600u);
}

TEST(Index, Offsets) {
  const Sample sample(sample_entries(1, {}), 1, 10);
  const Index index = sample.parse().value();
  for (size_t block = 0; block < index.block_count(); ++block) {
    EXPECT_EQ(index.offset(block), kBegin + block * kBlockBytes);
    EXPECT_EQ(index.block_bytes(block), kBlockBytes);
  }
  EXPECT_EQ(index.offset(index.block_count()), sample.end);
}

TEST(Index, Empty) {
  const std::string section = IndexBuilder().finish(kBegin);
  const Index index = Index::parse(section, kBegin, kBegin).value();
  EXPECT_EQ(index.block_count(), 0u);
  EXPECT_EQ(index.find(stored_key(0, "a"), 1), Index::kNone);
  EXPECT_EQ(Index::parse(section, kBegin, kBegin + 1).status().code(), Code::corruption);
}

// A section whose checksum is right but whose numbers are not: refused, or still safe to search.
void search_everywhere(const Index& index) {
  Prng prng(1);
  for (int i = 0; i < 50; ++i) {
    const std::string key = sample_key(prng, 4);
    const size_t block = index.find(key, prng.next());
    if (block == Index::kNone) continue;
    ASSERT_LT(block, index.block_count());
    EXPECT_GT(index.block_bytes(block), 0u);
    index.continues_key(block);
    index.compare(block, key, 1);
  }
}

TEST(Index, EveryFlippedBitIsRefusedOrSafe) {
  const Sample sample(sample_entries(2, {.key_count = 30}), 2, 8);
  size_t refused = 0;
  for (size_t bit = 0; bit < sample.section.size() * 8; ++bit) {
    Sample bad = sample;
    bad.section[bit / 8] = static_cast<char>(bad.section[bit / 8] ^ (1 << bit % 8));
    const Result<Index> index = bad.parse();
    if (index.ok()) {
      search_everywhere(index.value());
    } else {
      EXPECT_EQ(index.status().code(), Code::corruption);
      ++refused;
    }
  }
  EXPECT_GT(refused, sample.section.size());
}

TEST(Index, EveryTruncationIsCorruption) {
  const Sample sample(sample_entries(3, {.key_count = 30}), 3, 8);
  for (size_t size = 0; size < sample.section.size(); ++size) {
    Sample bad = sample;
    bad.section.resize(size);
    EXPECT_EQ(bad.parse().status().code(), Code::corruption);
  }
}

TEST(Index, NoiseIsRefusedOrSafe) {
  Prng prng(5);
  const Sample sample(sample_entries(4, {.key_count = 10}), 4, 8);
  for (int i = 0; i < 20000; ++i) {
    Sample bad = sample;
    for (uint64_t n = prng.between(1, 6); n > 0; --n) {
      const size_t word = prng.below(bad.section.size() / 8) * 8;
      const uint64_t values[] = {0, 1, prng.below(300), ~uint64_t{0}, uint64_t{1} << prng.below(64)};
      store_u64(bad.section.data() + word, values[prng.below(5)]);
    }
    const Result<Index> index = bad.parse();
    if (index.ok()) search_everywhere(index.value());
  }
}

}  // namespace
}  // namespace ashlar::run
