// What the store can say about itself; the same fields as ashlar_stats in include/ashlar/ashlar.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ashlar::store {

inline constexpr size_t kLevels = 7;

struct Stats {
  uint32_t keyspaces = 0;
  uint64_t last_sequence = 0;
  uint64_t oldest_snapshot = 0;  // 0 = none is open
  uint64_t snapshots = 0;
  uint64_t delta_bytes = 0;
  uint64_t sealed_deltas = 0;
  uint64_t journal_bytes = 0;
  uint64_t run_files = 0;
  uint64_t run_bytes = 0;
  uint64_t run_entries = 0;
  uint64_t run_tombstones = 0;
  std::array<uint64_t, kLevels> level_files{};
  std::array<uint64_t, kLevels> level_bytes{};
  uint64_t cache_bytes = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t bytes_committed = 0;
  uint64_t bytes_flushed = 0;
  uint64_t bytes_compacted = 0;
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t write_stalls = 0;
  uint64_t write_stall_ns = 0;
  uint64_t journal_syncs = 0;
  uint64_t recovered_frames = 0;
  uint64_t recovery_dropped_bytes = 0;
  uint64_t recovery_ns = 0;
};

}  // namespace ashlar::store
