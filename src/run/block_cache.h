// Decoded blocks of all runs, kept in memory up to a limit in bytes.
//
//   shard = hash(run id, block offset):    [table] --> Block: head, entries, tables (one allocation)
//                                          small FIFO (a tenth) --> main FIFO --> out;  ghosts: hashes of late leavers
//
// B1 The bytes of the blocks the cache holds, their heads and the cache's own tables never exceed the capacity.
//    A block for which no room can be made is handed out all the same and dies with its last pin.
// B2 A pinned block is never evicted; it counts until its last pin is gone and it is evicted.
// B3 A block is immutable from the moment it is inserted.
// Eviction: S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023): a block read once by
// a scan leaves through the small queue and does not push the working set out.
// Threads: any. Each call takes one shard's mutex once; a pin is dropped without it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.h"
#include "run/pin.h"

namespace ashlar::run {

class BlockCache {
 public:
  // Capacities too small for the cache's own tables cache nothing, like 0.
  explicit BlockCache(uint64_t capacity_bytes);
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache();

  // The block, pinned, or an empty pin. Counts a hit or a miss.
  Pin find(RunId run, uint64_t offset);
  // Offers `block`, which the caller has just read at that place, to the cache. Returns the block to use: the one
  // already there if another thread was faster.
  Pin insert(RunId run, uint64_t offset, Pin block);
  // Forgets the blocks of a run whose file is gone. Walks the whole cache.
  void erase(RunId run);

  struct Stats {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t insertions = 0;
    uint64_t evictions = 0;
    uint64_t refusals = 0;  // offered, but no room could be made
    uint64_t block_count = 0;
    uint64_t used_bytes = 0;  // with all overhead; at most capacity_bytes
    uint64_t capacity_bytes = 0;
  };
  Stats stats() const;
  uint64_t capacity_bytes() const { return capacity_bytes_; }

 private:
  class Shard;
  Shard& shard_of(uint64_t hash) const;

  uint64_t capacity_bytes_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace ashlar::run
