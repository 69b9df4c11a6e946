// Flush and compaction: deltas become runs, runs become fewer, and the manifest says so.
#include <algorithm>

#include "delta/cursors.h"
#include "lsm/merge_cursor.h"
#include "store/core.h"

namespace ashlar::store {

namespace {

constexpr uint64_t kFirstRetryNs = 20'000'000;
constexpr uint64_t kLastRetryNs = 1'000'000'000;

}  // namespace

void Core::install_view() {
  auto view = std::make_unique<lsm::ReadView>();
  view->active = active_;
  for (auto it = sealed_.rbegin(); it != sealed_.rend(); ++it) view->sealed.push_back(it->delta);
  view->version = state_->version;
  views_.install(std::move(view));
  changed_.notify_all();
}

// What the freed views alone held goes with them: files are removed here, so no lock is held.
void Core::reclaim_views() {
  std::vector<std::unique_ptr<const lsm::ReadView>> reclaimable;
  std::lock_guard<std::mutex> guard(mutex_);
  reclaimable = views_.take_reclaimable();
}

lsm::OutputTarget Core::output_target() {
  lsm::OutputTarget target;
  target.context = manifest_->context();
  target.next_id = [this] {
    std::lock_guard<std::mutex> guard(mutex_);
    const RunId id = next_run_id_;
    next_run_id_ = id.next();
    return id;
  };
  target.writer = {options_.compression, options_.run_block_bytes, options_.filter_bits_per_key};
  target.target_file_bytes = options_.run_target_bytes;
  return target;
}

// A dropped keyspace's entries go once nobody reads at a moment when it was still there.
bool Core::may_drop_entries(KeyspaceId keyspace) const {
  std::lock_guard<std::mutex> guard(mutex_);
  if (!state_->is_dropped(keyspace)) return false;
  const auto dropped = dropped_at_.find(keyspace);
  const Sequence oldest = snapshots_.oldest();
  return dropped == dropped_at_.end() || oldest == Sequence() || oldest > dropped->second;
}

// ---------------------------------------------------------------------------------------------------- manifest

// Either the edit is in force when this returns ok, or the old state still is. A manifest whose last append failed is
// replaced first, for what it says is open until then.
Status Core::put_in_force(const lsm::Edit& edit) {
  if (manifest_->must_switch() || manifest_->is_overgrown()) ASHLAR_TRY(manifest_->switch_to_new());
  Status status = manifest_->append(edit);
  if (status.ok() || !manifest_->must_switch()) return status;
  ASHLAR_TRY(manifest_->switch_to_new());
  return manifest_->append(edit);
}

void Core::after_failure(const Status& status) {
  std::lock_guard<std::mutex> guard(mutex_);
  background_error_ = status;
  ++failures_;
  ++failures_in_row_;
  changed_.notify_all();
}

void Core::after_success() {
  std::lock_guard<std::mutex> guard(mutex_);
  background_error_ = ok_status();
  failures_in_row_ = 0;
  changed_.notify_all();
}

uint64_t Core::retry_delay_ns() const {
  if (failures_in_row_ == 0) return 0;
  return std::min(kLastRetryNs, kFirstRetryNs << std::min<uint64_t>(failures_in_row_ - 1, 10));
}

// ------------------------------------------------------------------------------------------------------- flush

void Core::schedule_flush() {
  if (flushing_ || sealed_.empty() || closing_ || executor_ == nullptr) return;
  flushing_ = true;
  executor_->submit_after(io::Lane::flush, retry_delay_ns(), [this] { flush_some(); });
}

// The oldest sealed deltas, up to about one delta's worth: young databases seal small ones, and a run each would be many.
std::vector<std::shared_ptr<delta::Delta>> Core::deltas_to_flush() {
  std::lock_guard<std::mutex> guard(mutex_);
  std::vector<std::shared_ptr<delta::Delta>> deltas;
  uint64_t bytes = 0;
  for (const Sealed& sealed : sealed_) {
    bytes += sealed.delta->segment().tail();
    if (!deltas.empty() && bytes > options_.delta_bytes) break;
    deltas.push_back(sealed.delta);
  }
  return deltas;
}

void Core::flush_some() {
  const std::vector<std::shared_ptr<delta::Delta>> deltas = deltas_to_flush();
  if (!deltas.empty()) {
    const Status status = flush_deltas(deltas);
    if (status.ok()) {
      after_success();
    } else {
      after_failure(status);
    }
  }
  {
    std::lock_guard<std::mutex> guard(mutex_);
    flushing_ = false;
    schedule_flush();
    schedule_compaction();
    changed_.notify_all();
  }
  reclaim_views();
}

Status Core::flush_deltas(const std::vector<std::shared_ptr<delta::Delta>>& deltas) {
  std::shared_ptr<const lsm::Version> version;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    version = state_->version;
  }
  lsm::OutputRules rules;
  rules.boundaries = snapshots_.boundaries([this] { return pipeline_.visible(); });
  rules.tombstones = options_.canaries.drop_tombstones_early ? lsm::TombstonePolicy::drop_without_asking
                                                             : lsm::TombstonePolicy::drop_at_bottom;
  rules.deeper = lsm::DeeperRuns(*version, 0);
  rules.is_dropped = [this](KeyspaceId keyspace) { return may_drop_entries(keyspace); };
  std::vector<std::unique_ptr<kv::Cursor>> children;
  for (const auto& delta : deltas) {
    if (!delta->empty()) children.push_back(delta::flush_cursor(*delta));
  }
  lsm::Output output;
  if (!children.empty()) {
    const std::unique_ptr<kv::Cursor> input = lsm::merge(std::move(children));
    lsm::OutputTarget target = output_target();
    target.read_back = lsm::ReadBack::trust;
    target.target_file_bytes = UINT64_MAX;  // one run: level 0 counts runs, not bytes
    ASHLAR_ASSIGN(output, lsm::write_runs(*input, std::move(rules), target));
  }
  return install_flush(deltas, output);
}

