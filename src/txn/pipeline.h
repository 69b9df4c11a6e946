// The commit pipeline: from a caller's mutations to a visible, durable commit.
//
//   commit ->  turn (commit_queue) -> room (host: rotation, backpressure)
//          ->  frame encoded into the segment, checksummed
//          ->  durable as promised:  memory: nothing   mapped: nothing, or one sync where asked   written: one persist
//          ->  indexed (delta) -> published (visible sequence) -> acknowledged
//
// P1  Sequences are given in commit order without gaps; readers see a commit wholly or not at all, because they read at
//     a published sequence.
// P2  Nothing is indexed, published or acknowledged before it is as durable as promised (J5).
// P3  A failed persist or sync fails every writer of the group; its frames are erased and its sequences given to later
//     commits, which go to a new segment and say so (J4). Where the erasure is not certain the error is
//     `indeterminate`.
// P4  Uncontended, a commit takes no lock, no system call and no allocation but the index's own arena.
// Threads: commit from any.
// Not here: rotation, backpressure and background syncs (store), recovery (journal/recovery.h).
#pragma once

#include <atomic>
#include <optional>

#include "delta/delta.h"
#include "kv/batch.h"
#include "txn/commit_queue.h"

namespace ashlar::txn {

// What the pipeline needs from the store. All calls come from the leader.
class Host {
 public:
  virtual ~Host() = default;
  // Replaces the active delta (Pipeline::set_active) by one with room for a frame of `frame_bytes`. May wait.
  virtual Status make_room(uint64_t frame_bytes) = 0;
  // Waits until the active segment is ready for `frame_bytes` more; its fill status where that will never be.
  virtual Status wait_until_ready(uint64_t frame_bytes) = 0;
  // Makes every frame appended so far durable, the active segment's included; the newest carries `last`.
  virtual Status sync_journal(Sequence last) = 0;
};

class Pipeline {
 public:
  struct Options {
    bool publish_before_persist = false;  // planted bug
  };
  Pipeline(Host& host, Options options) : host_(host), options_(options) {}

  // Errors: what make_room and sync_journal return, io, no_space, indeterminate.
  Status commit(const kv::Mutation& mutation, bool sync);
  Status commit(const kv::Batch& batch, bool sync);

  // Runs `work` while no commit is under way and none can begin. Not from a leader.
  template <typename Work>
  auto exclusively(const Work& work) {
    Writer self;
    if (!queue_.try_enter()) ASHLAR_CHECK(queue_.enter(&self));
    auto result = work();
    leave(self.follower());
    return result;
  }

  // The same, but not at all where somebody is committing just now. True if it ran.
  template <typename Work>
  bool try_exclusively(const Work& work) {
    if (!queue_.try_enter()) return false;
    work();
    leave(nullptr);
    return true;
  }

  // While exclusive, or before the first commit.
  void set_active(delta::Delta* active) noexcept { active_ = active; }
  delta::Delta* active() const noexcept { return active_; }
  void start_at(Sequence last_committed) noexcept;
  Sequence next_sequence() const noexcept { return next_; }
  // The next frame opens a segment; earlier ones may hold frames with its sequence that must not count (J4).
  void replace_later_frames() noexcept { replaces_failed_ = true; }
  // Appends a frame that only says how far the journal is durable. While exclusive; no-op without room.
  Status append_watermark();
  // Says in the active segment that nothing follows, unless something that failed did. While exclusive, and the last thing.
  void close_segment() noexcept;
  // The active segment must not be appended to any more: its sync failed.
  void abandon_active() noexcept { abandoned_.store(true, std::memory_order_relaxed); }

  // Newest sequence that readers may see.
  Sequence visible() const noexcept { return Sequence(visible_.load(std::memory_order_acquire)); }
  // Everything up to here survives a power cut; what frames state as their watermark.
  Sequence durable() const noexcept { return Sequence(durable_.load(std::memory_order_acquire)); }
  void raise_durable(Sequence sequence) noexcept;
  uint64_t bytes_committed() const noexcept { return bytes_committed_.load(std::memory_order_relaxed); }

 private:
  struct Writer : Waiter {
    const kv::Mutation* mutation = nullptr;  // one of the two, or none: an exclusive section
    const kv::Batch* batch = nullptr;
    bool sync = false;
    uint32_t body_bytes = 0;
    uint32_t mutations = 0;
    char* body = nullptr;    // in the segment
    char* key_at = nullptr;  // of the single mutation
    Status status;
    Writer* follower() const { return static_cast<Writer*>(next); }
    bool is_exclusive() const { return mutations == 0; }
  };

  Status submit(Writer* self);
  void run_group(Writer* group);
  // Gives the turn to `rest`, what is left of the leader's group, or to whoever waits.
  void leave(Writer* rest) noexcept {
    if (rest != nullptr) {
      CommitQueue::pass_on(rest);
    } else {
      queue_.leave();
    }
  }
  Status ensure_room(const Writer& writer);
  bool must_rotate(uint64_t frame_bytes) const;
  Writer* end_of_fitting(Writer* from) const;
  void commit_fitting(Writer* from, Writer* end);
  void place(Writer* writer, bool ends_block);
  uint8_t next_frame_flags(bool ends_block);
  Status make_durable(Writer* from, Writer* end, uint64_t from_offset);
  void index(Writer* from, Writer* end, Sequence first);
  void index_batch(Bytes body, Sequence first);
  void fail(Writer* from, Writer* end, uint64_t from_offset, Sequence first, const Status& cause);

  Host& host_;
  const Options options_;
  delta::Delta* active_ = nullptr;
  Sequence next_{1};
  bool replaces_failed_ = false;  // the next frame takes over sequences of failed commits
  std::atomic<bool> abandoned_{false};
  CommitQueue queue_;
  alignas(64) std::atomic<uint64_t> visible_{0};
  alignas(64) std::atomic<uint64_t> durable_{0};
  std::atomic<uint64_t> bytes_committed_{0};
};

}  // namespace ashlar::txn
