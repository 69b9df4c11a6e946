// Everything the manifest remembers: the runs, where the journal begins, the numbers not yet given out, the keyspaces.
//
//   state  --edit-->  state  --edit-->  state          each one immutable, the newest in force
//
// S1 Ids are never used again: an edit may only create keyspaces with ids at or above next_keyspace, and every
//    "next" number, journal_floor and flushed_sequence only rise.
// S2 Names of keyspaces are distinct, and so are their ids.
// Threads: a value; share it as const.
#pragma once

#include <map>
#include <memory>

#include "base/status.h"
#include "base/types.h"
#include "lsm/edit.h"
#include "lsm/version.h"

namespace ashlar::lsm {

struct State {
  Uuid uuid;
  std::shared_ptr<const Version> version = Version::empty();
  SegmentId journal_floor;
  Sequence flushed_sequence;
  bool journaled = true;
  RunId next_run{1};
  SegmentId next_segment{1};
  KeyspaceId next_keyspace;
  std::map<KeyspaceId, Keyspace> keyspaces;

  // A keyspace that existed and was dropped. Ids that were never given out are not dropped.
  bool is_dropped(KeyspaceId id) const { return id < next_keyspace && !keyspaces.contains(id); }

  // The state after `edit`. Error: invalid_argument where the edit contradicts this state or S1, S2, V1 to V3; this
  // state is unchanged either way.
  Result<State> apply(const Edit& edit) const;

  // The edit that leads from an empty state with the same uuid to this one.
  Edit as_edit() const;
};

}  // namespace ashlar::lsm
