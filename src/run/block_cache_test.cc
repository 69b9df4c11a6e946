#include "run/block_cache.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "run/block.h"

namespace ashlar::run {
namespace {

constexpr RunId kRun{3};

Pin make_block(size_t size_bytes, char fill) {
  Pin pin = Block::create(size_bytes);
  std::memset(pin.block()->data(), fill, size_bytes);
  return pin;
}

char fill_of(uint64_t offset) { return static_cast<char>('a' + offset % 23); }

TEST(BlockCache, FindsWhatWasInserted) {
  BlockCache cache(1 << 20);
  EXPECT_FALSE(cache.find(kRun, 0));
  Pin mine = cache.insert(kRun, 0, make_block(1000, 'x'));
  const Pin found = cache.find(kRun, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found.block(), mine.block());
  EXPECT_EQ(found.block()->bytes(), std::string(1000, 'x'));
  EXPECT_FALSE(cache.find(RunId(4), 0));
  EXPECT_FALSE(cache.find(kRun, 1));
  const auto stats = cache.stats();
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.misses, 3u);
  EXPECT_EQ(stats.insertions, 1u);
  EXPECT_EQ(stats.block_count, 1u);
}

TEST(BlockCache, TheFirstToInsertWins) {
  BlockCache cache(1 << 20);
  const Pin first = cache.insert(kRun, 8, make_block(100, '1'));
  const Pin second = cache.insert(kRun, 8, make_block(100, '2'));
  EXPECT_EQ(first.block(), second.block());
  EXPECT_EQ(cache.stats().block_count, 1u);
}

TEST(BlockCache, CapacityZeroCachesNothing) {
  for (const uint64_t capacity : {0, 1, 100, 400}) {
    BlockCache cache(capacity);
    const Pin pin = cache.insert(kRun, 0, make_block(10, 'x'));
    EXPECT_EQ(pin.block()->bytes(), std::string(10, 'x'));
    EXPECT_FALSE(cache.find(kRun, 0));
    EXPECT_LE(cache.stats().used_bytes, capacity);
  }
}

TEST(BlockCache, NeverExceedsItsLimit) {
  for (const uint64_t capacity : {2'000, 20'000, 300'000, 9'000'000}) {
    BlockCache cache(capacity);
    Prng prng(capacity);
    std::vector<Pin> held;
    uint64_t hits = 0;
    for (int i = 0; i < 30000; ++i) {
      const uint64_t offset = prng.one_in(2) ? prng.below(20) : prng.below(2000);
      Pin pin = cache.find(kRun, offset);
      if (pin) {
        ++hits;
        ASSERT_EQ(pin.block()->data()[0], fill_of(offset));
      } else {
        pin = cache.insert(kRun, offset,
                           make_block(prng.between(1, prng.one_in(100) ? 200'000 : 6000), fill_of(offset)));
      }
      if (prng.one_in(10)) held.push_back(std::move(pin));
      if (held.size() > 30) held.erase(held.begin(), held.begin() + 20);
      ASSERT_LE(cache.stats().used_bytes, capacity);
    }
    if (capacity >= 300'000) {
      EXPECT_GT(hits, 1000u);
    }
  }
}

TEST(BlockCache, ALimitIsUsed) {
  BlockCache cache(10 << 20);
  for (uint64_t offset = 0; offset < 2000; ++offset) cache.insert(kRun, offset, make_block(16384, 'x'));
  EXPECT_GT(cache.stats().used_bytes, (10u << 20) * 98 / 100 - 2 * 17'000);
}

TEST(BlockCache, PinnedBlocksStayWhereTheyAre) {
  BlockCache cache(100'000);
  std::vector<Pin> pinned;
  for (uint64_t offset = 0; offset < 5; ++offset) {
    pinned.push_back(cache.insert(kRun, offset, make_block(4000, fill_of(offset))));
  }
  for (uint64_t offset = 100; offset < 1000; ++offset)
    cache.insert(kRun, offset, make_block(4000, fill_of(offset)));
  for (uint64_t offset = 0; offset < 5; ++offset) {
    const Pin found = cache.find(kRun, offset);
    ASSERT_TRUE(found) << offset;
    EXPECT_EQ(found.block(), pinned[offset].block());
  }
}

TEST(BlockCache, WhenAllIsPinnedNewBlocksAreHandedOutUncached) {
  BlockCache cache(50'000);
  std::vector<Pin> pinned;
  for (uint64_t offset = 0; offset < 100; ++offset) {
    pinned.push_back(cache.insert(kRun, offset, make_block(4000, fill_of(offset))));
    ASSERT_EQ(pinned.back().block()->bytes(), std::string(4000, fill_of(offset)));
    ASSERT_LE(cache.stats().used_bytes, 50'000u);
  }
  EXPECT_GT(cache.stats().refusals, 80u);
  pinned.clear();
  // Room again.
  for (uint64_t offset = 200; offset < 205; ++offset) cache.insert(kRun, offset, make_block(4000, 'x'));
  EXPECT_TRUE(cache.find(kRun, 204));
}

TEST(BlockCache, ABlockLargerThanTheCacheEvictsNothing) {
  BlockCache cache(100'000);
  for (uint64_t offset = 0; offset < 10; ++offset) cache.insert(kRun, offset, make_block(4000, 'x'));
  cache.insert(kRun, 99, make_block(200'000, 'y'));
  EXPECT_EQ(cache.stats().block_count, 10u);
  EXPECT_EQ(cache.stats().evictions, 0u);
  EXPECT_EQ(cache.stats().refusals, 1u);
}

TEST(BlockCache, EraseForgetsOneRun) {
  BlockCache cache(1 << 20);
  const Pin pinned = cache.insert(kRun, 0, make_block(1000, 'p'));
  for (uint64_t offset = 1; offset < 20; ++offset) {
    cache.insert(kRun, offset, make_block(1000, 'x'));
    cache.insert(RunId(9), offset, make_block(1000, 'y'));
  }
  cache.erase(kRun);
  EXPECT_EQ(cache.stats().block_count, 19u);
  EXPECT_FALSE(cache.find(kRun, 0));
  EXPECT_FALSE(cache.find(kRun, 5));
  EXPECT_TRUE(cache.find(RunId(9), 5));
  EXPECT_EQ(pinned.block()->bytes(), std::string(1000, 'p'));
}

TEST(BlockCache, PinsOutliveTheCache) {
  auto cache = std::make_unique<BlockCache>(1 << 20);
  Pin pin = cache->insert(kRun, 0, make_block(1000, 'x'));
  Pin second = pin.share();
  cache.reset();
  pin.reset();
  EXPECT_EQ(second.block()->bytes(), std::string(1000, 'x'));
}

// The working set survives a scan over many times the capacity.
TEST(BlockCache, AScanDoesNotWashTheWorkingSetOut) {
  BlockCache cache(4 << 20);
  constexpr uint64_t kHot = 100;
  const auto touch = [&cache](uint64_t offset) {
    if (cache.find(kRun, offset)) return true;
    cache.insert(kRun, offset, make_block(16384, 'x'));
    return false;
  };
  for (int round = 0; round < 4; ++round) {
    for (uint64_t offset = 0; offset < kHot; ++offset) touch(offset);
    for (uint64_t offset = 0; offset < 150; ++offset)
      touch(10'000 + static_cast<uint64_t>(round) * 150 + offset);
  }
  for (uint64_t offset = 0; offset < 5000; ++offset) touch(1'000'000 + offset);
  uint64_t kept = 0;
  for (uint64_t offset = 0; offset < kHot; ++offset) kept += touch(offset);
  EXPECT_GT(kept, 90u);
}

}  // namespace
}  // namespace ashlar::run
