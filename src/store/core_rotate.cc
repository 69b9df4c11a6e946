// Segments: where the next one comes from, how the active one is sealed, and how the journal becomes durable.
#include <algorithm>

#include "store/core.h"

namespace ashlar::store {

std::shared_ptr<delta::Delta> Core::make_delta(std::unique_ptr<journal::Segment> segment, Sequence first) {
  return std::make_shared<delta::Delta>(
      std::move(segment), first,
      [this](std::unique_ptr<journal::Segment> released) { pool_->give_back(std::move(released)); });
}

Result<std::unique_ptr<journal::Segment>> Core::prepare_segment(uint64_t capacity_bytes,
                                                                std::shared_ptr<journal::Filler>* filler) {
  std::lock_guard<std::mutex> one_at_a_time(prepare_mutex_);
  SegmentId id;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    id = next_segment_id_;
    next_segment_id_ = id.next();
    ++segments_made_;
  }
  return pool_->prepare(id, capacity_bytes, filler);
}

// A young database stays small: two segments of the first size, then each twice the one before.
uint64_t Core::spare_bytes() const {
  if (segments_made_ < 2) return std::min(options_.first_segment_bytes, options_.delta_bytes);
  return std::min(2 * std::max(last_capacity_bytes_, options_.first_segment_bytes), options_.delta_bytes);
}

void Core::schedule_prepare() {
  if (spare_ != nullptr || preparing_ || closing_ || executor_ == nullptr) return;
  preparing_ = true;
  executor_->submit(io::Lane::prepare, [this] { prepare_spare(); });
}

void Core::prepare_spare() {
  uint64_t capacity_bytes = 0;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    capacity_bytes = spare_bytes();
  }
  std::shared_ptr<journal::Filler> filler;
  Result<std::unique_ptr<journal::Segment>> prepared = prepare_segment(capacity_bytes, &filler);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    preparing_ = false;
    if (prepared.ok()) {
      spare_ = std::move(prepared).value();
      prepare_error_ = ok_status();
    } else {
      prepare_error_ = std::move(prepared).status();
    }
    changed_.notify_all();
  }
  // It may be taken already; the appender then follows the filler.
  while (filler != nullptr) {
    if (!filler->step()) filler.reset();
    std::lock_guard<std::mutex> guard(mutex_);
    if (closing_) filler.reset();
    changed_.notify_all();
  }
}

Status Core::wait_until_ready(uint64_t frame_bytes) {
  journal::Segment& segment = pipeline_.active()->segment();
  if (segment.is_ready(frame_bytes)) return ok_status();
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t start_ns = environment_.clock().monotonic_ns();
  executor_->wait(lock, changed_,
                  [&] { return segment.is_ready(frame_bytes) || segment.is_filled() || closing_; });
  ++counters_.write_stalls;
  counters_.write_stall_ns += environment_.clock().monotonic_ns() - start_ns;
  if (segment.is_ready(frame_bytes)) return ok_status();
  const Status status = segment.fill_status();
  return status.ok() ? closed("the database is being closed") : status;
}

Status Core::make_room(uint64_t frame_bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  ASHLAR_TRY(wait_for_flush(lock));
  ASHLAR_ASSIGN(std::unique_ptr<journal::Segment> segment, next_segment(lock, frame_bytes));
  seal_active(std::move(segment));
  return ok_status();
}

uint64_t Core::sealed_bytes() const {
  uint64_t bytes = 0;
  for (const Sealed& sealed : sealed_) bytes += sealed.delta->memory_bytes();
  return bytes;
}

bool Core::must_stall() const {
  return sealed_bytes() > options_.sealed_stop * options_.delta_bytes ||
         state_->version->level(0).size() >= options_.level0_stop;
}

// Writers wait for the flush to catch up, but not for a flush that cannot: then they fail with its reason.
Status Core::wait_for_flush(std::unique_lock<std::mutex>& lock) {
  if (!must_stall()) return ok_status();
  const uint64_t start_ns = environment_.clock().monotonic_ns();
  schedule_flush();
  schedule_compaction();
  executor_->wait(lock, changed_, [this] { return !must_stall() || !background_error_.ok() || closing_; });
  ++counters_.write_stalls;
  counters_.write_stall_ns += environment_.clock().monotonic_ns() - start_ns;
  if (!must_stall()) return ok_status();
  return background_error_.ok() ? closed("the database is being closed") : background_error_;
}

Result<std::unique_ptr<journal::Segment>> Core::next_segment(std::unique_lock<std::mutex>& lock,
                                                             uint64_t frame_bytes) {
  schedule_prepare();
  if (spare_ == nullptr) {
    const uint64_t start_ns = environment_.clock().monotonic_ns();
    executor_->wait(lock, changed_, [this] { return spare_ != nullptr || !preparing_ || closing_; });
    ++counters_.write_stalls;
    counters_.write_stall_ns += environment_.clock().monotonic_ns() - start_ns;
  }
  if (spare_ == nullptr) {
    return prepare_error_.ok() ? closed("the database is being closed")
                               : std::exchange(prepare_error_, ok_status());
  }
  if (spare_->fits(frame_bytes)) return std::move(spare_);
  // One of its own. Segments are recovered in order of their ids, so the spare with its lower id is not kept.
  std::unique_ptr<journal::Segment> too_small = std::move(spare_);
  preparing_ = true;
  lock.unlock();
  pool_->discard(std::move(too_small));
  Result<std::unique_ptr<journal::Segment>> large = prepare_segment(journal::kHeaderBytes + frame_bytes);
  lock.lock();
  preparing_ = false;
  return large;
}

