// For tests: real runs in a directory in memory, and the answer by definition that every read is compared
// with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsm/map_cursor.h"
#include "lsm/memory_directory.h"
#include "lsm/output.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {

// What a reader at `at_most` sees of `entries`.
inline std::map<std::string, std::string> visible_in(const EntryMap& entries, uint64_t at_most) {
  std::map<std::string, std::string> result;
  const std::string* decided = nullptr;
  for (const auto& [at, value] : entries) {
    if (kv::trailer_sequence(at.trailer) > Sequence(at_most)) continue;
    if (decided != nullptr && *decided == at.key) continue;
    decided = &at.key;
    if (kv::trailer_kind(at.trailer) == kv::Kind::put) result[at.key] = value;
  }
  return result;
}

struct SampleTree {
  std::shared_ptr<MemoryDirectory> directory = std::make_shared<MemoryDirectory>();
  std::shared_ptr<const RunContext> context =
      std::make_shared<const RunContext>(RunContext{directory, {11, 22}, nullptr, {}});
  uint64_t next_id = 1;

  OutputTarget target(uint64_t file_bytes = uint64_t{1} << 20) {
    return {context, [this] { return RunId(next_id++); }, {.block_bytes = 1024}, file_bytes};
  }
  Result<Output> write(const EntryMap& entries, OutputRules rules, const OutputTarget& target) {
    MapCursor cursor(std::make_shared<EntryMap>(entries));
    return write_runs(cursor, std::move(rules), target);
  }
};

inline EntryMap entries_of(const std::vector<RunRef>& runs) {
  EntryMap entries;
  for (const RunRef& run : runs) {
    auto reader = run->reader();
    if (!reader.ok()) continue;
    auto cursor = (*reader)->cursor();
    for (cursor->seek_first(); cursor->valid(); cursor->next())
      entries[{std::string(cursor->key()), cursor->trailer()}] = std::string(cursor->value());
  }
  return entries;
}

}  // namespace ashlar::lsm
