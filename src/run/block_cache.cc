#include "run/block_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "run/block.h"

namespace ashlar::run {

namespace {

constexpr uint64_t kMinShardBytes = uint64_t{4} << 20;
constexpr size_t kMaxShards = 16;
// One bucket per so many bytes: about one block of the default size in two buckets.
constexpr uint64_t kBytesPerBucket = 8 * 1024;
constexpr uint32_t kMaxFrequency = 3;
constexpr size_t kGhostWays = 4;
// The tables of some forty entries.
constexpr size_t kTableLines = 3;
// How many pinned blocks one insertion steps over before it gives up.
constexpr int kMaxPinnedSteps = 256;

uint64_t hash_of(RunId run, uint64_t offset) {
  uint64_t hash = (run.value * 0x9e3779b97f4a7c15u) ^ (offset * 0xbf58476d1ce4e5b9u);
  hash ^= hash >> 32;
  return hash * 0x94d049bb133111ebu;
}

// First in, first out; linked through the blocks.
struct Queue {
  Block* newest = nullptr;
  Block* oldest = nullptr;
  uint64_t bytes = 0;

  void push(Block* block) {
    block->queue.newer = nullptr;
    block->queue.older = newest;
    (newest != nullptr ? newest->queue.newer : oldest) = block;
    newest = block;
    bytes += block->memory_bytes();
  }
  void remove(Block* block) {
    (block->queue.newer != nullptr ? block->queue.newer->queue.older : newest) = block->queue.older;
    (block->queue.older != nullptr ? block->queue.older->queue.newer : oldest) = block->queue.newer;
    bytes -= block->memory_bytes();
  }
};

}  // namespace

class BlockCache::Shard {
 public:
  explicit Shard(uint64_t capacity_bytes)
      : capacity_bytes_(capacity_bytes),
        buckets_(std::bit_floor(std::max<uint64_t>(capacity_bytes / kBytesPerBucket, 1))),
        ghosts_(std::max<size_t>(buckets_.size() / kGhostWays, 1)) {}
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;
  ~Shard() {
    for (Queue* queue : {&small_, &main_}) {
      while (queue->oldest != nullptr) forget(queue->oldest);
    }
  }

  uint64_t fixed_bytes() const {
    return sizeof(Shard) + buckets_.size() * sizeof(Block*) + ghosts_.size() * sizeof(GhostSet);
  }

  Pin find(uint64_t hash, RunId run, uint64_t offset) {
    const std::lock_guard lock(mutex_);
    Block* block = look_up(hash, run, offset);
    if (block == nullptr) {
      ++misses_;
      return {};
    }
    ++hits_;
    if (block->link.frequency < kMaxFrequency) ++block->link.frequency;
    block->add_reference();
    return Pin(block);
  }

  Pin insert(uint64_t hash, RunId run, uint64_t offset, Pin pin) {
    const std::lock_guard lock(mutex_);
    if (Block* present = look_up(hash, run, offset); present != nullptr) {
      present->add_reference();
      return Pin(present);
    }
    Block* block = pin.take();
    if (!make_room(block->memory_bytes())) {
      ++refusals_;
      return Pin(block);
    }
    block->link.run = run;
    block->link.offset = offset;
    block->link.frequency = 0;
    block->link.in_main = take_ghost(hash);
    Block*& bucket = bucket_of(hash);
    block->link.next_in_bucket = bucket;
    bucket = block;
    queue_of(block).push(block);
    ++block_count_;
    ++insertions_;
    block->add_reference();
    return Pin(block);
  }

  void erase(RunId run) {
    const std::lock_guard lock(mutex_);
    for (Queue* queue : {&small_, &main_}) {
      for (Block* block = queue->oldest; block != nullptr;) {
        Block* const newer = block->queue.newer;
        if (block->link.run == run) forget(block);
        block = newer;
      }
    }
  }

  void add_to(Stats& stats) {
    const std::lock_guard lock(mutex_);
    stats.hits += hits_;
    stats.misses += misses_;
    stats.insertions += insertions_;
    stats.evictions += evictions_;
    stats.refusals += refusals_;
    stats.block_count += block_count_;
    stats.used_bytes += used_bytes();
  }

 private:
  Block*& bucket_of(uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  // Who left the small queue lately: sets of four, the latest first, about twice as many as there are blocks.
  using GhostSet = std::array<uint32_t, kGhostWays>;
  GhostSet& ghosts_of(uint64_t hash) { return ghosts_[hash & (ghosts_.size() - 1)]; }
  // Never 0, which marks an empty slot.
  static uint32_t ghost_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1; }
  void add_ghost(uint64_t hash) {
    GhostSet& set = ghosts_of(hash);
    std::copy_backward(set.begin(), set.end() - 1, set.end());
    set[0] = ghost_of(hash);
  }
  bool take_ghost(uint64_t hash) {
    for (uint32_t& ghost : ghosts_of(hash)) {
      if (ghost == ghost_of(hash)) {
        ghost = 0;
        return true;
      }
    }
    return false;
  }
  Queue& queue_of(const Block* block) { return block->link.in_main ? main_ : small_; }
  uint64_t used_bytes() const { return fixed_bytes() + small_.bytes + main_.bytes; }

