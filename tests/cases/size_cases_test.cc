// Cases about amounts: many keys, idle keyspaces, queues, limits. Scaled down where the original takes minutes; judged
// by counts and bytes, never by time.
#include <sys/mman.h>

#include "base/prng.h"
#include "cases/case_fixture.h"
#include "model/values.h"

namespace ashlar::cases {
namespace {

class SizeCases : public CaseTest {};

// fjall 112, scaled: 100,000 keys over two keyspaces at rates of 1 to 50.
TEST_F(SizeCases, K12KeyspacesOfVeryDifferentRatesKeepTheirCounts) {
  constexpr uint64_t kKeys = 100000;
  open();
  const KeyspaceId slow = create("slow");
  uint64_t slow_keys = 0;
  for (uint64_t i = 0; i < kKeys; ++i) {
    put(numbered("fast", i), "value");
    if (i % 50 == 0) put(numbered("slow", slow_keys++), "value", slow);
  }
  reopen();
  EXPECT_EQ(count(), kKeys);
  EXPECT_EQ(count(slow), slow_keys);
  kill();
  open();
  EXPECT_EQ(count(), kKeys);
  EXPECT_EQ(count(slow), slow_keys);
}

// fjall 288.
TEST_F(SizeCases, K22AnIdleKeyspaceHoldsBackNoJournal) {
  open();
  const KeyspaceId idle = create("idle");
  put("once", "written", idle);
  uint64_t most = 0;
  for (uint64_t i = 0; i < 10 * options_.delta_bytes / 1000; ++i) {
    put(numbered("busy", i % 100), std::string(1000, 'b'));
    if (i % 100 == 0) settle();
    most = std::max(most, stats().journal_bytes);
  }
  EXPECT_LE(most, 8 * options_.delta_bytes);
  settle();
  EXPECT_LE(stats().journal_bytes, 4 * options_.delta_bytes);
  EXPECT_EQ(get("once", nullptr, idle), "written");
}

// rocksdb 10300, scaled: 60,000 pushes, each followed by a pop once 1,000 wait. The cost that must stay flat is counted
// in blocks that a seek to the first live key asks the cache or the disk for.
TEST_F(SizeCases, K23AQueueKeepsTheCostOfItsFrontFlat) {
  options_.block_cache_bytes = 1 << 20;
  open();
  constexpr uint64_t kPushes = 60000;
  constexpr uint64_t kWaiting = 1000;
  uint64_t most_blocks = 0;
  for (uint64_t i = 0; i < kPushes; ++i) {
    put(numbered("q", i), std::string(100, 'p'));
    if (i < kWaiting) continue;
    const bool look = i % 1000 == 0;
    const store::Stats before = look ? stats() : store::Stats();
    const auto cursor = iterate();
    ASSERT_TRUE(cursor->first());
    ASSERT_EQ(cursor->key(), numbered("q", i - kWaiting));
    if (look) {
      const store::Stats after = stats();
      most_blocks = std::max(most_blocks,
                             after.cache_hits + after.cache_misses - before.cache_hits - before.cache_misses);
    }
    remove(numbered("q", i - kWaiting));
  }
  // Everything that is alive and unflushed fits a few hundred blocks; without compaction it would be thousands.
  EXPECT_LE(most_blocks, 400u);
  compact();
  EXPECT_EQ(count(), kWaiting);
  EXPECT_EQ(stats().run_tombstones, 0u);
}

// rocksdb 3480.
TEST_F(SizeCases, K24LargeKeysAndValuesAreStoredExactlyOrRefused) {
  open();
  const std::string key_64k(64 << 10, 'k');
  const std::string key_most(kv::kMaxKeyBytes, 'm');
  put(key_64k, "64 KiB");
  put(key_most, "1 MiB");
  std::string large;
  for (uint32_t part = 0; part < 8; ++part) large += model::value_bytes(2 * part, 1 << 20);
  put("large", large);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(get(key_64k), "64 KiB");
    EXPECT_EQ(get(key_most), "1 MiB");
    EXPECT_TRUE(get("large") == large);
    EXPECT_EQ(get(key_most.substr(1)), std::nullopt);
    if (round == 0) {
      kill();
      open();
    }
    if (round == 1) compact();
  }
  EXPECT_EQ(count(), 3u);

  const Status key_refused = store_->put(kDefault, key_most + "x", "value");
  EXPECT_EQ(key_refused.code(), Code::limit) << key_refused.to_string();
  EXPECT_EQ(store_->remove(kDefault, key_most + "x").code(), Code::limit);
  kv::Batch batch;
  EXPECT_EQ(batch.put(kDefault, key_most + "x", "value").code(), Code::limit);

  // Address space only: a refused value is never read.
  const size_t too_large = kv::kMaxValueBytes + 1;
  void* space = mmap(nullptr, too_large, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(space, MAP_FAILED);
  const Bytes value(static_cast<const char*>(space), too_large);
  EXPECT_EQ(store_->put(kDefault, "key", value).code(), Code::limit);
  EXPECT_EQ(batch.put(kDefault, "key", value).code(), Code::limit);
  munmap(space, too_large);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(get("key"), std::nullopt);
  EXPECT_EQ(count(), 3u);
}

// turbokv (source): its filters were consulted and then the block was read all the same.
TEST_F(SizeCases, K26AbsentKeysAreAnsweredByTheFilter) {
  constexpr uint64_t kKeys = 200000;
  constexpr uint64_t kLookUps = 20000;
  options_ = store::Options();
  options_.delta_bytes = 4 << 20;
  options_.run_target_bytes = 2 << 20;
  options_.level_base_bytes = 8 << 20;
  options_.block_cache_bytes = 64 << 20;
  open();
  kv::Batch batch;
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(batch.put(kDefault, numbered("key", 2 * i), "value").ok());
    if (batch.count() < 1000) continue;
    ASSERT_TRUE(store_->write(batch).ok());
    batch.clear();
  }
  compact();
  const store::Stats before = stats();
  for (uint64_t i = 0; i < kLookUps; ++i) {
    ASSERT_EQ(get(numbered("key", 2 * (i * 7919 % kKeys) + 1)), std::nullopt);
  }
  const store::Stats after = stats();
  const uint64_t blocks = after.cache_hits + after.cache_misses - before.cache_hits - before.cache_misses;
  // Ten bits per key promise about 1 %; indexes and filters may be cached as blocks too, once each.
  EXPECT_LE(blocks, kLookUps / 25 + 4 * after.run_files) << "of " << kLookUps << " look-ups";
}

}  // namespace
}  // namespace ashlar::cases
