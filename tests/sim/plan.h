// What one seed does: which database, which operations how often, which disasters.
//
// Each seed draws its own weights and leaves some operations out altogether ("swarm testing", Groce et al. 2012): a run
// that never flushes reaches states that an even mix of everything does not.
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/prng.h"
#include "store/options.h"

namespace ashlar::simulation {

enum class Operation : uint8_t {
  put,
  remove,
  batch,
  sync_write,
  get,
  scan,
  cursor_open,
  cursor_move,
  cursor_close,
  snapshot_take,
  snapshot_read,
  snapshot_release,
  flush,
  compact,
  sync,
  wait_idle,
  background,  // let tasks run, let time pass
  keyspace_create,
  keyspace_drop,
  stats,
  verify,
  reopen,
  kill,
  power_cut,
  crash_later,  // at the n-th I/O from here
  fault,        // an I/O error, a full disk or a failed sync, for a while
};
inline constexpr size_t kOperations = 26;
const char* operation_name(Operation operation);

struct Plan {
  uint64_t seed = 0;
  uint64_t operations = 0;
  size_t keys = 0;
  uint32_t keyspaces = 1;
  uint32_t small_value_bytes = 64;  // most values are at most this large
  uint32_t medium_value_bytes = 1000;
  uint32_t large_value_one_in = 0;  // 0 = never; a large one does not fit a segment
  uint32_t large_batch_one_in = 0;  // 0 = never
  store::Options options;
  std::array<uint32_t, kOperations> weights{};
  uint32_t weight_sum = 0;
  bool uniform_frames = false;  // every commit is one put, and every frame has the same size
  bool rot_at_end = false;      // flip a bit on disk at the end: right data or a corruption error

  Operation draw(Prng& prng) const;
};

// Which planted bug a run carries, and the workload that brings it out.
enum class Canary : uint8_t {
  none,
  skip_frame_checksum,
  publish_before_persist,
  reuse_without_new_salt,
  drop_tombstones_early,
};
std::optional<Canary> canary_named(const std::string& name);

struct Request {
  uint64_t seed = 0;
  uint64_t operations = 2000;
  std::optional<store::Preset> preset;  // by the seed where it is not given
  Canary canary = Canary::none;
  bool plant = true;  // false: the workload of the canary without its bug
};

Plan make_plan(const Request& request);
// Options of a reopen: another compression, other sizes, now and then another preset.
store::Options redraw_options(Prng& prng, const Plan& plan, const store::Options& before);

const char* preset_name(store::Preset preset);

}  // namespace ashlar::simulation
