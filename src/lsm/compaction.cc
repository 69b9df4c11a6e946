#include "lsm/compaction.h"

#include <memory>
#include <utility>

#include "lsm/level_cursor.h"
#include "lsm/merge_cursor.h"

namespace ashlar::lsm {

namespace {

constexpr run::CursorOptions kCompactionReads{.cache = run::CacheUse::bypass};

// One cursor per run of level 0, one per deeper level; the inputs of a level are in its order.
std::unique_ptr<kv::Cursor> cursor_over(const Compaction& compaction) {
  Levels levels;
  for (const auto& input : compaction.inputs) levels[input.level].push_back(input.run);
  std::vector<std::unique_ptr<kv::Cursor>> children;
  for (RunRef& run : levels[0])
    children.push_back(std::make_unique<LevelCursor>(std::vector<RunRef>{std::move(run)}, kCompactionReads));
  for (size_t level = 1; level < kLevels; ++level)
    if (!levels[level].empty())
      children.push_back(std::make_unique<LevelCursor>(std::move(levels[level]), kCompactionReads));
  return merge(std::move(children));
}

}  // namespace

Result<CompactionResult> run_compaction(const Version& version, const Compaction& compaction,
                                        const CompactionRules& rules, const OutputTarget& target) {
  CompactionResult result;
  for (const auto& input : compaction.inputs) result.edit.removed.push_back({input.level, input.run->id()});
  if (compaction.kind == Compaction::Kind::drop) return result;
  if (compaction.kind == Compaction::Kind::move) {
    for (const auto& input : compaction.inputs)
      result.edit.added.push_back({compaction.target_level, input.run});
    return result;
  }
  OutputRules output_rules{rules.boundaries, rules.tombstones,
                           DeeperRuns(version, compaction.target_level + 1), rules.is_dropped,
                           rules.should_stop};
  const auto cursor = cursor_over(compaction);
  ASHLAR_ASSIGN(result.output, write_runs(*cursor, std::move(output_rules), target));
  uint64_t entries_expected = 0;
  for (const auto& input : compaction.inputs) {
    result.bytes_read += input.run->size_bytes();
    entries_expected += input.run->properties().entry_count;
  }
  if (result.output.entries_read != entries_expected) {
    discard(result);
    return corruption("compaction read " + std::to_string(result.output.entries_read) +
                      " entries, expected " + std::to_string(entries_expected) +
                      " by the properties of its inputs");
  }
  for (const RunRef& run : result.output.runs) result.edit.added.push_back({compaction.target_level, run});
  return result;
}

void discard(const CompactionResult& result) {
  for (const RunRef& run : result.output.runs) run->mark_obsolete();
}

}  // namespace ashlar::lsm
