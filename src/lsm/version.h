// The set of runs that make up the database on disk at one moment. Immutable; shared by everybody who reads.
//
//   level 0   [r9 a......k] [r8    c........p] [r7 b..d]      newest first; may overlap
//   level 1   [r3 a..e] [r4 f....m] [r5 n..z]                 sorted by key; disjoint
//   ...
//   level 6   [r1 a.............m] [r2 n....z]
//
// V1 A run is in one place only; its smallest key is not above its largest; it holds at least one entry.
// V2 Level 0 is ordered by largest sequence, falling. Where two of its runs overlap in keys, every sequence of the
//    one in front is above every sequence of the one behind.
// V3 In levels 1 to 6 runs are ordered by key and no key lies in the range of two of them.
// V4 (not visible in the metadata; upheld by flush, picker and output) For one key, whatever lies in a shallower level
//    is newer than whatever lies in a deeper one, and all versions of a key in one level lie in one run or, in level
//    0, in runs that V2 orders.
//
// Why get() may stop at the first hit: by V2 and V4 the places that can hold a key are visited from the newest
// versions to the oldest, and the sequences of one place are all above those of every later one. So if a place holds
// any version at or below the asked-for sequence, its newest such version is the newest of all; tombstones count as
// hits for the same reason.
//
// Threads: any number of readers.
// Not here: deltas (read_view.h), names of keyspaces (state.h), bytes on disk (manifest.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kv/cursor.h"
#include "lsm/key_range.h"
#include "lsm/run_meta.h"
#include "run/options.h"

namespace ashlar::lsm {

inline constexpr size_t kLevels = 7;

using Levels = std::array<std::vector<RunRef>, kLevels>;

class Version {
 public:
  // Puts every level in its order. Error: invalid_argument where V1 to V3 do not hold.
  static Result<std::shared_ptr<const Version>> create(Levels levels);
  static std::shared_ptr<const Version> empty();

  const std::vector<RunRef>& level(size_t index) const { return levels_[index]; }
  const Levels& levels() const { return levels_; }
  uint64_t level_bytes(size_t index) const;
  size_t run_count() const;
  // The deepest level that holds a run; 0 when none does.
  size_t deepest_level() const;

  // V1 to V3. Error: invalid_argument naming the runs.
  Status check() const;

  // The newest version of `stored_key` at or below `at_most`, tombstones included. Asks only runs whose range holds
  // the key. `hash` is run::Reader::hash_key(stored_key). On a hit in cached blocks nothing is allocated.
  // Errors: corruption, unsupported_format, io.
  Status get(Bytes stored_key, uint64_t hash, Sequence at_most, run::Found* found) const;

  // Appends cursors over stored keys which together yield every entry of the runs that touch `range`, and perhaps
  // entries outside of it: one per run of level 0, one per deeper level. They open files at first use and keep their
  // runs alive.
  void append_cursors(const KeyRange& range, run::CursorOptions options,
                      std::vector<std::unique_ptr<kv::Cursor>>* cursors) const;

  // The runs of a level whose ranges touch [smallest, largest], in the level's order.
  std::vector<RunRef> overlapping(size_t level, Bytes smallest, Bytes largest) const;

  // One line per run, for messages and golden tests: "L1 000003.run 1200 bytes "a".."e" 7-19".
  std::string to_string() const;

 private:
  explicit Version(Levels levels);
  Status get_in_run(const RunMeta& run, Bytes stored_key, uint64_t hash, Sequence at_most,
                    run::Found* found) const;

  Levels levels_;
  std::array<std::vector<Bytes>, kLevels>
      largest_;  // largest keys of levels 1.., side by side for the search
};

}  // namespace ashlar::lsm