  Block* look_up(uint64_t hash, RunId run, uint64_t offset) {
    Block* block = bucket_of(hash);
    // Whoever finds a block looks at its tables next; they come along with its head.
    if (block != nullptr) {
      for (size_t line = 0; line < kTableLines; ++line) __builtin_prefetch(block->data() + line * 64);
    }
    while (block != nullptr && (block->link.offset != offset || block->link.run != run)) {
      block = block->link.next_in_bucket;
    }
    return block;
  }

  // Ends the cache's share in a block; pins keep it alive beyond that.
  void forget(Block* block) {
    Block** at = &bucket_of(hash_of(block->link.run, block->link.offset));
    while (*at != block) at = &(*at)->link.next_in_bucket;
    *at = block->link.next_in_bucket;
    queue_of(block).remove(block);
    --block_count_;
    block->drop_reference();
  }

  void requeue(Block* block, bool in_main) {
    queue_of(block).remove(block);
    block->link.in_main = in_main;
    queue_of(block).push(block);
  }

  // Evicts until `bytes` more fit. Nothing is evicted for a block that would never fit.
  bool make_room(uint64_t bytes) {
    if (fixed_bytes() + bytes > capacity_bytes_) return false;
    int pinned_steps = 0;
    while (used_bytes() + bytes > capacity_bytes_) {
      const bool from_small = main_.oldest == nullptr || small_.bytes > (small_.bytes + main_.bytes) / 10;
      Block* block = from_small && small_.oldest != nullptr ? small_.oldest : main_.oldest;
      if (block == nullptr) return false;
      if (!block->is_referenced_once()) {
        if (++pinned_steps > kMaxPinnedSteps) return false;
        requeue(block, true);
      } else if (block->link.in_main) {
        evict_or_keep(block);
      } else if (block->link.frequency > 1) {
        block->link.frequency = 0;
        requeue(block, true);
      } else {
        const uint64_t hash = hash_of(block->link.run, block->link.offset);
        add_ghost(hash);
        ++evictions_;
        forget(block);
      }
    }
    return true;
  }

  void evict_or_keep(Block* block) {
    if (block->link.frequency > 0) {
      --block->link.frequency;
      requeue(block, true);
    } else {
      ++evictions_;
      forget(block);
    }
  }

  std::mutex mutex_;
  const uint64_t capacity_bytes_;
  std::vector<Block*> buckets_;
  std::vector<GhostSet> ghosts_;
  Queue small_;
  Queue main_;
  uint64_t block_count_ = 0;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
  uint64_t insertions_ = 0;
  uint64_t evictions_ = 0;
  uint64_t refusals_ = 0;
};

BlockCache::BlockCache(uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {
  const size_t count = std::clamp<size_t>(std::bit_floor(capacity_bytes / kMinShardBytes), 1, kMaxShards);
  const uint64_t own_bytes = sizeof(BlockCache) + count * sizeof(std::unique_ptr<Shard>);
  const uint64_t shard_bytes = capacity_bytes > own_bytes ? (capacity_bytes - own_bytes) / count : 0;
  for (size_t i = 0; i < count; ++i) {
    auto shard = std::make_unique<Shard>(shard_bytes);
    if (shard->fixed_bytes() >= shard_bytes) break;
    shards_.push_back(std::move(shard));
  }
  if (shards_.size() < count) shards_.clear();
}

BlockCache::~BlockCache() = default;

BlockCache::Shard& BlockCache::shard_of(uint64_t hash) const {
  // Other bits than those that choose the bucket and mark the ghost.
  return *shards_[hash >> 28 & (shards_.size() - 1)];
}

Pin BlockCache::find(RunId run, uint64_t offset) {
  if (shards_.empty()) return {};
  const uint64_t hash = hash_of(run, offset);
  return shard_of(hash).find(hash, run, offset);
}

Pin BlockCache::insert(RunId run, uint64_t offset, Pin block) {
  if (shards_.empty()) return block;
  const uint64_t hash = hash_of(run, offset);
  return shard_of(hash).insert(hash, run, offset, std::move(block));
}

void BlockCache::erase(RunId run) {
  for (const auto& shard : shards_) shard->erase(run);
}

BlockCache::Stats BlockCache::stats() const {
  Stats stats;
  stats.capacity_bytes = capacity_bytes_;
  if (shards_.empty()) return stats;
  stats.used_bytes = sizeof(BlockCache) + shards_.size() * sizeof(std::unique_ptr<Shard>);
  for (const auto& shard : shards_) shard->add_to(stats);
  return stats;
}

}  // namespace ashlar::run
