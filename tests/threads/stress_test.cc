// Everything at once on real threads: writers, readers, cursors held open, flush, compaction, keyspaces coming and
// going, then close. What must hold whatever the schedule:
//
//   pairs      default "p/<i>" and the same key in "twin" are written and removed in one batch, always with the same
//              value: every snapshot shows both or neither
//   counters   "c/<writer>" only ever grows, for every reader
//   sums       each writer moves amounts between its accounts "s/<writer>/<j>": their sum is 0 in every snapshot
//
// Bounded by counts of operations, never by time. Built for ThreadSanitizer, and run without it as well.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "model/scale.h"
#include "model/values.h"
#include "store/store.h"

namespace ashlar::threads {
namespace {

constexpr uint32_t kWriters = 3;
constexpr uint32_t kPairs = 64;
constexpr uint32_t kAccounts = 8;
constexpr KeyspaceId kDefault{0};

std::string number_bytes(int64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

int64_t number_of(Bytes bytes) {
  int64_t number = 0;
  EXPECT_EQ(bytes.size(), sizeof number);
  if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::string pair_key(uint32_t pair) { return "p/" + std::to_string(1000 + pair); }
std::string counter_key(uint32_t writer) { return "c/" + std::to_string(writer); }
std::string account_key(uint32_t writer, uint32_t account) {
  return "s/" + std::to_string(writer) + "/" + std::to_string(account);
}

store::Options small_options(store::Preset preset) {
  store::Options options;
  options.preset = preset;
  options.delta_bytes = 256 << 10;
  options.first_segment_bytes = 64 << 10;
  options.block_cache_bytes = 128 << 10;
  options.run_target_bytes = 64 << 10;
  options.level_base_bytes = 256 << 10;
  options.run_block_bytes = 2048;
  options.level0_trigger = 2;
  options.sync_interval_ms = 20;
  return options;
}

class StressTest : public testing::TestWithParam<store::Preset> {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "ashlar_stress_" + std::to_string(getpid()) + "_" +
            std::to_string(static_cast<int>(GetParam()));
    std::filesystem::remove_all(path_);
    open();
    auto twin = store_->create_keyspace("twin");
    ASSERT_TRUE(twin.ok()) << twin.status().to_string();
    twin_ = twin.value();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(path_);
  }
  void open() {
    auto store = store::Store::open(io::posix_environment(), path_, small_options(GetParam()));
    ASSERT_TRUE(store.ok()) << store.status().to_string();
    store_ = std::move(store).value();
  }

  std::optional<std::string> get(const store::Snapshot* snapshot, KeyspaceId keyspace,
                                 const std::string& key) {
    lsm::PinnedValue value;
    bool found = false;
    const Status status = store_->get(snapshot, keyspace, key, &value, &found);
    EXPECT_TRUE(status.ok()) << status.to_string();
    if (!found) return std::nullopt;
    return std::string(value.bytes());
  }

  void run_writer(uint32_t writer, uint64_t commits);
  void run_snapshot_reader(uint64_t seed);
  void run_scanner(uint64_t seed);
  void run_counter_reader();
  void run_maintenance(uint64_t seed);

  bool writing() const { return writers_left_.load(std::memory_order_acquire) > 0; }

  std::string path_;
  std::unique_ptr<store::Store> store_;
  KeyspaceId twin_;
  std::atomic<uint32_t> writers_left_{kWriters};
  std::atomic<uint64_t> snapshots_read_{0};
  std::atomic<uint64_t> rows_scanned_{0};
  std::atomic<uint64_t> maintenance_calls_{0};
};

void StressTest::run_writer(uint32_t writer, uint64_t commits) {
  Prng prng(writer + 1);
  std::vector<int64_t> accounts(kAccounts, 0);
  kv::Batch batch;
  for (uint64_t commit = 1; commit <= commits; ++commit) {
    batch.clear();
    for (uint64_t changes = prng.between(1, 3); changes > 0; --changes) {
      const std::string key = pair_key(static_cast<uint32_t>(prng.below(kPairs)));
      if (prng.one_in(4)) {
        EXPECT_TRUE(batch.remove(kDefault, key).ok());
        EXPECT_TRUE(batch.remove(twin_, key).ok());
      } else {
        const Bytes value = model::value_bytes(static_cast<uint32_t>(prng.next() >> 33),
                                               prng.one_in(200) ? 100000 : prng.below(600));
        EXPECT_TRUE(batch.put(twin_, key, value).ok());
        EXPECT_TRUE(batch.put(kDefault, key, value).ok());
      }
    }
    const auto from = static_cast<uint32_t>(prng.below(kAccounts));
    const auto to = static_cast<uint32_t>(prng.below(kAccounts));
    const auto amount = static_cast<int64_t>(prng.below(1000));
    accounts[from] -= amount;
    accounts[to] += amount;
    EXPECT_TRUE(batch.put(kDefault, account_key(writer, from), number_bytes(accounts[from])).ok());
    EXPECT_TRUE(batch.put(kDefault, account_key(writer, to), number_bytes(accounts[to])).ok());
    const auto mode = prng.one_in(500) ? store::WriteMode::sync : store::WriteMode::preset;
    Status status = store_->write(batch, mode);
    ASSERT_TRUE(status.ok()) << status.to_string();
    status = store_->put(kDefault, counter_key(writer), number_bytes(static_cast<int64_t>(commit)));
    ASSERT_TRUE(status.ok()) << status.to_string();
    // A writer reads its own writes.
    if (prng.one_in(16)) {
      const auto own = get(nullptr, kDefault, counter_key(writer));
      ASSERT_TRUE(own.has_value());
      EXPECT_EQ(number_of(*own), static_cast<int64_t>(commit));
    }
  }
  writers_left_.fetch_sub(1, std::memory_order_release);
}

void StressTest::run_snapshot_reader(uint64_t seed) {
  Prng prng(seed);
  while (writing() && !HasFailure()) {
    auto snapshot = store_->snapshot();
    ASSERT_TRUE(snapshot.ok()) << snapshot.status().to_string();
    for (int i = 0; i < 16; ++i) {
      const std::string key = pair_key(static_cast<uint32_t>(prng.below(kPairs)));
      const auto first = get(snapshot->get(), kDefault, key);
      const auto second = get(snapshot->get(), twin_, key);
      ASSERT_EQ(first.has_value(), second.has_value()) << key;
      ASSERT_TRUE(first == second) << key;
      if (prng.one_in(4)) {
        ASSERT_TRUE(get(snapshot->get(), kDefault, key) == first) << key;
      }
    }
    const auto writer = static_cast<uint32_t>(prng.below(kWriters));
    int64_t sum = 0;
    for (uint32_t account = 0; account < kAccounts; ++account) {
      const auto value = get(snapshot->get(), kDefault, account_key(writer, account));
      if (value) sum += number_of(*value);
    }
    ASSERT_EQ(sum, 0) << "writer " << writer;
    snapshots_read_.fetch_add(1, std::memory_order_relaxed);
  }
}

void StressTest::run_scanner(uint64_t seed) {
  Prng prng(seed);
  while (writing() && !HasFailure()) {
    auto snapshot = store_->snapshot();
    ASSERT_TRUE(snapshot.ok());
    const store::ScanOptions pairs = store::with_prefix(store::ScanOptions(), "p/");
    auto first = store_->iterate(snapshot->get(), kDefault, pairs);
    auto second = store_->iterate(snapshot->get(), twin_, pairs);
    ASSERT_TRUE(first.ok() && second.ok());
    if (prng.one_in(2)) snapshot->reset();  // the iterators keep their view
    std::vector<std::string> keys;
    bool on_first = (*first)->first();
    bool on_second = (*second)->first();
    while (on_first && on_second) {
      ASSERT_EQ((*first)->key(), (*second)->key());
      ASSERT_TRUE((*first)->value() == (*second)->value()) << (*first)->key();
      if (!keys.empty()) {
        ASSERT_LT(keys.back(), (*first)->key());
      }
      keys.emplace_back((*first)->key());
      on_first = (*first)->next();
      on_second = (*second)->next();
    }
    ASSERT_FALSE(on_first || on_second) << "one of the twins is longer";
    ASSERT_TRUE((*first)->status().ok()) << (*first)->status().to_string();
    // Backwards over what is by now an old view: the same keys.
    size_t left = keys.size();
    for (bool on = (*first)->last(); on; on = (*first)->previous()) {
      ASSERT_GT(left, 0u);
      ASSERT_EQ((*first)->key(), keys[--left]);
    }
    ASSERT_EQ(left, 0u);
    rows_scanned_.fetch_add(2 * keys.size(), std::memory_order_relaxed);
  }
}

void StressTest::run_counter_reader() {
  int64_t seen[kWriters] = {};
  while (writing() && !HasFailure()) {
    for (uint32_t writer = 0; writer < kWriters; ++writer) {
      const auto value = get(nullptr, kDefault, counter_key(writer));
      const int64_t now = value ? number_of(*value) : 0;
      ASSERT_GE(now, seen[writer]);
      seen[writer] = now;
    }
    const auto absent = get(nullptr, twin_, counter_key(0));
    ASSERT_FALSE(absent.has_value());
  }
}

void StressTest::run_maintenance(uint64_t seed) {
  Prng prng(seed);
  std::optional<KeyspaceId> guest;
  while (writing() && !HasFailure()) {
    Status status;
    switch (prng.below(8)) {
      case 0:
        status = store_->flush();
        break;
      case 1:
        status = store_->compact();
        break;
      case 2:
        status = store_->sync();
        break;
      case 3:
        status = store_->stats().status();
        break;
      case 4:
        status = store_->verify();
        break;
      case 5:
        status = store_->wait_idle();
        break;
      case 6: {
        if (guest) {
          status = store_->drop_keyspace(*guest);
          guest.reset();
        } else {
          auto created = store_->create_keyspace("guest");
          status = created.status();
          if (created.ok()) guest = created.value();
          if (guest && status.ok()) status = store_->put(*guest, "visitor", "here");
        }
        break;
      }
      default:
        (void)store_->background_error();
        break;
    }
    ASSERT_TRUE(status.ok()) << status.to_string();
    maintenance_calls_.fetch_add(1, std::memory_order_relaxed);
  }
}

TEST_P(StressTest, InvariantsHoldInEverySnapshot) {
  const uint64_t commits = model::scaled(GetParam() == store::Preset::paranoid ? 3000 : 12000);
  std::vector<std::thread> threads;
  for (uint32_t writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([this, writer, commits] { run_writer(writer, commits); });
  }
  threads.emplace_back([this] { run_snapshot_reader(101); });
  threads.emplace_back([this] { run_scanner(102); });
  threads.emplace_back([this] { run_counter_reader(); });
  threads.emplace_back([this] { run_maintenance(103); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(HasFailure());

  // What is held over close() stays readable, and the directory is free again once it is let go.
  auto held = store_->snapshot();
  ASSERT_TRUE(held.ok());
  auto iterator = store_->iterate(held->get(), twin_, store::ScanOptions());
  ASSERT_TRUE(iterator.ok());
  uint64_t rows = 0;
  for (bool on = (*iterator)->first(); on; on = (*iterator)->next()) ++rows;
  const auto stats = store_->stats();
  ASSERT_TRUE(stats.ok());
  ASSERT_TRUE(store_->close().ok());
  uint64_t rows_after_close = 0;
  for (bool on = (*iterator)->first(); on; on = (*iterator)->next()) ++rows_after_close;
  EXPECT_TRUE((*iterator)->status().ok());
  EXPECT_EQ(rows_after_close, rows);
  iterator->reset();
  held->reset();
  store_.reset();

  open();
  if (HasFailure()) return;
  for (uint32_t writer = 0; writer < kWriters; ++writer) {
    const auto counter = get(nullptr, kDefault, counter_key(writer));
    ASSERT_TRUE(counter.has_value());
    EXPECT_EQ(number_of(*counter), static_cast<int64_t>(commits));
  }
  EXPECT_TRUE(store_->verify().ok());
  EXPECT_TRUE(store_->close().ok());
  std::printf(
      "stress: %llu commits, %llu snapshots checked, %llu rows scanned, %llu maintenance calls, %llu "
      "flushes, "
      "%llu compactions, %llu stalls\n",
      static_cast<unsigned long long>(2 * kWriters * commits),
      static_cast<unsigned long long>(snapshots_read_), static_cast<unsigned long long>(rows_scanned_),
      static_cast<unsigned long long>(maintenance_calls_), static_cast<unsigned long long>(stats->flushes),
      static_cast<unsigned long long>(stats->compactions),
      static_cast<unsigned long long>(stats->write_stalls));
  EXPECT_GT(stats->flushes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Presets, StressTest,
                         testing::Values(store::Preset::durable, store::Preset::paranoid,
                                         store::Preset::fast),
                         [](const auto& instance) {
                           switch (instance.param) {
                             case store::Preset::fast:
                               return "fast";
                             case store::Preset::durable:
                               return "durable";
                             default:
                               return "paranoid";
                           }
                         });

}  // namespace
}  // namespace ashlar::threads
