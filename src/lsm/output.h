// The one routine that writes runs from sorted entries: behind flush and compaction.
//
//   versions of one key, newest first, and the boundaries 5 and 9:
//
//     12   11  |  9    7  |  4    2          above 9: all stay, a later snapshot may fall between them
//     keep keep  keep  -    keep  -          (5, 9] and (.., 5]: the newest of each stays
//
// O1 A boundary is a sequence somebody may read at now (a snapshot, the visible sequence). A read at any boundary, or
//    at any sequence above the last one, gives the same before and after.
// O2 A tombstone may go only where no deeper run can hold its key and no older version of its key stays in the output.
// O3 Entries of dropped keyspaces go.
// O4 All versions of a key are in one output run; the runs come in key order and are disjoint.
// O5 On success the runs are durable, their names too, and each was read back (see ReadBack) and compared. On
//    failure no file stays behind (as far as the disk lets us remove it).
//
// Threads: one call is one thread's work; it holds no lock.
// Not here: where the entries come from (merge_cursor.h, delta), what replaces what (compaction.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "kv/cursor.h"
#include "lsm/run_meta.h"
#include "lsm/version.h"
#include "run/options.h"

namespace ashlar::lsm {

// Whether runs below the output may hold a key. Keys are asked in ascending order; a question costs O(1) amortised.
class DeeperRuns {
 public:
  // Nothing is deeper.
  DeeperRuns() = default;
  // The levels from `first_level` on, without the runs in `except`. Keeps the runs alive.
  DeeperRuns(const Version& version, size_t first_level, const std::vector<RunRef>& except = {});
  bool may_hold(Bytes stored_key);

 private:
  struct Level {
    std::vector<RunRef> runs;
    size_t next = 0;
    bool is_sorted = true;
  };
  std::vector<Level> levels_;
};

enum class TombstonePolicy : uint8_t {
  keep,                 // every tombstone stays while it is the newest of its interval
  drop_at_bottom,       // O2
  drop_without_asking,  // breaks O2: a planted bug that the simulator's tests must find
};

struct OutputRules {
  std::vector<Sequence> boundaries;  // ascending; the last one is the visible sequence
  TombstonePolicy tombstones = TombstonePolicy::keep;
  DeeperRuns deeper;                           // for drop_at_bottom
  std::function<bool(KeyspaceId)> is_dropped;  // empty: none is
  std::function<bool()> should_stop;  // asked now and then; true ends the work with `cancelled`. Empty: never
};

// Whether finished runs are read again and compared with what was written. A compaction does, before its inputs go; a
// flush does not: what it wrote came from memory that every read of the delta has just been served from.
enum class ReadBack : uint8_t { compare, trust };

struct OutputTarget {
  std::shared_ptr<const RunContext> context;
  std::function<RunId()> next_id;
  run::WriterOptions writer;
  uint64_t target_file_bytes = uint64_t{64} << 20;  // a run ends with the first key after it is reached
  ReadBack read_back = ReadBack::compare;
};

struct Output {
  std::vector<RunRef> runs;  // in key order; none where nothing stayed
  uint64_t entries_read = 0;
  uint64_t entries_kept = 0;
  uint64_t bytes_written = 0;
};

// `input` speaks stored keys and is not positioned yet. Errors: those of the input and of the files, `cancelled`, and
// corruption where a run does not read back as it was written.
Result<Output> write_runs(kv::Cursor& input, OutputRules rules, const OutputTarget& target);

}  // namespace ashlar::lsm
