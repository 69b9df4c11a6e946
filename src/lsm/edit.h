// One change of the durable state, and its bytes.
//
//   edit  = { field }*          field = [number << 1 | critical, varint][size, varint][bytes]
//
// E1 A reader that does not know a field refuses it as unsupported_format where it is marked critical, and skips it
//    otherwise. Every field of this version is critical.
// E2 A field that can occur once occurs at most once.
// The numbers are listed in docs/FORMAT.md, "Manifest".
// Threads: values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/types.h"
#include "lsm/run_meta.h"

namespace ashlar::lsm {

struct Keyspace {
  KeyspaceId id;
  std::string name;
  std::string options;  // bytes whose meaning is the store's

  bool operator==(const Keyspace&) const = default;
};

struct Edit {
  struct AddedRun {
    size_t level;
    RunRef run;
  };
  struct RemovedRun {
    size_t level;
    RunId id;
  };

  // A run that only changes its level is removed from one and added to the other.
  std::vector<RemovedRun> removed;
  std::vector<AddedRun> added;
  std::optional<SegmentId> journal_floor;    // segments below it hold nothing that is needed
  std::optional<Sequence> flushed_sequence;  // everything at or below it is in runs
  std::optional<bool> journaled;             // whether writers use the journal
  std::optional<RunId> next_run;             // no run had this id or a higher one
  std::optional<SegmentId> next_segment;
  std::optional<KeyspaceId> next_keyspace;
  std::vector<Keyspace> created;
  std::vector<KeyspaceId> dropped;
};

std::string encode_edit(const Edit& edit);

// Runs are made with `context`, which may be null where nobody opens them.
// Errors: corruption (malformed; the text says which field), unsupported_format.
Result<Edit> decode_edit(Bytes bytes, const std::shared_ptr<const RunContext>& context);

}  // namespace ashlar::lsm
