#include "store/store.h"

#include <mutex>

#include "store/core.h"

namespace ashlar::store {

namespace {

// Closed databases whose values are still pinned somewhere. A pin is a bare slot that cannot tell anybody when it goes, so
// the memory is looked after at the next open or close of any database.
std::mutex lingering_mutex;
std::vector<std::shared_ptr<Core>>& lingering() {
  static auto* const cores = new std::vector<std::shared_ptr<Core>>;
  return *cores;
}

void sweep_lingering() {
  std::vector<std::shared_ptr<Core>> done;
  std::lock_guard<std::mutex> guard(lingering_mutex);
  for (auto it = lingering().begin(); it != lingering().end();) {
    if ((*it)->has_pins()) {
      ++it;
      continue;
    }
    done.push_back(std::move(*it));
    it = lingering().erase(it);
  }
}

void let_go(std::shared_ptr<Core> core) {
  if (core == nullptr) return;
  if (core->has_pins()) {
    std::lock_guard<std::mutex> guard(lingering_mutex);
    lingering().push_back(std::move(core));
  }
  core.reset();
  sweep_lingering();
}

Status check_options(const Options& options) {
  if (options.delta_bytes < kMinDeltaBytes || options.delta_bytes > kMaxDeltaBytes) {
    return invalid_argument("delta_bytes is " + std::to_string(options.delta_bytes) + "; it must be from " +
                            std::to_string(kMinDeltaBytes) + " to " + std::to_string(kMaxDeltaBytes));
  }
  return ok_status();
}

Status closed_handle() { return closed("the database is closed"); }

}  // namespace

Snapshot::Snapshot(std::shared_ptr<Core> core, Sequence sequence)
    : core_(std::move(core)), sequence_(sequence) {}
Snapshot::~Snapshot() { core_->release_snapshot(sequence_); }

ScanOptions with_prefix(ScanOptions options, Bytes prefix) {
  if (options.lower < prefix) options.lower = std::string(prefix);
  std::string upper(prefix);
  while (!upper.empty() && static_cast<uint8_t>(upper.back()) == 0xff) upper.pop_back();
  if (upper.empty()) return options;
  upper.back() = static_cast<char>(static_cast<uint8_t>(upper.back()) + 1);
  if (!options.has_upper || upper < options.upper) options.upper = std::move(upper);
  options.has_upper = true;
  return options;
}

Result<std::unique_ptr<Store>> Store::open(io::Environment& environment, const std::string& path,
                                           Options options) {
  sweep_lingering();
  options.delta_bytes = journal::align_up(options.delta_bytes, journal::kBlockBytes);
  ASHLAR_TRY(check_options(options));
  ASHLAR_ASSIGN(std::shared_ptr<Core> core, Core::open(environment, path, options));
  return std::make_unique<Store>(std::move(core));
}

Store::Store(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Store::~Store() {
  if (core_ != nullptr) core_->abandon();
  let_go(std::move(core_));
}

Status Store::close() {
  if (core_ == nullptr) return closed_handle();
  Status status = core_->close();
  let_go(std::move(core_));
  return status;
}

Status Store::put(KeyspaceId keyspace, Bytes key, Bytes value, WriteMode mode) {
  if (ASHLAR_UNLIKELY(core_ == nullptr)) return closed_handle();
  return core_->write(kv::Mutation{kv::Kind::put, keyspace, key, value}, mode);
}

Status Store::remove(KeyspaceId keyspace, Bytes key, WriteMode mode) {
  if (core_ == nullptr) return closed_handle();
  return core_->write(kv::Mutation{kv::Kind::remove, keyspace, key, Bytes()}, mode);
}

Status Store::write(const kv::Batch& batch, WriteMode mode) {
  if (core_ == nullptr) return closed_handle();
  return core_->write(batch, mode);
}

Status Store::get(const Snapshot* snapshot, KeyspaceId keyspace, Bytes key, lsm::PinnedValue* value,
                  bool* found) {
  if (ASHLAR_UNLIKELY(core_ == nullptr)) return closed_handle();
  if (snapshot != nullptr && snapshot->core() != core_.get())
    return invalid_argument("snapshot of another database");
  return core_->get(snapshot, keyspace, key, value, found);
}

Result<std::unique_ptr<Snapshot>> Store::snapshot() {
  if (core_ == nullptr) return closed_handle();
  ASHLAR_ASSIGN(const Sequence sequence, core_->acquire_snapshot());
  return std::make_unique<Snapshot>(core_, sequence);
}

Result<std::unique_ptr<Iterator>> Store::iterate(const Snapshot* snapshot, KeyspaceId keyspace,
                                                 const ScanOptions& options) {
  if (core_ == nullptr) return closed_handle();
  if (snapshot != nullptr && snapshot->core() != core_.get())
    return invalid_argument("snapshot of another database");
  return core_->iterate(core_, snapshot, keyspace, options);
}

Result<KeyspaceId> Store::create_keyspace(Bytes name) {
  if (core_ == nullptr) return closed_handle();
  return core_->create_keyspace(name);
}

Result<std::optional<KeyspaceId>> Store::find_keyspace(Bytes name) {
  if (core_ == nullptr) return closed_handle();
  return core_->find_keyspace(name);
}

Status Store::drop_keyspace(KeyspaceId keyspace) {
  return core_ == nullptr ? closed_handle() : core_->drop_keyspace(keyspace);
}

Result<std::vector<KeyspaceInfo>> Store::keyspaces() {
  if (core_ == nullptr) return closed_handle();
  return core_->keyspaces();
}

Status Store::sync() { return core_ == nullptr ? closed_handle() : core_->sync(); }
Status Store::flush() { return core_ == nullptr ? closed_handle() : core_->flush(); }
Status Store::compact() { return core_ == nullptr ? closed_handle() : core_->compact(); }
Status Store::wait_idle() { return core_ == nullptr ? closed_handle() : core_->wait_idle(); }
Status Store::verify() { return core_ == nullptr ? closed_handle() : core_->verify(); }

Result<Stats> Store::stats() {
  if (core_ == nullptr) return closed_handle();
  return core_->stats();
}

std::string Store::background_error() { return core_ == nullptr ? std::string() : core_->background_error(); }

}  // namespace ashlar::store
