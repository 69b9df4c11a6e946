// Reads of the store under test, each compared with the model at once.
// Threads: one.
#pragma once

#include "sim/scene.h"

namespace ashlar::simulation {

void get_one(Scene& scene);    // at the present
void scan_some(Scene& scene);  // bounds, seeks and both directions, at the present
void open_cursor(Scene& scene);
void move_cursor(Scene& scene);
void close_cursor(Scene& scene);
void take_snapshot(Scene& scene);
void read_snapshot(Scene& scene);
void release_snapshot(Scene& scene);

// Every key of every live keyspace equals the model now.
void compare_everything(Scene& scene);

// Calls `each(rank, value)` for every entry of a keyspace in order; a key that no run ever wrote fails the run.
// Returns false when the scan ended with an error that is allowed now.
template <typename Each>
bool scan_keyspace(Scene& scene, KeyspaceId id, const Each& each) {
  auto made = scene.store->iterate(nullptr, id, store::ScanOptions());
  if (!made.ok()) {
    scene.allow(made.status(), "iterate");
    return false;
  }
  store::Iterator& iterator = **made;
  Rank rank = 0;
  for (bool on = iterator.first(); on; on = iterator.next()) {
    const Bytes key = iterator.key();
    // Mostly the next one; a search only where the database has gaps.
    while (rank < scene.keys.size() && scene.keys.key(rank) < key) ++rank;
    if (rank == scene.keys.size() || scene.keys.key(rank) != key) {
      scene.fail_here("a scan shows a key out of order or never written: " + model::printable(key));
    }
    each(rank, iterator.value());
    ++rank;
    ++scene.totals.rows_compared;
  }
  if (iterator.status().ok()) return true;
  scene.allow(iterator.status(), "scan");
  return false;
}

}  // namespace ashlar::simulation
