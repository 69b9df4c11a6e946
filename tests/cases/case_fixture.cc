#include "cases/case_fixture.h"

#include <algorithm>
#include <cstdio>

namespace ashlar::cases {

store::Options small_options() {
  store::Options options;
  options.delta_bytes = store::kMinDeltaBytes;
  options.first_segment_bytes = 16 << 10;
  options.block_cache_bytes = 64 << 10;
  options.run_target_bytes = 32 << 10;
  options.level_base_bytes = 128 << 10;
  options.run_block_bytes = 2048;
  return options;
}

std::string numbered(const std::string& prefix, uint64_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06llu", static_cast<unsigned long long>(number));
  return prefix + digits;
}

void CaseTest::new_world(uint64_t seed) {
  store_.reset();
  world_ = std::make_unique<io::sim::World>(seed);
}

void CaseTest::open() {
  auto opened = store::Store::open(*world_, kPath, options_);
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  store_ = std::move(opened).value();
}

void CaseTest::close() {
  EXPECT_EQ(store_->close().to_string(), "ok");
  store_.reset();
}

void CaseTest::kill() {
  world_->kill_process();
  store_.reset();
}

void CaseTest::power_cut() {
  world_->power_cut();
  store_.reset();
}

void CaseTest::end_after_crash() {
  const bool crashed = world_->crashed();
  if (!crashed) world_->power_cut();
  store_.reset();
  if (crashed) world_->restart();
  world_->crash_at(0, io::sim::Crash::process);
}

void CaseTest::put(const std::string& key, const std::string& value, KeyspaceId keyspace) {
  const Status status = store_->put(keyspace, key, value);
  ASSERT_TRUE(status.ok()) << status.to_string();
}

void CaseTest::remove(const std::string& key, KeyspaceId keyspace) {
  const Status status = store_->remove(keyspace, key);
  ASSERT_TRUE(status.ok()) << status.to_string();
}

std::optional<std::string> CaseTest::get(const std::string& key, const store::Snapshot* snapshot,
                                         KeyspaceId keyspace) {
  lsm::PinnedValue value;
  bool found = false;
  const Status status = store_->get(snapshot, keyspace, key, &value, &found);
  EXPECT_TRUE(status.ok()) << status.to_string();
  if (!found) return std::nullopt;
  return std::string(value.bytes());
}

std::unique_ptr<store::Snapshot> CaseTest::snapshot() {
  auto taken = store_->snapshot();
  EXPECT_TRUE(taken.ok()) << taken.status().to_string();
  return std::move(taken).value();
}

std::unique_ptr<store::Iterator> CaseTest::iterate(const store::ScanOptions& scan, const store::Snapshot* at,
                                                   KeyspaceId keyspace) {
  auto made = store_->iterate(at, keyspace, scan);
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  return std::move(made).value();
}

Rows CaseTest::rows(const store::Snapshot* at, KeyspaceId keyspace) {
  const auto cursor = iterate(store::ScanOptions(), at, keyspace);
  Rows forwards;
  for (bool on = cursor->first(); on; on = cursor->next())
    forwards.emplace_back(cursor->key(), cursor->value());
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().to_string();
  Rows backwards;
  for (bool on = cursor->last(); on; on = cursor->previous())
    backwards.emplace_back(cursor->key(), cursor->value());
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().to_string();
  EXPECT_EQ(forwards, backwards);
  return forwards;
}

uint64_t CaseTest::count(KeyspaceId keyspace) {
  const auto cursor = iterate(store::ScanOptions(), nullptr, keyspace);
  uint64_t rows = 0;
  for (bool on = cursor->first(); on; on = cursor->next()) ++rows;
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().to_string();
  return rows;
}

KeyspaceId CaseTest::create(const std::string& name) {
  auto created = store_->create_keyspace(name);
  EXPECT_TRUE(created.ok()) << created.status().to_string();
  return created.value();
}

store::Stats CaseTest::stats() {
  auto stats = store_->stats();
  EXPECT_TRUE(stats.ok()) << stats.status().to_string();
  return stats.value();
}

}  // namespace ashlar::cases
