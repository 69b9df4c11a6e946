// Cursors over a delta.
//
//   read_cursor   one keyspace, user keys, at most one entry per key: the newest version <= at_most
//   flush_cursor  all keyspaces, stored keys, every version, forward only
//
// A read cursor costs the same however often a key was overwritten since its snapshot would have cost a get; it may run
// beside the writer. key() and value() point into the segment and stay valid for as long as the delta (flush_cursor's
// key() until the next move). Threads: one per cursor.
#pragma once

#include <memory>

#include "delta/delta.h"
#include "kv/cursor.h"

namespace ashlar::delta {

// `delta` outlives the cursor.
std::unique_ptr<kv::Cursor> read_cursor(const Delta& delta, KeyspaceId keyspace, Sequence at_most);

// `delta` is sealed and outlives the cursor. Only seek_first and next may be called.
std::unique_ptr<kv::Cursor> flush_cursor(const Delta& delta);

}  // namespace ashlar::delta
