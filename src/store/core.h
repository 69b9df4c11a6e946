// The open database itself: everything that Store's methods share, and its background work.
//
//   commit --> pipeline_ --> make_room() --> active delta sealed, spare segment becomes the new one
//                                               |                        |
//                           lane flush: sealed deltas -> run in level 0   lane prepare: next spare
//                           lane compact: picked runs -> runs below       lane sync: journal made durable once a second
//
// Locks, outermost first:  the commit turn (pipeline_)  >  manifest_mutex_, sync_mutex_  >  mutex_  >  those of the modules.
//   mutex_ guards the fields that say so; nobody does I/O under it.
// C1 Deltas are flushed oldest first, so what is in runs is always a prefix of the commits.
// C2 A segment's file goes only when the manifest says, durably, that it is not needed (its journal floor).
// C3 A background failure is kept in background_error_ and tried again; it never stops reads. What cannot be written
//    makes writers fail, with no_space where the disk is full, until a later attempt succeeds.
// C4 Tasks hold no reference to Core: close() and the destructor stop the executor first.
// Files: core.cc (reads, writes, small things), core_open.cc (open, recovery), core_rotate.cc (segments, sync),
//   core_flush.cc (flush, compaction, manifest), core_keyspaces.cc.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "io/environment.h"
#include "journal/pool.h"
#include "journal/recovery.h"
#include "lsm/compaction.h"
#include "lsm/manifest.h"
#include "lsm/read_view.h"
#include "lsm/value_pin.h"
#include "store/keyspace_set.h"
#include "store/store.h"
#include "txn/pipeline.h"
#include "txn/snapshots.h"

namespace ashlar::store {

class Core final : public txn::Host {
 public:
  static Result<std::shared_ptr<Core>> open(io::Environment& environment, const std::string& path,
                                            const Options& options);
  Core(io::Environment& environment, const Options& options);
  ~Core() override;

  // store.h tells what these mean.
  Status write(const kv::Mutation& mutation, WriteMode mode);
  Status write(const kv::Batch& batch, WriteMode mode);
  Status get(const Snapshot* snapshot, KeyspaceId keyspace, Bytes key, lsm::PinnedValue* value, bool* found);
  Result<std::unique_ptr<Iterator>> iterate(std::shared_ptr<Core> self, const Snapshot* snapshot,
                                            KeyspaceId keyspace, const ScanOptions& options);
  Result<Sequence> acquire_snapshot();
  void release_snapshot(Sequence sequence) { snapshots_.release(sequence); }

  Result<KeyspaceId> create_keyspace(Bytes name);
  Result<std::optional<KeyspaceId>> find_keyspace(Bytes name);
  Status drop_keyspace(KeyspaceId keyspace);
  Result<std::vector<KeyspaceInfo>> keyspaces();

  Status sync();
  Status flush();
  Status compact();
  Status wait_idle();
  Status verify();
  Result<Stats> stats();
  std::string background_error();
  Status close();
  // What the death of the process would do: background work stops, nothing is made durable.
  void abandon();
  // Whether somebody still reads through a pinned value; the core must outlive those.
  bool has_pins() const { return views_.pins() != 0; }

  // txn::Host
  Status make_room(uint64_t frame_bytes) override;
  Status wait_until_ready(uint64_t frame_bytes) override;
  Status sync_journal(Sequence last) override;

 private:
  struct Sealed {
    std::shared_ptr<delta::Delta> delta;
    bool synced = false;  // durable as it is
  };

  // core_open.cc
  Status open_directory(const std::string& path);
  Status open_manifest();
  Status create_database(const std::vector<std::string>& names);
  Status refuse_lost_current(const std::vector<std::string>& names, bool has_manifest_files);
  Status remove_strays(const std::vector<std::string>& names);
  Status recover_journal(const std::vector<std::string>& names);
  Status adopt_segments(journal::RecoveryOutcome outcome, std::vector<std::shared_ptr<delta::Delta>> deltas);
  bool may_continue(const journal::RecoveryOutcome& outcome, const delta::Delta& last) const;
  Status start_first_delta();
  void start_background();
  journal::Medium medium() const;
  lsm::RunContext run_context();

