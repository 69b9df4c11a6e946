// What many runs did together: proof that the rare paths were walked.
// Threads: one.
#pragma once

#include <cstdint>
#include <string>

#include "store/stats.h"

namespace ashlar::simulation {

struct Totals {
  uint64_t seeds = 0;
  uint64_t operations = 0;
  uint64_t commits = 0;
  uint64_t gets = 0;
  uint64_t cursor_moves = 0;
  uint64_t rows_compared = 0;
  uint64_t opens = 0;
  uint64_t clean_closes = 0;
  uint64_t kills = 0;
  uint64_t power_cuts = 0;
  uint64_t crashes_at_io = 0;
  uint64_t crashes_while_opening = 0;
  uint64_t faults = 0;
  uint64_t failed_calls = 0;
  uint64_t doubts = 0;
  uint64_t doubts_that_survived = 0;
  uint64_t bits_flipped = 0;
  uint64_t rot_reported = 0;
  // Commits that a crash took although they were acknowledged: allowed by the preset, and it must happen.
  uint64_t unpromised_lost = 0;
  // From the store's own statistics, summed over its lives.
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t stalls = 0;
  uint64_t recovered_frames = 0;
  uint64_t torn_tails = 0;
  uint64_t journal_syncs = 0;
  uint64_t deep_levels = 0;  // lives in which a level below 1 held a run
  uint64_t several_sealed = 0;

  void add_life(const store::Stats& stats);
  // One line per kind, for people and for the log of continuous integration.
  std::string report() const;
};

}  // namespace ashlar::simulation
