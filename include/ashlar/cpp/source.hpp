// What every handle of one open database shares. Not for direct use.
//
//   Db ---+
//   Keyspace, Snapshot, Scan, ... --- Source ---> DatabaseHandle { ashlar_db*, NULL once closed }
//                                        \------> SnapshotHandle  { ashlar_snapshot* }
//
// Closing a Db empties the DatabaseHandle, so whatever else still holds it finds out instead of following a dead pointer.
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/error.hpp>
#include <memory>
#include <utility>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {
namespace detail {

class DatabaseHandle {
 public:
  explicit DatabaseHandle(ashlar_db* db) noexcept : db_(db) {}
  DatabaseHandle(const DatabaseHandle&) = delete;
  DatabaseHandle& operator=(const DatabaseHandle&) = delete;
  // Nobody asked how it went: Db::close() tells.
  ~DatabaseHandle() {
    if (close() != ASHLAR_OK) return;
  }
  ashlar_db* db() const noexcept { return db_; }
  ashlar_code close() { return ashlar_close(std::exchange(db_, nullptr)); }

 private:
  ashlar_db* db_;
};

class SnapshotHandle {
 public:
  explicit SnapshotHandle(ashlar_snapshot* snapshot) noexcept : snapshot_(snapshot) {}
  SnapshotHandle(const SnapshotHandle&) = delete;
  SnapshotHandle& operator=(const SnapshotHandle&) = delete;
  ~SnapshotHandle() { ashlar_snapshot_release(snapshot_); }
  const ashlar_snapshot* snapshot() const noexcept { return snapshot_; }

 private:
  ashlar_snapshot* snapshot_;
};

struct Source {
  std::shared_ptr<DatabaseHandle> database;
  std::shared_ptr<SnapshotHandle> snapshot;  // null: the present
  ashlar_keyspace keyspace = 0;
  std::shared_ptr<const Error> failure;  // why this never came to be usable

  // NULL where a call must end in refusal().
  ashlar_db* db() const noexcept {
    return database == nullptr || failure != nullptr ? nullptr : database->db();
  }
  const ashlar_snapshot* at() const noexcept { return snapshot == nullptr ? nullptr : snapshot->snapshot(); }
  Error refusal() const { return failure != nullptr ? *failure : closed_error("the database"); }
};

}  // namespace detail
}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