  // core_rotate.cc
  std::shared_ptr<delta::Delta> make_delta(std::unique_ptr<journal::Segment> segment, Sequence first);
  Result<std::unique_ptr<journal::Segment>> next_segment(std::unique_lock<std::mutex>& lock,
                                                         uint64_t frame_bytes);
  Result<std::unique_ptr<journal::Segment>> prepare_segment(
      uint64_t capacity_bytes, std::shared_ptr<journal::Filler>* filler = nullptr);
  Status wait_for_flush(std::unique_lock<std::mutex>& lock);
  uint64_t sealed_bytes() const;                                // mutex_
  bool must_stall() const;                                      // mutex_
  void seal_active(std::unique_ptr<journal::Segment> segment);  // mutex_, commit turn
  Status rotate_if_used();
  void schedule_prepare();  // mutex_
  void prepare_spare();
  uint64_t spare_bytes() const;  // mutex_
  void schedule_sync();
  void background_sync();
  Status sync_segments(Sequence last);
  std::vector<std::shared_ptr<delta::Delta>> unsynced_deltas(Status* failed);
  void mark_synced(const std::vector<std::shared_ptr<delta::Delta>>& deltas, const Status& status);

  // core_flush.cc
  void install_view();    // mutex_
  void schedule_flush();  // mutex_
  void flush_some();
  Status flush_deltas(const std::vector<std::shared_ptr<delta::Delta>>& deltas);
  Status install_flush(const std::vector<std::shared_ptr<delta::Delta>>& deltas, const lsm::Output& output);
  std::vector<std::shared_ptr<delta::Delta>> deltas_to_flush();
  uint64_t retry_delay_ns() const;             // mutex_
  Status put_in_force(const lsm::Edit& edit);  // manifest_mutex_
  void after_failure(const Status& status);
  void after_success();
  void schedule_compaction();  // mutex_
  void compact_some();
  Result<bool> compact_once(bool everything);
  Status install_compaction(const lsm::Compaction& compaction, lsm::CompactionResult& result);
  bool compaction_due();
  lsm::PickerOptions picker_options();
  lsm::OutputTarget output_target();
  bool may_drop_entries(KeyspaceId keyspace) const;
  void reclaim_views();

  // core_keyspaces.cc
  Status check_readable(const Snapshot* snapshot, KeyspaceId keyspace) const;
  Status check_writable(KeyspaceId keyspace) const;
  void publish_keyspaces();  // mutex_

  // core.cc
  Result<bool> get_in_runs(const lsm::ReadView& view, KeyspaceId keyspace, Bytes key, Sequence at,
                           lsm::PinnedValue* value);
  Status verify_journal();
  Status after_write(Status status, WriteMode mode);

  io::Environment& environment_;
  const Options options_;
  std::unique_ptr<io::Lock> lock_;
  std::shared_ptr<io::Directory> directory_;
  std::shared_ptr<run::BlockCache> cache_;
  std::unique_ptr<lsm::Manifest> manifest_;  // manifest_mutex_
  std::unique_ptr<journal::Pool> pool_;
  txn::Snapshots snapshots_;
  txn::Pipeline pipeline_;
  lsm::ViewRegistry views_;
  std::atomic<const KeyspaceSet*> keyspace_set_{nullptr};

  std::mutex manifest_mutex_;  // one edit at a time
  std::mutex sync_mutex_;      // one sync at a time
  std::mutex prepare_mutex_;   // one segment is made at a time

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // of anything below
  std::shared_ptr<const lsm::State> state_;
  std::shared_ptr<delta::Delta> active_;
  std::deque<Sealed> sealed_;  // oldest first
  std::unique_ptr<journal::Segment> spare_;
  bool preparing_ = false;
  bool flushing_ = false;
  bool compacting_ = false;
  bool closing_ = false;
  Status prepare_error_;
  Status background_error_;
  uint64_t failures_in_row_ = 0;  // of background work
  uint64_t failures_ = 0;         // ever
  uint64_t segments_made_ = 0;
  uint64_t last_capacity_bytes_ = 0;
  SegmentId next_segment_id_{1};
  RunId next_run_id_{1};
  std::vector<std::unique_ptr<const KeyspaceSet>> keyspace_sets_;  // the newest is the last
  std::map<KeyspaceId, Sequence> dropped_at_;
  std::array<std::string, lsm::kLevels> resume_keys_;
  Stats counters_;      // the ones that only count
  Sequence watermark_;  // commit turn: what the last watermark frame said

  std::unique_ptr<io::Executor> executor_;  // last: gone first
};

}  // namespace ashlar::store
