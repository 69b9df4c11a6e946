// A delta: one journal segment and the index over it. The unit of sealing, flushing, recovery and recycling.
//
//   segment  [header][frame: k v k v][frame: k v]....        bytes, written once by the commit
//                            ^  ^            ^
//   records  [seq kind key*][...]      one per mutation, in the arena, newest version first
//                ^
//   trees    keyspace 0 -> art::Tree, keyspace 7 -> art::Tree, ...
//
// D1  What a record points to is in this delta's segment and does not change while the delta lives.
// D2  Sequences in a delta are a contiguous range; deltas do not overlap.
// D3  After seal() nothing is applied any more.
// Threads: one writer (apply, seal); any number of readers beside it. A reader sees a mutation once the writer has published
// its sequence elsewhere (txn): find() with at_most = a published sequence never sees half a batch.
// Not here: making frames (txn), durability (journal), when to seal (store).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "art/tree.h"
#include "base/arena.h"
#include "journal/segment.h"
#include "kv/batch.h"

namespace ashlar::delta {

class Delta {
 public:
  // Receives the segment of a flushed delta when the last reader is gone. The file of one that was not flushed stays.
  using ReleaseSegment = std::function<void(std::unique_ptr<journal::Segment>)>;

  // `first` is the sequence that the first mutation applied will have. During recovery the segment comes later (adopt).
  Delta(std::unique_ptr<journal::Segment> segment, Sequence first, ReleaseSegment release);
  Delta(const Delta&) = delete;
  Delta& operator=(const Delta&) = delete;
  ~Delta();

  // Writer ----------------------------------------------------------------------------------------------------
  journal::Segment& segment() noexcept { return *segment_; }
  const journal::Segment& segment() const noexcept { return *segment_; }
  // Indexes one mutation whose key and value lie in the segment.
  void apply(const kv::Mutation& mutation, Sequence sequence) {
    art::Record* record = art::new_record(arena_, sequence, static_cast<uint8_t>(mutation.kind),
                                          mutation.key.data(), static_cast<uint32_t>(mutation.key.size()),
                                          static_cast<uint32_t>(mutation.value.size()));
    tree_for_writing(mutation.keyspace).insert(record);
    last_.store(sequence.value, std::memory_order_relaxed);
  }
  // Begins to load what apply() of this key will look at; worth it where encoding the frame comes in between.
  void prefetch(KeyspaceId keyspace, Bytes key) const noexcept {
    if (keyspace == last_tree_.keyspace && last_tree_.tree != nullptr) last_tree_.tree->prefetch(key);
  }
  // Indexes all mutations of a frame; corruption if its body does not decode to exactly `frame.mutations`.
  Status apply_frame(const journal::Frame& frame, const std::string& file_name);
  // Recovery: the segment that the applied frames lie in.
  void adopt(std::unique_ptr<journal::Segment> segment) { segment_ = std::move(segment); }
  // Its contents are in durable runs and the manifest says so: the segment may be used again.
  void mark_flushed() noexcept { flushed_.store(true, std::memory_order_release); }
  // A sync of the segment failed: only a flush makes its contents durable (J4).
  void mark_sync_failed() noexcept { sync_failed_.store(true, std::memory_order_release); }
  bool sync_failed() const noexcept { return sync_failed_.load(std::memory_order_acquire); }

  // Readers ---------------------------------------------------------------------------------------------------
  // Newest version of `key` with sequence <= at_most, a tombstone included; null when there is none.
  const art::Record* find(KeyspaceId keyspace, Bytes key, Sequence at_most) const {
    const art::Tree* tree = find_tree(keyspace);
    if (tree == nullptr) return nullptr;
    const art::Record* record = tree->find(key);
    return record == nullptr ? nullptr : record->version_at(at_most);
  }
  // Null when nothing was ever written to the keyspace.
  const art::Tree* find_tree(KeyspaceId keyspace) const;
  // Ids with a tree, ascending. For sealed deltas.
  std::vector<KeyspaceId> keyspaces() const;

  Sequence first_sequence() const noexcept { return first_; }
  // Newest applied; first - 1 when empty. Exact once sealed.
  Sequence last_sequence() const noexcept { return Sequence(last_.load(std::memory_order_relaxed)); }
  bool empty() const noexcept { return last_sequence() < first_; }
  uint64_t index_bytes() const noexcept { return arena_.bytes_reserved(); }
  uint64_t memory_bytes() const noexcept { return segment_->capacity_bytes() + index_bytes(); }

 private:
  struct Entry {
    KeyspaceId keyspace;
    art::Tree* tree;
  };
  // Immutable once published; replaced as a whole when a keyspace is met for the first time.
  using Table = std::vector<Entry>;

  art::Tree& tree_for_writing(KeyspaceId keyspace) {
    if (ASHLAR_LIKELY(keyspace == last_tree_.keyspace && last_tree_.tree != nullptr)) return *last_tree_.tree;
    return switch_tree(keyspace);
  }
  art::Tree& switch_tree(KeyspaceId keyspace);

  std::unique_ptr<journal::Segment> segment_;
  const ReleaseSegment release_;
  const Sequence first_;
  std::atomic<uint64_t> last_;
  std::atomic<bool> flushed_{false};
  std::atomic<bool> sync_failed_{false};
  Arena arena_;
  Entry last_tree_{};  // writer's short cut
  std::vector<std::unique_ptr<art::Tree>> trees_;
  std::vector<std::unique_ptr<const Table>> tables_;  // the newest is the last; readers may hold older ones
  std::atomic<const Table*> table_{nullptr};
};

}  // namespace ashlar::delta
