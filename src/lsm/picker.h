// Which runs to merge next: a pure function of the version.
//
//   level 0   full at `level0_trigger` runs, or at the bytes of level 1's target
//   level n   full at level_base_bytes * level_multiplier^(n-1)
//   6         never full
//
// In order of preference:
//   drop      runs that hold nothing but dropped keyspaces go without being read
//   fullest   the level whose size is the largest multiple of its target, at least 1
//   purge     runs that are mostly tombstones go down a level; where nothing lies deeper they are rewritten, if
//             nobody can need what they hide. Runs that hold a dropped keyspace among others are rewritten
// Within a level: runs that touch nothing in the next one move without being rewritten, as many as needed;
// else a run that is mostly tombstones; else the next one by key, round robin.
//
// P1 Of level 0 a merge takes every run that overlaps the hull of those it takes; a move takes only runs that
//    overlap no older one. So nothing older than what leaves level 0 stays there (V2, V4).
// P2 A merge takes every run of the target level that touches the hull of the others.
// P3 Carrying out what pick says, again and again, ends.
// P4 Small neighbours in level 1 join a merge, so that many small flushes of ever new keys do not become many
//    small runs; an entry is rewritten so only when its run grows by a quarter or more.
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
  uint64_t run_target_bytes = uint64_t{64} << 20;  // runs below an eighth of it are small
  // A run is mostly tombstones where they are at least this share of its entries, in percent; 0 = never.
  uint32_t tombstone_percent = 50;
  // The oldest sequence that somebody may read at: tombstones above it may have to stay at the bottom.
  Sequence oldest_boundary;
  std::function<bool(KeyspaceId)> is_dropped;  // empty: none is
  // Per level the key behind which the round robin goes on: the `resume_key` of the last compaction of that
  // level.
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
  size_t level = 0;           // where the work begins
  size_t target_level = 0;    // where the output goes
  std::vector<Input> inputs;  // level by level, in each level's order
  std::string resume_key;     // see PickerOptions::resume_keys; empty where the round robin did not choose
  const char* reason = "";

  uint64_t input_bytes() const;
  // "merge L0 -> L1 (level is full): L0 000007 000006 | L1 000003".
  std::string to_string() const;
};

std::optional<Compaction> pick(const Version& version, const PickerOptions& options);

// Everything into one level. Empty where that would change nothing: one level, no tombstones, one version per
// key, no dropped keyspace.
std::optional<Compaction> pick_everything(const Version& version, const PickerOptions& options);

}  // namespace ashlar::lsm