Status Core::install_flush(const std::vector<std::shared_ptr<delta::Delta>>& deltas,
                           const lsm::Output& output) {
  std::lock_guard<std::mutex> one_edit_at_a_time(manifest_mutex_);
  lsm::Edit edit;
  for (const lsm::RunRef& run : output.runs) edit.added.push_back({0, run});
  {
    std::lock_guard<std::mutex> guard(mutex_);
    // What comes after the flushed deltas is the oldest segment still needed.
    const delta::Delta& oldest = deltas.size() < sealed_.size() ? *sealed_[deltas.size()].delta : *active_;
    const bool has_file = oldest.segment().medium() != journal::Medium::memory;
    edit.journaled = has_file;
    edit.journal_floor = has_file ? oldest.segment().id() : next_segment_id_;
    edit.flushed_sequence = deltas.back()->last_sequence();
    edit.next_run = next_run_id_;
    edit.next_segment = next_segment_id_;
  }
  const Status status = put_in_force(edit);
  if (!status.ok()) {
    // While the manifest's outcome is open the runs may turn out to be in force; the next open removes strays.
    if (!manifest_->must_switch()) {
      for (const lsm::RunRef& run : output.runs) run->mark_obsolete();
    }
    return status;
  }
  pipeline_.raise_durable(deltas.back()->last_sequence());
  std::lock_guard<std::mutex> guard(mutex_);
  state_ = manifest_->state();
  for (const auto& delta : deltas) delta->mark_flushed();
  sealed_.erase(sealed_.begin(), sealed_.begin() + static_cast<std::ptrdiff_t>(deltas.size()));
  ++counters_.flushes;
  counters_.bytes_flushed += output.bytes_written;
  install_view();
  return ok_status();
}

// Waits until everything sealed so far is in runs, or an attempt that began after this call failed.
Status Core::flush() {
  ASHLAR_TRY(rotate_if_used());
  std::unique_lock<std::mutex> lock(mutex_);
  if (sealed_.empty()) return ok_status();
  const std::shared_ptr<delta::Delta> last = sealed_.back().delta;
  const uint64_t failures_before = failures_;
  schedule_flush();
  const auto is_flushed = [&] {
    return sealed_.empty() || sealed_.front().delta->first_sequence() > last->last_sequence() ||
           std::none_of(sealed_.begin(), sealed_.end(),
                        [&](const Sealed& sealed) { return sealed.delta == last; });
  };
  executor_->wait(lock, changed_, [&] { return is_flushed() || failures_ > failures_before || closing_; });
  if (is_flushed()) return ok_status();
  return background_error_.ok() ? closed("the database is being closed") : background_error_;
}

// -------------------------------------------------------------------------------------------------- compaction

