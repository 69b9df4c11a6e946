// What a caller may choose. The public dozen (include/ashlar/ashlar.h) comes first; what follows is for tests and
// simulation, where small numbers make rare events frequent.
#pragma once

#include <cstdint>

#include "run/options.h"

namespace ashlar::store {

// What an acknowledged write survives. Stable numbers: they are part of the C interface.
enum class Preset : uint8_t {
  fast = 0,      // nothing until flush() or close()
  durable = 1,   // the death of the process
  paranoid = 2,  // power loss
};

// Planted bugs: each must be caught by the test suite (tests/sim canaries). Never set outside tests.
struct Canaries {
  bool skip_frame_checksum = false;     // recovery believes every frame
  bool publish_before_persist = false;  // paranoid: acknowledge and show before the sync
  bool reuse_without_new_salt = false;  // a recycled segment keeps its old identity
  bool drop_tombstones_early = false;   // compaction drops tombstones above the bottom
};

struct Options {
  Preset preset = Preset::durable;
  run::Compression compression = run::Compression::lz4;
  bool create_if_missing = true;
  bool error_if_exists = false;
  uint32_t sync_interval_ms = 1000;
  uint64_t delta_bytes = uint64_t{64} << 20;
  uint64_t block_cache_bytes = uint64_t{64} << 20;

  uint64_t first_segment_bytes = uint64_t{1} << 20;  // doubles up to delta_bytes
  uint64_t run_target_bytes = uint64_t{64} << 20;    // compaction output files
  uint64_t level_base_bytes = uint64_t{256} << 20;   // target size of level 1
  uint32_t run_block_bytes = 16 * 1024;
  uint32_t filter_bits_per_key = 10;
  uint32_t level0_trigger = 4;  // runs in level 0 that start a compaction
  uint32_t level0_stop = 24;    // runs in level 0 that stop writers
  uint32_t flush_share = 2;     // a flush begins when sealed deltas hold delta_bytes / flush_share
  uint32_t sealed_stop = 3;     // times delta_bytes in sealed deltas that stop writers
  Canaries canaries;
};

inline constexpr uint64_t kMinDeltaBytes = uint64_t{64} << 10;
inline constexpr uint64_t kMaxDeltaBytes = uint64_t{1} << 30;

}  // namespace ashlar::store
