// Carries one picked compaction out, up to the edit that would put it in force.
//
//   inputs (level n, n + 1) --> merge --> write_runs (verified) --> Edit { removed inputs, added outputs }
//
// X1 Nothing of the version changes; the inputs stay readable. The caller appends the edit to the manifest and only
//    then shows the new version. If it does not, the new runs are marked obsolete by discard() and vanish.
// X2 The edit fits any later version that still holds the inputs where they were and in which runs were only added to
//    level 0: flushes may go on meanwhile, other compactions may not.
// Threads: the caller's; no lock is held, no thread made. `should_stop` in the rules ends it early.
// Not here: picking (picker.h), what is dropped (output.h), when (store).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "lsm/edit.h"
#include "lsm/output.h"
#include "lsm/picker.h"
#include "lsm/version.h"

namespace ashlar::lsm {

struct CompactionRules {
  std::vector<Sequence> boundaries;  // as in OutputRules
  TombstonePolicy tombstones = TombstonePolicy::drop_at_bottom;
  std::function<bool(KeyspaceId)> is_dropped;
  std::function<bool()> should_stop;
};

struct CompactionResult {
  Edit edit;
  Output output;  // empty for a move or a drop
  uint64_t bytes_read = 0;
};

// `version` is the one the compaction was picked from. Errors: as write_runs.
Result<CompactionResult> run_compaction(const Version& version, const Compaction& compaction,
                                        const CompactionRules& rules, const OutputTarget& target);

// For a result whose edit was not put in force, and will not be.
void discard(const CompactionResult& result);

}  // namespace ashlar::lsm