lsm::PickerOptions Core::picker_options() {
  lsm::PickerOptions picker;
  picker.level0_trigger = options_.level0_trigger;
  picker.level_base_bytes = options_.level_base_bytes;
  picker.oldest_boundary = snapshots_.boundaries([this] { return pipeline_.visible(); }).front();
  picker.is_dropped = [this](KeyspaceId keyspace) { return may_drop_entries(keyspace); };
  std::lock_guard<std::mutex> guard(mutex_);
  picker.resume_keys = resume_keys_;
  return picker;
}

bool Core::compaction_due() {
  std::shared_ptr<const lsm::State> state;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    state = state_;
  }
  return lsm::pick(*state->version, picker_options()).has_value();
}

void Core::schedule_compaction() {
  if (compacting_ || closing_ || executor_ == nullptr) return;
  compacting_ = true;
  executor_->submit_after(io::Lane::compact, retry_delay_ns(), [this] { compact_some(); });
}

void Core::compact_some() {
  const Result<bool> worked = compact_once(false);
  if (worked.ok() && *worked) after_success();
  if (!worked.ok()) {
    if (worked.status().code() != Code::cancelled) after_failure(worked.status());
  }
  const bool again = worked.ok() ? *worked : worked.status().code() != Code::corruption;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    compacting_ = false;
    if (again) schedule_compaction();
    changed_.notify_all();
  }
  reclaim_views();
}

// One compaction; false where none is due. The caller has set compacting_.
Result<bool> Core::compact_once(bool everything) {
  std::shared_ptr<const lsm::State> state;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    state = state_;
  }
  const lsm::PickerOptions picker = picker_options();
  const std::optional<lsm::Compaction> compaction =
      everything ? lsm::pick_everything(*state->version, picker) : lsm::pick(*state->version, picker);
  if (!compaction) return false;
  lsm::CompactionRules rules;
  rules.boundaries = snapshots_.boundaries([this] { return pipeline_.visible(); });
  rules.is_dropped = picker.is_dropped;
  if (options_.canaries.drop_tombstones_early) rules.tombstones = lsm::TombstonePolicy::drop_without_asking;
  rules.should_stop = [this] {
    std::lock_guard<std::mutex> guard(mutex_);
    return closing_;
  };
  ASHLAR_ASSIGN(lsm::CompactionResult result,
                lsm::run_compaction(*state->version, *compaction, rules, output_target()));
  ASHLAR_TRY(install_compaction(*compaction, result));
  return true;
}

Status Core::install_compaction(const lsm::Compaction& compaction, lsm::CompactionResult& result) {
  std::lock_guard<std::mutex> one_edit_at_a_time(manifest_mutex_);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    result.edit.next_run = next_run_id_;
  }
  const Status status = put_in_force(result.edit);
  if (!status.ok()) {
    if (!manifest_->must_switch()) lsm::discard(result);
    return status;
  }
  std::lock_guard<std::mutex> guard(mutex_);
  state_ = manifest_->state();
  if (!compaction.resume_key.empty()) resume_keys_[compaction.level] = compaction.resume_key;
  ++counters_.compactions;
  counters_.bytes_compacted += result.output.bytes_written;
  install_view();
  return ok_status();
}

Status Core::compact() {
  ASHLAR_TRY(flush());
  {
    std::unique_lock<std::mutex> lock(mutex_);
    // A background compaction that fails is tried again for ever; the caller hears of it instead of waiting as long.
    while (compacting_ && !closing_) {
      const uint64_t failures_before = failures_;
      executor_->wait(lock, changed_,
                      [&] { return !compacting_ || closing_ || failures_ > failures_before; });
      if (compacting_ && failures_ > failures_before && !background_error_.ok()) return background_error_;
    }
    if (closing_) return closed("the database is being closed");
    compacting_ = true;
  }
  // Once: it takes all runs. What a snapshot still needs would look like waste for ever.
  const Result<bool> worked = compact_once(true);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    compacting_ = false;
    schedule_compaction();
    changed_.notify_all();
  }
  reclaim_views();
  return worked.ok() ? ok_status() : worked.status();
}

Status Core::wait_idle() {
  ASHLAR_TRY(flush());
  while (true) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t failures_before = failures_;
    executor_->wait(lock, changed_, [&] {
      return (!compacting_ && !flushing_ && sealed_.empty()) || failures_ > failures_before || closing_;
    });
    if (failures_ > failures_before && !background_error_.ok()) return background_error_;
    if (closing_) return closed("the database is being closed");
    lock.unlock();
    if (!compaction_due()) break;
    lock.lock();
    schedule_compaction();
  }
  reclaim_views();
  return ok_status();
}

}  // namespace ashlar::store