void Core::seal_active(std::unique_ptr<journal::Segment> segment) {
  const uint64_t capacity_bytes = segment->capacity_bytes();
  if (capacity_bytes <= options_.delta_bytes) last_capacity_bytes_ = capacity_bytes;
  active_->segment().stop_filling();
  sealed_.push_back({active_, false});
  active_ = make_delta(std::move(segment), pipeline_.next_sequence());
  pipeline_.set_active(active_.get());
  install_view();
  // A young database seals small deltas in quick succession: a run each would be many, and all soon merged.
  if (sealed_bytes() >= options_.delta_bytes / options_.flush_share) schedule_flush();
  schedule_prepare();
}

// Seals the active delta if anything is in it. The caller waits for the flush.
Status Core::rotate_if_used() {
  return pipeline_.exclusively([this] {
    if (pipeline_.active()->empty()) return ok_status();
    {
      // A failure from before this call says nothing about now: the last flush before a close must be tried.
      std::unique_lock<std::mutex> lock(mutex_);
      const uint64_t failures_before = failures_;
      schedule_flush();
      schedule_compaction();
      executor_->wait(lock, changed_,
                      [&] { return !must_stall() || failures_ > failures_before || closing_; });
    }
    return make_room(0);
  });
}

// --------------------------------------------------------------------------------------------------------- sync

Status Core::sync_journal(Sequence last) { return sync_segments(last); }

std::vector<std::shared_ptr<delta::Delta>> Core::unsynced_deltas(Status* failed) {
  std::lock_guard<std::mutex> guard(mutex_);
  std::vector<std::shared_ptr<delta::Delta>> deltas;
  for (const Sealed& sealed : sealed_) {
    if (sealed.delta->sync_failed()) {
      *failed =
          io_error(sealed.delta->segment().file_name() + ": an earlier sync failed; durable once flushed");
    }
    if (!sealed.synced) deltas.push_back(sealed.delta);
  }
  if (active_->sync_failed()) *failed = io_error(active_->segment().file_name() + ": an earlier sync failed");
  deltas.push_back(active_);
  return deltas;
}

void Core::mark_synced(const std::vector<std::shared_ptr<delta::Delta>>& deltas, const Status& status) {
  std::lock_guard<std::mutex> guard(mutex_);
  ++counters_.journal_syncs;
  if (!status.ok()) return;
  // The last one was active when the sync began; what it got since is not covered.
  for (Sealed& sealed : sealed_) {
    const auto found = std::find(deltas.begin(), deltas.end() - 1, sealed.delta);
    if (found != deltas.end() - 1) sealed.synced = true;
  }
}

// Oldest first, so that what is durable is always a prefix.
Status Core::sync_segments(Sequence last) {
  std::lock_guard<std::mutex> one_at_a_time(sync_mutex_);
  Status status;
  const std::vector<std::shared_ptr<delta::Delta>> deltas = unsynced_deltas(&status);
  if (!status.ok()) return status;
  for (const std::shared_ptr<delta::Delta>& delta : deltas) {
    status = delta->segment().sync();
    if (status.ok()) continue;
    delta->mark_sync_failed();
    pipeline_.abandon_active();
    break;
  }
  mark_synced(deltas, status);
  if (status.ok()) pipeline_.raise_durable(last);
  return status;
}

void Core::schedule_sync() {
  if (options_.sync_interval_ms == 0 || medium() == journal::Medium::memory || closing_) return;
  executor_->submit_after(io::Lane::sync, uint64_t{options_.sync_interval_ms} * 1'000'000,
                          [this] { background_sync(); });
}

void Core::background_sync() {
  const Sequence seen = pipeline_.visible();
  const bool had_news = pipeline_.durable() < seen;
  if (had_news && medium() == journal::Medium::mapped) {
    const Status status = sync_segments(seen);
    if (!status.ok()) after_failure(status);
  }
  // Says on disk how far the journal is durable, also when nobody commits any more, so that later damage is not taken
  // for a torn tail. Skipped where a commit is under way: its successor says it.
  if (pipeline_.durable() == seen && (had_news || medium() == journal::Medium::written)) {
    pipeline_.try_exclusively([&] {
      if (watermark_ == pipeline_.durable()) return;
      const Status status = pipeline_.append_watermark();
      if (status.ok()) watermark_ = pipeline_.durable();
    });
  }
  std::lock_guard<std::mutex> guard(mutex_);
  schedule_sync();
}

}  // namespace ashlar::store
