// Everything that one run holds: the simulated machine, the open store, the model, and what is held open on both sides.
//
//   world    disk, clock, tasks         survives a crash of the process
//   store    the engine under test      dies with it, as do snapshots and cursors
//   history  what it must answer        knows more than one possible future (model/history.h)
//
// Threads: one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/sim/world.h"
#include "model/history.h"
#include "sim/plan.h"
#include "sim/totals.h"
#include "sim/trace.h"
#include "store/store.h"

namespace ashlar::simulation {

using model::Commit;
using model::Rank;
using model::Slot;

struct Keyspace {
  enum class State : uint8_t {
    live,
    dropped,
    maybe_created,  // the call failed or the process died in it; a reopen decides
    maybe_dropped,
  };
  KeyspaceId id;  // unknown while maybe_created
  std::string name;
  Slot slot = 0;
  State state = State::live;
};

struct HeldSnapshot {
  std::unique_ptr<store::Snapshot> snapshot;
  Commit at = 0;
  size_t keyspaces = 0;  // those made later do not exist for it
  uint64_t digest = 0;   // of the first full read; 0 = not read yet
};

struct HeldCursor {
  std::unique_ptr<store::Iterator> iterator;
  Slot slot = 0;
  Commit at = 0;
  Rank low = 0;  // the ranks inside its bounds: [low, high)
  Rank high = 0;
  bool keys_only = false;
  Rank position = 0;  // keys.size() = stands nowhere
};

// The newest commit that a crash must not take.
struct Promise {
  Commit process = 0;  // the process dies
  Commit power = 0;    // the machine loses power
};

struct Scene {
  Scene(const Plan& the_plan, Totals& the_totals, bool is_verbose);

  const Plan& plan;
  const bool verbose;
  Totals& totals;
  Trace trace;
  Prng prng;
  model::KeySet keys;
  model::History history;
  Promise promise;
  store::Options options;  // of the open store
  std::vector<Keyspace> keyspaces;
  io::sim::World world;
  std::unique_ptr<store::Store> store;  // after the world, which must outlive it
  std::vector<HeldSnapshot> snapshots;
  std::vector<HeldCursor> cursors;

  // Faults of this life of the process: what was met excuses failing calls. Without any, every error is a failure.
  std::vector<size_t> injected;
  bool disk_was_full = false;
  bool fault_is_on = false;
  uint64_t fault_ends_at = 0;  // step
  io::sim::Crash armed_crash = io::sim::Crash::process;
  uint64_t next_tag = 1;
  uint64_t next_name = 1;

  bool crashed() const { return world.crashed(); }
  bool faults_hit() const;
  // A live keyspace at random; the default one always is.
  const Keyspace& any_keyspace();
  // Fails the run unless a call may fail like this now. Errors of a dead process are always allowed.
  void allow(const Status& status, const char* call);
  // Throws with everything needed to repeat the run.
  [[noreturn]] void fail_here(const std::string& what) const;
  void release_handles();
};

}  // namespace ashlar::simulation
