// Which runs to merge next: a pure function of the version.
//
//   level 0   full at `level0_trigger` runs, or at the bytes of level 1's target
//   level n   full at level_base_bytes * 10^(n-1)
//   6         never full
//
// In order of preference:
//   drop      runs that hold nothing but dropped keyspaces go without being read
//   fullest   the level whose size is the largest multiple of its target, at least 1
//   purge     a run that is mostly tombstones, or holds a dropped keyspace, is merged downwards, or rewritten where
//             nothing lies deeper and nobody can need what it hides
// Within a level: runs that touch nothing below move without being rewritten, as many as needed; else a run that is
// mostly tombstones; else the next one by key, round robin.
//
// P1 Of level 0 a pick takes, with a run, every older run that overlaps it (V2, V4), and in fact every run that
//    overlaps the hull of the picked ones.
// P2 `lower` holds every run of the target level that touches the hull of `upper`.
// P3 Repeating pick and carrying out what it says ends: nothing is picked twice for the same reason without change.
// One compaction at a time: the version does not know what is being worked on.
// Threads: pure.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lsm/version.h"

namespace ashlar::lsm {

struct PickerOptions {
  size_t level0_trigger = 4;
  uint64_t level_base_bytes = uint64_t{256} << 20;
  uint64_t level_multiplier = 10;
  // A run is mostly tombstones where they are at least this share of its entries, in percent; 0 = never.
  uint32_t tombstone_percent = 50;
  // The oldest sequence that somebody may read at: tombstones above it may have to stay at the bottom.
  Sequence oldest_boundary;
  std::function<bool(KeyspaceId)> is_dropped;  // empty: none is
  // Per level the key behind which the round robin goes on: the `resume_key` of the last compaction of that level.
  std::array<std::string, kLevels> resume_keys;
};

struct Compaction {
  enum class Kind : uint8_t {
    merge,  // read, merge, write
    move,   // the runs change their level, nothing is read
    drop,   // the runs go, nothing is read
  };
  struct Input {
    size_t level;
    RunRef run;
  };

  Kind kind = Kind::merge;
  size_t level = 0;         // where the work begins
  size_t target_level = 0;  // where the output goes
  std::vector<Input> inputs;
  std::string resume_key;  // see PickerOptions::resume_keys; empty where the round robin did not choose
  const char* reason = "";

  uint64_t input_bytes() const;
  // "merge L0 -> L1 (level 0 is full): L0 000007 000006 | L1 000003".
  std::string to_string() const;
};

std::optional<Compaction> pick(const Version& version, const PickerOptions& options);

// Everything into one level. Empty where that would change nothing: one level, no tombstones, one version per key, no
// dropped keyspace.
std::optional<Compaction> pick_everything(const Version& version, const PickerOptions& options);

}  // namespace ashlar::lsm
