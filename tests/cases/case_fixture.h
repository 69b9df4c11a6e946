// A database in the simulated world, and words to tell a case in: put, remove, get, rows, kill, power_cut.
//
// The cases are sequences that broke other engines. Each test is named after what must hold; the trackers that reported
// the failure are named in its comment.
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/sim/world.h"
#include "store/store.h"

namespace ashlar::cases {

inline constexpr KeyspaceId kDefault{0};
inline constexpr char kPath[] = "db";

using Rows = std::vector<std::pair<std::string, std::string>>;

// Segments of 64 KiB and runs to match, so that a few hundred writes go through every stage.
store::Options small_options();

// Six digits, so that order of keys is order of numbers.
std::string numbered(const std::string& prefix, uint64_t number);

class CaseTest : public testing::Test {
 protected:
  CaseTest() : options_(small_options()) {}

  // Everything from here on happens on a new machine with an empty disk.
  void new_world(uint64_t seed);
  // The process starts: the test fails when the database does not open.
  void open();
  // Ends by itself; by kill -9; with the machine.
  void close();
  void kill();
  void power_cut();
  // After a call that may have met an armed crash: the power is off now in any case; open() comes next.
  void end_after_crash();
  void reopen() {
    close();
    open();
  }

  void put(const std::string& key, const std::string& value, KeyspaceId keyspace = kDefault);
  void remove(const std::string& key, KeyspaceId keyspace = kDefault);
  std::optional<std::string> get(const std::string& key, const store::Snapshot* snapshot = nullptr,
                                 KeyspaceId keyspace = kDefault);
  std::unique_ptr<store::Snapshot> snapshot();
  std::unique_ptr<store::Iterator> iterate(const store::ScanOptions& scan = store::ScanOptions(),
                                           const store::Snapshot* at = nullptr,
                                           KeyspaceId keyspace = kDefault);
  // Every entry, read forwards; the same backwards is compared on the way.
  Rows rows(const store::Snapshot* at = nullptr, KeyspaceId keyspace = kDefault);
  uint64_t count(KeyspaceId keyspace = kDefault);
  KeyspaceId create(const std::string& name);
  store::Stats stats();
  void flush() { ASSERT_EQ(store_->flush().to_string(), "ok"); }
  void compact() { ASSERT_EQ(store_->compact().to_string(), "ok"); }
  void settle() { ASSERT_EQ(store_->wait_idle().to_string(), "ok"); }

  // The machine; a test that wants another one opens a new world first.
  std::unique_ptr<io::sim::World> world_ = std::make_unique<io::sim::World>(20261130);
  store::Options options_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace ashlar::cases
