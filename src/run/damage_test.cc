// What a damaged run may do: give right answers, or say corruption. Every bit and every length of small runs is tried.

#include <gtest/gtest.h>

#include <cstdio>

#include "run/sample_run.h"

namespace ashlar::run {
namespace {

struct Outcomes {
  size_t images = 0;
  size_t refused_at_open = 0;
  size_t found_while_reading = 0;
  size_t right_answers_only = 0;  // the reads of this test did not touch the damage; verify() did

  void print(std::string_view what) const {
    std::printf(
        "%.*s: %zu images, %zu refused at open, %zu detected by reads, %zu detected by verify alone\n",
        static_cast<int>(what.size()), what.data(), images, refused_at_open, found_while_reading,
        right_answers_only);
  }
};

// True when a read met the damage.
bool is_corruption(const Status& status) {
  if (status.ok()) return false;
  EXPECT_EQ(status.code(), Code::corruption) << status.to_string();
  EXPECT_NE(status.message().find("000042.run at "), std::string_view::npos) << status.to_string();
  return true;
}

bool gets_meet_damage(const Reader& reader, const SampleEntries& entries) {
  bool damaged = false;
  for (size_t i = 0; i < entries.size(); i += 3) {
    const std::string key = i % 2 == 0 ? entries[i].key : entries[i].key + 'x';
    const Sequence at_most = i % 4 == 0 ? kMaxSequence : kv::trailer_sequence(entries[i].trailer);
    Found found;
    if (is_corruption(reader.get(key, Reader::hash_key(key), at_most, &found))) {
      damaged = true;
      continue;
    }
    const auto expected = model_get(entries, key, at_most);
    EXPECT_EQ(found.found, expected != entries.end());
    if (found.found && expected != entries.end()) {
      EXPECT_EQ(found.trailer, expected->trailer);
      EXPECT_EQ(found.value, expected->value);
    }
  }
  return damaged;
}

bool scans_meet_damage(const Reader& reader, const SampleEntries& entries) {
  const auto cursor = reader.cursor({.cache = CacheUse::bypass});
  size_t i = 0;
  for (cursor->seek_first(); cursor->valid(); cursor->next(), ++i) {
    EXPECT_LT(i, entries.size());
    EXPECT_EQ(entry_of(*cursor), entries[i]);
  }
  bool damaged = is_corruption(cursor->status());
  EXPECT_TRUE(damaged || i == entries.size());
  i = entries.size();
  for (cursor->seek_last(); cursor->valid(); cursor->previous()) EXPECT_EQ(entry_of(*cursor), entries[--i]);
  damaged = is_corruption(cursor->status()) || damaged;
  EXPECT_TRUE(damaged || i == 0);
  return damaged;
}

void examine(const std::string& image, uint64_t expected_size_bytes, const SampleEntries& entries,
             Outcomes& outcomes) {
  ++outcomes.images;
  BlockCache cache(64 << 10);
  const auto reader =
      Reader::open(std::make_unique<MemoryFile>(std::make_shared<std::string>(image), "000042.run"),
                   expected_size_bytes, kSampleDatabase, kSampleRun, &cache);
  if (is_corruption(reader.status())) {
    ++outcomes.refused_at_open;
    return;
  }
  const bool by_gets = gets_meet_damage(*reader.value(), entries);
  const bool by_scans = scans_meet_damage(*reader.value(), entries);
  ++(by_gets || by_scans ? outcomes.found_while_reading : outcomes.right_answers_only);
  EXPECT_TRUE(is_corruption(reader.value()->verify()));
}

// Several blocks, and chains of versions.
SampleEntries small_run() {
  return sample_entries(7, {.key_count = 24, .max_versions = 2, .max_value_bytes = 40});
}

class DamageTest : public testing::TestWithParam<Compression> {
 protected:
  std::string image(const SampleEntries& entries) const {
    return *build_sample(entries, {.compression = GetParam(), .block_bytes = 1024});
  }
};

TEST_P(DamageTest, EveryFlippedBit) {
  const SampleEntries entries = small_run();
  const std::string good = image(entries);
  Outcomes outcomes;
  std::string bad = good;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    examine(bad, bad.size(), entries, outcomes);
    bad[bit / 8] = good[bit / 8];
    if (HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
  outcomes.print("flipped bits, " + std::string(compression_name(GetParam())));
  EXPECT_EQ(outcomes.images, good.size() * 8);
  EXPECT_GT(outcomes.refused_at_open, 0u);
  EXPECT_GT(outcomes.found_while_reading, 0u);
  EXPECT_EQ(outcomes.right_answers_only, 0u);
}

// Cut short, with the size expected before and with the size that is there.
TEST_P(DamageTest, EveryTruncation) {
  const SampleEntries entries = small_run();
  const std::string good = image(entries);
  Outcomes outcomes;
  for (size_t size = 0; size < good.size(); ++size) {
    examine(good.substr(0, size), good.size(), entries, outcomes);
    examine(good.substr(0, size), size, entries, outcomes);
    if (HasFailure()) FAIL() << "cut at byte " << size;
  }
  outcomes.print("truncations, " + std::string(compression_name(GetParam())));
  EXPECT_EQ(outcomes.refused_at_open, 2 * good.size());
}

// The file keeps its length, but a stretch of it reads as zeros or as noise: lost writes.
TEST_P(DamageTest, LostStretches) {
  const SampleEntries entries = small_run();
  const std::string good = image(entries);
  Outcomes outcomes;
  Prng prng(8);
  for (size_t at = 0; at < good.size(); at += 16) {
    for (const size_t length : {16, 512, 4096}) {
      std::string bad = good;
      for (size_t i = at; i < std::min(at + length, good.size()); ++i) {
        bad[i] = length == 512 ? static_cast<char>(prng.next()) : '\0';
      }
      if (bad != good) examine(bad, bad.size(), entries, outcomes);
      if (HasFailure()) FAIL() << length << " bytes at " << at;
    }
  }
  outcomes.print("lost stretches, " + std::string(compression_name(GetParam())));
}

// Large layout: too long to flip every bit, so every bit of its head, its ends, and a sample of its middle.
TEST_P(DamageTest, FlippedBitsAroundALargeValue) {
  SampleEntries entries;
  entries.push_back({stored_key(0, "a"), kv::make_trailer(Sequence(1), kv::Kind::put), "small"});
  std::string value;
  while (value.size() < 100'000) value += "value " + std::to_string(value.size() * value.size());
  entries.push_back({stored_key(0, "b"), kv::make_trailer(Sequence(2), kv::Kind::put), value});
  entries.push_back({stored_key(0, "c"), kv::make_trailer(Sequence(3), kv::Kind::put), "small"});
  const std::string good = image(entries);
  Outcomes outcomes;
  std::string bad = good;
  Prng prng(9);
  const size_t front = 64 + 200;
  const size_t back = good.size() - 600;
  for (size_t i = 0; i < front + 600 + 1000; ++i) {
    const size_t byte = i < front ? i : (i < front + 600 ? back + i - front : prng.between(front, back - 1));
    const int mask = 1 << prng.below(8);
    bad[byte] = static_cast<char>(bad[byte] ^ mask);
    examine(bad, bad.size(), entries, outcomes);
    bad[byte] = good[byte];
    if (HasFailure()) FAIL() << "byte " << byte << " mask " << mask;
  }
  outcomes.print("flipped bits around a large value, " + std::string(compression_name(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(All, DamageTest,
                         testing::Values(Compression::none, Compression::lz4, Compression::snappy,
                                         Compression::zstd),
                         [](const auto& compression) {
                           return std::string(compression_name(compression.param));
                         });

// Two blocks of one size in each other's place: each has a right checksum, for the other place.
TEST(Damage, MisdirectedBlocksDoNotVerify) {
  SampleEntries entries;
  for (int i = 0; i < 40; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "%04d", i);
    entries.push_back(
        {stored_key(0, key), kv::make_trailer(Sequence(1), kv::Kind::put), std::string(400, 'v')});
  }
  const WriterOptions options{.compression = Compression::none, .block_bytes = 1024};
  const std::string good = *build_sample(entries, options);
  const auto reader = open_sample(std::make_shared<std::string>(good)).value();
  const uint64_t block_bytes = 32 + load_u32(good.data() + 64 + 16);
  ASSERT_EQ(load_u32(good.data() + 64 + block_bytes + 16), block_bytes - 32)
      << "blocks of one size are needed";
  std::string swapped = good;
  swapped.replace(64, block_bytes, good, 64 + block_bytes, block_bytes);
  swapped.replace(64 + block_bytes, block_bytes, good, 64, block_bytes);
  Outcomes outcomes;
  examine(swapped, swapped.size(), entries, outcomes);
  EXPECT_EQ(outcomes.found_while_reading, 1u);
  // A block that never arrived: the one before it written twice.
  std::string repeated = good;
  repeated.replace(64 + block_bytes, block_bytes, good, 64, block_bytes);
  examine(repeated, repeated.size(), entries, outcomes);
  EXPECT_EQ(outcomes.found_while_reading, 2u);
}

// verify() must see what no checksum can: a writer that went wrong. A run with entries in the wrong order is made by
// swapping two keys of equal length in an uncompressed block and sealing the block again.
TEST(Damage, VerifySeesWhatChecksumsCannot) {
  SampleEntries entries = small_run();
  const SharedBytes bytes = build_sample(entries, {.compression = Compression::none, .block_bytes = 4096});
  const auto seal_block = [&bytes] {
    const Bytes block = Bytes(*bytes).substr(64, 32 + load_u32(bytes->data() + 64 + 16));
    const BlockHead head = BlockHead::load(block).value();
    const uint64_t seed = block_seed(seed_of(kSampleDatabase, kSampleRun, Purpose::block), 64);
    store_u64(bytes->data() + 64, block_checksum(block, head, seed));
  };
  ASSERT_TRUE(open_sample(bytes).value()->verify().ok());
  const std::string before_change = *bytes;
  seal_block();
  ASSERT_EQ(*bytes, before_change);

  // The sequence of the first entry, one higher: order still right, properties not.
  const uint32_t count = load_u32(bytes->data() + 64 + 32);
  const size_t entry_at = 64 + 32 + static_cast<size_t>(table_bytes(count, 2));
  (*bytes)[entry_at + 3] = static_cast<char>((*bytes)[entry_at + 3] + 1);
  seal_block();
  const Status status = open_sample(bytes).value()->verify();
  EXPECT_EQ(status.code(), Code::corruption);
  EXPECT_NE(status.message().find("checksum of all blocks"), std::string_view::npos) << status.to_string();

  // The last byte of the first key, far too high.
  *bytes = before_change;
  const size_t key_at = entry_at + 2 + 8;
  (*bytes)[key_at + entries[0].key.size() - 1] = '\xfe';
  seal_block();
  EXPECT_EQ(open_sample(bytes).value()->verify().code(), Code::corruption);
}

}  // namespace
}  // namespace ashlar::run
