// Writes, reads, and what the store says about itself.
#include "store/core.h"

#include "delta/cursors.h"
#include "lsm/keyspace_cursor.h"
#include "lsm/merge_cursor.h"
#include "store/snapshot_iterator.h"

namespace ashlar::store {

// ------------------------------------------------------------------------------------------------------- writes

Status Core::write(const kv::Mutation& mutation, WriteMode mode) {
  ASHLAR_TRY(kv::check_sizes(mutation.key.size(), mutation.value.size()));
  ASHLAR_TRY(check_writable(mutation.keyspace));
  return after_write(pipeline_.commit(mutation, mode == WriteMode::sync), mode);
}

Status Core::write(const kv::Batch& batch, WriteMode mode) {
  for (const KeyspaceId keyspace : batch.keyspaces()) ASHLAR_TRY(check_writable(keyspace));
  // A synced commit takes all earlier ones with it, and so must one of nothing.
  if (ASHLAR_UNLIKELY(batch.empty() && mode == WriteMode::sync)) return sync();
  return after_write(pipeline_.commit(batch, mode == WriteMode::sync), mode);
}

// Without a journal only a flush makes a commit durable.
Status Core::after_write(Status status, WriteMode mode) {
  if (ASHLAR_LIKELY(mode == WriteMode::preset) || !status.ok() || medium() != journal::Medium::memory)
    return status;
  const Status flushed = flush();
  return flushed.ok() ? ok_status() : indeterminate("visible, but not durable: " + flushed.to_string());
}

// -------------------------------------------------------------------------------------------------------- reads

Result<Sequence> Core::acquire_snapshot() {
  return snapshots_.acquire([this] { return pipeline_.visible(); });
}

Status Core::get(const Snapshot* snapshot, KeyspaceId keyspace, Bytes key, lsm::PinnedValue* value,
                 bool* found) {
  *found = false;
  if (ASHLAR_UNLIKELY(keyspace.value != 0)) ASHLAR_TRY(check_readable(snapshot, keyspace));
  // The view first: whatever is published after it was taken may be missing in it, which is as if it came later.
  lsm::ViewPin view = views_.acquire();
  const Sequence at = snapshot != nullptr ? snapshot->sequence() : pipeline_.visible();
  const art::Record* record = view->active->find(keyspace, key, at);
  for (auto sealed = view->sealed.begin(); record == nullptr && sealed != view->sealed.end(); ++sealed) {
    record = (*sealed)->find(keyspace, key, at);
  }
  if (record != nullptr) {
    *found = record->kind() == static_cast<uint8_t>(kv::Kind::put);
    if (*found) *value = lsm::PinnedValue(record->value(), std::move(view));
    return ok_status();
  }
  if (view->version->run_count() == 0) return ok_status();
  ASHLAR_ASSIGN(*found, get_in_runs(*view, keyspace, key, at, value));
  return ok_status();
}

Result<bool> Core::get_in_runs(const lsm::ReadView& view, KeyspaceId keyspace, Bytes key, Sequence at,
                               lsm::PinnedValue* value) {
  char inline_key[256];
  std::string long_key;
  Bytes stored_key;
  if (key.size() + kv::kKeyspacePrefixBytes <= sizeof inline_key) {
    kv::store_keyspace_prefix(inline_key, keyspace);
    if (!key.empty()) std::memcpy(inline_key + kv::kKeyspacePrefixBytes, key.data(), key.size());
    stored_key = Bytes(inline_key, key.size() + kv::kKeyspacePrefixBytes);
  } else {
    kv::set_stored_key(long_key, keyspace, key);
    stored_key = long_key;
  }
  run::Found found;
  ASHLAR_TRY(view.version->get(stored_key, run::Reader::hash_key(stored_key), at, &found));
  if (!found.found || kv::trailer_kind(found.trailer) != kv::Kind::put) return false;
  *value = lsm::PinnedValue(found.value, std::move(found.pin));
  return true;
}

Result<std::unique_ptr<Iterator>> Core::iterate(std::shared_ptr<Core> self, const Snapshot* snapshot,
                                                KeyspaceId keyspace, const ScanOptions& options) {
  ASHLAR_TRY(check_readable(snapshot, keyspace));
  lsm::ViewPin view = views_.acquire();
  Sequence at = pipeline_.visible();
  // Without a snapshot the sequence must be one that this view holds wholly: the view was still current after it was read.
  while (snapshot == nullptr && !views_.is_current(&*view)) {
    view = views_.acquire();
    at = pipeline_.visible();
  }
  if (snapshot != nullptr) at = snapshot->sequence();
  std::vector<std::unique_ptr<kv::Cursor>> children;
  children.push_back(delta::read_cursor(*view->active, keyspace, at));
  for (const auto& sealed : view->sealed) children.push_back(delta::read_cursor(*sealed, keyspace, at));
  const lsm::KeyspaceRange range(keyspace);
  std::vector<std::unique_ptr<kv::Cursor>> stored;
  view->version->append_cursors(range.range(), {}, &stored);
  for (auto& cursor : stored)
    children.push_back(std::make_unique<lsm::KeyspaceCursor>(std::move(cursor), keyspace));
  lsm::Bounds bounds;
  bounds.lower = options.lower;
  if (options.has_upper) bounds.upper = options.upper;
  lsm::VisibleCursor cursor(lsm::merge(std::move(children)), at, std::move(bounds));
  return std::unique_ptr<Iterator>(std::make_unique<SnapshotIterator>(std::move(self), std::move(view),
                                                                      std::move(cursor), options.keys_only));
}

// ---------------------------------------------------------------------------------------------------- the rest

Status Core::sync() {
  if (medium() == journal::Medium::memory) return flush();
  return sync_segments(pipeline_.visible());
}

Status Core::verify() {
  ASHLAR_TRY(verify_journal());
  const lsm::ViewPin view = views_.acquire();
  ASHLAR_TRY(view->version->check());
  for (const auto& level : view->version->levels()) {
    for (const lsm::RunRef& run : level) {
      ASHLAR_ASSIGN(const run::Reader* reader, run->reader());
      ASHLAR_TRY(reader->verify());
    }
  }
  return ok_status();
}

Status Core::verify_journal() {
  if (options_.preset == Preset::fast) return ok_status();
  const lsm::ViewPin view = views_.acquire();
  std::vector<std::shared_ptr<delta::Delta>> deltas = view->sealed;
  deltas.push_back(view->active);
  for (const auto& delta : deltas) {
    const journal::Segment& segment = delta->segment();
    if (segment.medium() == journal::Medium::memory) continue;
    const uint64_t end = pipeline_.exclusively([&] { return segment.tail(); });
    for (uint64_t offset = journal::kHeaderBytes; offset < end;) {
      const std::optional<journal::Frame> frame =
          journal::read_frame(segment.bytes(), offset, segment.salt());
      if (!frame) {
        return corruption(segment.file_name() + " at " + std::to_string(offset) +
                          ": expected a valid frame before " + std::to_string(end));
      }
      offset = frame->end;
    }
  }
  return ok_status();
}

Result<Stats> Core::stats() {
  std::lock_guard<std::mutex> guard(mutex_);
  Stats stats = counters_;
  stats.keyspaces = static_cast<uint32_t>(state_->keyspaces.size());
  stats.last_sequence = pipeline_.visible().value;
  stats.oldest_snapshot = snapshots_.oldest().value;
  stats.snapshots = snapshots_.count();
  stats.bytes_committed = pipeline_.bytes_committed();
  const auto count_delta = [&stats](const delta::Delta& delta) {
    stats.delta_bytes += delta.memory_bytes();
    if (delta.segment().medium() != journal::Medium::memory)
      stats.journal_bytes += delta.segment().capacity_bytes();
  };
  count_delta(*active_);
  for (const Sealed& sealed : sealed_) count_delta(*sealed.delta);
  stats.sealed_deltas = sealed_.size();
  if (spare_ != nullptr && spare_->medium() != journal::Medium::memory)
    stats.journal_bytes += spare_->capacity_bytes();
  stats.journal_bytes += pool_->idle_bytes();
  for (size_t level = 0; level < lsm::kLevels; ++level) {
    for (const lsm::RunRef& run : state_->version->level(level)) {
      ++stats.run_files;
      ++stats.level_files[level];
      stats.run_bytes += run->size_bytes();
      stats.level_bytes[level] += run->size_bytes();
      stats.run_entries += run->properties().entry_count;
      stats.run_tombstones += run->properties().tombstone_count;
    }
  }
  const run::BlockCache::Stats cache = cache_->stats();
  stats.cache_bytes = cache.used_bytes;
  stats.cache_hits = cache.hits;
  stats.cache_misses = cache.misses;
  return stats;
}

std::string Core::background_error() {
  std::lock_guard<std::mutex> guard(mutex_);
  return background_error_.ok() ? std::string() : background_error_.to_string();
}

Status Core::close() {
  Status status = sync();
  if (!status.ok()) status = flush();  // what cannot be synced any more can still be written elsewhere
  if (status.ok()) {
    status = pipeline_.exclusively([this] {
      if (watermark_ != pipeline_.durable()) ASHLAR_TRY(pipeline_.append_watermark());
      watermark_ = pipeline_.durable();
      pipeline_.close_segment();
      return ok_status();
    });
  }
  if (status.ok() && medium() == journal::Medium::mapped) status = sync();
  abandon();
  return status;
}

void Core::abandon() {
  {
    std::lock_guard<std::mutex> guard(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (executor_) executor_->stop();
}

}  // namespace ashlar::store
