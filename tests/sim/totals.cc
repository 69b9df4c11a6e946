#include "sim/totals.h"

#include <cstdio>

namespace ashlar::simulation {

void Totals::add_life(const store::Stats& stats) {
  flushes += stats.flushes;
  compactions += stats.compactions;
  stalls += stats.write_stalls;
  recovered_frames += stats.recovered_frames;
  torn_tails += stats.recovery_dropped_bytes > 0 ? 1 : 0;
  journal_syncs += stats.journal_syncs;
  several_sealed += stats.sealed_deltas > 1 ? 1 : 0;
  bool deep = false;
  for (size_t level = 2; level < store::kLevels; ++level) deep = deep || stats.level_files[level] > 0;
  deep_levels += deep ? 1 : 0;
}

std::string Totals::report() const {
  std::string out;
  const auto line = [&out](const char* name, uint64_t number) {
    char text[80];
    std::snprintf(text, sizeof text, "  %-24s %14llu\n", name, static_cast<unsigned long long>(number));
    out += text;
  };
  line("seeds", seeds);
  line("operations", operations);
  line("commits", commits);
  line("gets", gets);
  line("cursor moves", cursor_moves);
  line("rows compared", rows_compared);
  line("opens", opens);
  line("clean closes", clean_closes);
  line("kills", kills);
  line("power cuts", power_cuts);
  line("crashes at an I/O", crashes_at_io);
  line("crashes while opening", crashes_while_opening);
  line("fault episodes", faults);
  line("calls that failed", failed_calls);
  line("commits in doubt", doubts);
  line("doubts that survived", doubts_that_survived);
  line("unpromised commits lost", unpromised_lost);
  line("bits flipped", bits_flipped);
  line("flips reported", rot_reported);
  line("flushes", flushes);
  line("compactions", compactions);
  line("write stalls", stalls);
  line("journal syncs", journal_syncs);
  line("recovered frames", recovered_frames);
  line("torn tails cut", torn_tails);
  line("lives with deep levels", deep_levels);
  line("lives with sealed > 1", several_sealed);
  return out;
}

}  // namespace ashlar::simulation
