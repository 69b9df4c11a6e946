#include "io/sim/handles.h"

namespace ashlar::io::sim {

namespace {

class SimLock final : public Lock {
 public:
  SimLock(World& world, std::shared_ptr<Process> process, std::string path)
      : world_(world), process_(std::move(process)), path_(std::move(path)) {}
  SimLock(const SimLock&) = delete;
  SimLock& operator=(const SimLock&) = delete;
  ~SimLock() override {
    if (!process_->dead) world_.drop_lock(path_);
  }

 private:
  World& world_;
  std::shared_ptr<Process> process_;
  std::string path_;
};

}  // namespace

Status fault_status(const Fault& fault, Call call, const std::string& name) {
  const bool full = fault.effect == Effect::no_space;
  return Status(
      full ? Code::no_space : Code::io,
      std::string(call_name(call)) + " " + name + (full ? ": simulated full disk" : ": simulated failure"));
}

Status SimDirectory::check_name(const std::string& name) const {
  const bool flat = !name.empty() && name != "." && name != ".." &&
                    name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  return flat ? ok_status() : invalid_argument("in " + path_ + ": '" + name + "' is not a plain file name");
}

// Whether a call that is all or nothing takes effect: always, but for one that crashes.
bool SimDirectory::does_happen(const Fate& fate) const { return !fate.crash || world_.prng().one_in(2); }

Status SimDirectory::missing(Call call, const std::string& name) const {
  return io_error(std::string(call_name(call)) + " " + path_ + "/" + name + ": no such file");
}

Result<std::unique_ptr<File>> SimDirectory::open(const std::string& name, OpenMode mode) {
  ASHLAR_TRY(check_name(name));
  const Call call = mode == OpenMode::create ? Call::create : Call::open;
  const Fate fate = world_.admit(*process_, call, name, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, call, name);
  std::shared_ptr<Inode> inode = Disk::find(*folder_, name);
  if (mode == OpenMode::create) {
    const bool exists = inode != nullptr;
    if (!exists && does_happen(fate)) inode = world_.disk().create(*folder_, name);
    if (fate.crash) return world_.crash_now();
    if (exists) return io_error("create " + path_ + "/" + name + ": file exists");
  }
  if (inode == nullptr) return missing(call, name);
  const bool writable = mode != OpenMode::read_only;
  return std::unique_ptr<File>(std::make_unique<SimFile>(world_, process_, std::move(inode), name, writable));
}

Result<std::vector<std::string>> SimDirectory::list() {
  const Fate fate = world_.admit(*process_, Call::list, key_, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::list, key_);
  std::vector<std::string> names;
  for (const auto& [name, inode] : folder_->current) names.push_back(name);
  // No order is promised: none that a caller could rely on.
  for (size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[world_.prng().below(i)]);
  return names;
}

Status SimDirectory::rename(const std::string& from, const std::string& to) {
  ASHLAR_TRY(check_name(from));
  ASHLAR_TRY(check_name(to));
  const Fate fate = world_.admit(*process_, Call::rename, from, 0, 0, to);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::rename, from);
  const std::shared_ptr<Inode> inode = Disk::find(*folder_, from);
  if (inode != nullptr && from != to && does_happen(fate)) {
    folder_->current[to] = inode;
    folder_->current.erase(from);
  }
  if (fate.crash) return world_.crash_now();
  return inode != nullptr ? ok_status() : missing(Call::rename, from);
}

Status SimDirectory::remove(const std::string& name) {
  ASHLAR_TRY(check_name(name));
  const Fate fate = world_.admit(*process_, Call::remove, name, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::remove, name);
  const bool exists = Disk::find(*folder_, name) != nullptr;
  if (exists && does_happen(fate)) folder_->current.erase(name);
  if (fate.crash) return world_.crash_now();
  return exists ? ok_status() : missing(Call::remove, name);
}

Status SimDirectory::sync() {
  const Fate fate = world_.admit(*process_, Call::sync_directory, key_, 0, 0);
  ASHLAR_TRY(fate.dead);
  const bool failed = fate.fault != nullptr && fate.fault->effect != Effect::lose;
  if (fate.fault == nullptr && (!fate.crash || world_.prng().one_in(3))) {
    world_.disk().sync(*folder_);
  } else if (fate.crash || failed) {
    Disk::sync_some(*folder_, world_.prng());
  }
  if (failed) return fault_status(*fate.fault, Call::sync_directory, key_);
  return fate.crash ? world_.crash_now() : ok_status();
}

Result<std::unique_ptr<Lock>> SimDirectory::lock(const std::string& name) {
  ASHLAR_TRY(check_name(name));
  const Fate fate = world_.admit(*process_, Call::lock, name, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::lock, name);
  const std::string path = key_ + "/" + name;
  if (!world_.take_lock(path)) {
    return busy("lock " + path_ + "/" + name + ": held by process " + std::to_string(process_->id) +
                " (simulated)");
  }
  if (Disk::find(*folder_, name) == nullptr) world_.disk().create(*folder_, name);
  return std::unique_ptr<Lock>(std::make_unique<SimLock>(world_, process_, path));
}

Result<uint64_t> SimDirectory::free_bytes() {
  const Fate fate = world_.admit(*process_, Call::free_bytes, key_, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::free_bytes, key_);
  constexpr uint64_t kUnlimitedBytes = uint64_t{1} << 40;
  return std::min(world_.room_bytes(), kUnlimitedBytes);
}

}  // namespace ashlar::io::sim
