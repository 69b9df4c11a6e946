// Keyspaces: names and ids, durable through the manifest.
#include <algorithm>

#include "store/core.h"

namespace ashlar::store {

namespace {
constexpr size_t kMaxNameBytes = 255;
constexpr size_t kMaxKeyspaces = 65536;
}  // namespace

void Core::publish_keyspaces() {
  std::vector<uint32_t> ids;
  for (const auto& [id, keyspace] : state_->keyspaces) ids.push_back(id.value);
  keyspace_sets_.push_back(std::make_unique<const KeyspaceSet>(std::move(ids)));
  keyspace_set_.store(keyspace_sets_.back().get(), std::memory_order_release);
}

Status Core::check_writable(KeyspaceId keyspace) const {
  if (ASHLAR_LIKELY(keyspace.value == 0)) return ok_status();
  if (keyspace_set_.load(std::memory_order_acquire)->contains(keyspace)) return ok_status();
  return invalid_argument("no keyspace has the id " + std::to_string(keyspace.value));
}

// A snapshot from before the drop still sees the keyspace.
Status Core::check_readable(const Snapshot* snapshot, KeyspaceId keyspace) const {
  Status status = check_writable(keyspace);
  if (ASHLAR_LIKELY(status.ok()) || snapshot == nullptr) return status;
  std::lock_guard<std::mutex> guard(mutex_);
  const auto dropped = dropped_at_.find(keyspace);
  if (dropped != dropped_at_.end() && snapshot->sequence() <= dropped->second) return ok_status();
  return status;
}

Result<KeyspaceId> Core::create_keyspace(Bytes name) {
  if (name.empty() || name.size() > kMaxNameBytes) {
    return invalid_argument("a keyspace name has 1 to " + std::to_string(kMaxNameBytes) + " bytes, not " +
                            std::to_string(name.size()));
  }
  std::lock_guard<std::mutex> one_edit_at_a_time(manifest_mutex_);
  const std::shared_ptr<const lsm::State> state = manifest_->state();
  for (const auto& [id, keyspace] : state->keyspaces) {
    if (keyspace.name == name) return id;
  }
  if (state->keyspaces.size() >= kMaxKeyspaces || state->next_keyspace.value == UINT32_MAX) {
    return limit_exceeded("more than " + std::to_string(kMaxKeyspaces) + " keyspaces");
  }
  const KeyspaceId id = state->next_keyspace;
  lsm::Edit edit;
  edit.created.push_back({id, std::string(name), ""});
  edit.next_keyspace = KeyspaceId(id.value + 1);
  ASHLAR_TRY(put_in_force(edit));
  std::lock_guard<std::mutex> guard(mutex_);
  state_ = manifest_->state();
  publish_keyspaces();
  return id;
}

Result<std::optional<KeyspaceId>> Core::find_keyspace(Bytes name) {
  std::lock_guard<std::mutex> guard(mutex_);
  for (const auto& [id, keyspace] : state_->keyspaces) {
    if (keyspace.name == name) return std::optional<KeyspaceId>(id);
  }
  return std::optional<KeyspaceId>();
}

Status Core::drop_keyspace(KeyspaceId keyspace) {
  if (keyspace.value == 0) return invalid_argument("the default keyspace cannot be dropped");
  ASHLAR_TRY(check_writable(keyspace));
  std::lock_guard<std::mutex> one_edit_at_a_time(manifest_mutex_);
  lsm::Edit edit;
  edit.dropped.push_back(keyspace);
  ASHLAR_TRY(put_in_force(edit));
  // A commit under way when the id became invalid may still land; nobody can read it, and it goes with the rest.
  const Sequence now = pipeline_.visible();
  std::lock_guard<std::mutex> guard(mutex_);
  state_ = manifest_->state();
  dropped_at_[keyspace] = now;
  publish_keyspaces();
  schedule_compaction();
  return ok_status();
}

Result<std::vector<KeyspaceInfo>> Core::keyspaces() {
  std::lock_guard<std::mutex> guard(mutex_);
  std::vector<KeyspaceInfo> infos;
  for (const auto& [id, keyspace] : state_->keyspaces) infos.push_back({id, keyspace.name});
  return infos;
}

}  // namespace ashlar::store
