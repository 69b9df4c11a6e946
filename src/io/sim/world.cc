#include "io/sim/world.h"

#include "base/check.h"
#include "base/checksum.h"
#include "io/sim/handles.h"

namespace ashlar::io::sim {

namespace {

constexpr uint64_t kCallNs = 1'000;
constexpr uint64_t kSyncNs = 100'000;
constexpr uint64_t kClockReadNs = 25;
constexpr uint64_t kWallOriginNs = 1'767'225'600'000'000'000;  // 2026-01-01

uint64_t duration_ns(Call call, uint64_t size_bytes) {
  if (call == Call::sync || call == Call::sync_directory) return kSyncNs;
  const bool moves_bytes = call == Call::read || call == Call::write || call == Call::fill;
  return kCallNs + (moves_bytes ? size_bytes / 4 : 0);
}

// "db/MANIFEST" -> "db", "MANIFEST".
std::pair<std::string, std::string> split(const std::string& path) {
  const size_t slash = path.rfind('/');
  ASHLAR_CHECK(slash != std::string::npos);
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// "db//x/" and "db/x" are one directory.
std::string normalized(const std::string& path) {
  std::string result;
  for (const char c : path) {
    if (c != '/' || result.empty() || result.back() != '/') result += c;
  }
  if (result.size() > 1 && result.back() == '/') result.pop_back();
  return result;
}

uint64_t mixed(uint64_t seed, uint64_t stream) {
  uint64_t state = seed + stream * 0x9e3779b97f4a7c15u;
  return split_mix(state);
}

}  // namespace

uint64_t World::VirtualClock::monotonic_ns() const {
  scheduler_.pass(kClockReadNs);
  return scheduler_.now_ns();
}

uint64_t World::VirtualClock::wall_ns() const { return kWallOriginNs + scheduler_.now_ns(); }

World::World(uint64_t seed) : prng_(mixed(seed, 1)), scheduler_(mixed(seed, 2)), clock_(scheduler_) {
  boot_id_ = draw_uuid();
  begin_process();
}

World::World(uint64_t seed, const World& other)
    : prng_(mixed(seed, 1)),
      scheduler_(mixed(seed, 2)),
      clock_(scheduler_),
      disk_(other.disk_),
      boot_id_(other.boot_id_),
      write_back_one_in_(other.write_back_one_in_) {
  scheduler_.pass(other.scheduler_.now_ns());
  begin_process();
}

World::~World() = default;

std::unique_ptr<World> World::clone(uint64_t seed) const {
  return std::unique_ptr<World>(new World(seed, *this));
}

Uuid World::draw_uuid() {
  const uint64_t high = prng_.next();
  return Uuid{high, prng_.next()};
}

Uuid World::random_uuid() { return draw_uuid(); }

void World::begin_process() {
  const uint64_t id = process_ == nullptr ? 1 : process_->id + 1;
  process_ = std::make_shared<Process>(Process{id});
  crash_countdown_ = 0;
}

void World::end_process() {
  ASHLAR_CHECK(!process_->dead);
  process_->dead = true;
  disk_.end_process();
  locks_.clear();
}

void World::kill_process() {
  ASHLAR_CHECK(!scheduler_.running());
  end_process();
  begin_process();
}

void World::power_cut(Survival survival) {
  ASHLAR_CHECK(!scheduler_.running());
  if (!process_->dead) end_process();
  disk_.power_cut(prng_, survival);
  boot_id_ = draw_uuid();
  begin_process();
}

void World::crash_at(uint64_t nth, Crash crash, Survival survival) {
  crash_countdown_ = nth;
  crash_ = crash;
  survival_ = survival;
}

Status World::crash_now() {
  end_process();
  if (crash_ == Crash::power_cut) {
    disk_.power_cut(prng_, survival_);
    boot_id_ = draw_uuid();
  }
  return io_error("simulated crash");
}

void World::restart() {
  ASHLAR_CHECK(process_->dead && !scheduler_.running());
  begin_process();
}

void World::write_back(uint64_t sectors) {
  for (uint64_t i = 0; i < sectors; ++i) disk_.write_back(prng_);
}

void World::record(Bytes bytes) { history_ = checksum(bytes, history_); }

Fate World::admit(const Process& process, Call call, const std::string& name, uint64_t offset,
                  uint64_t size_bytes, const std::string& other_name) {
  Fate fate;
  if (process.dead) {
    fate.dead = io_error(std::string(call_name(call)) + " " + name + ": simulated crash");
    return fate;
  }
  ++calls_[static_cast<size_t>(call)];
  scheduler_.pass(duration_ns(call, size_bytes));
  const uint64_t words[] = {static_cast<uint64_t>(call), offset, size_bytes, scheduler_.now_ns()};
  record(Bytes(reinterpret_cast<const char*>(words), sizeof words));
  record(name);
  if (write_back_one_in_ != 0 && prng_.one_in(write_back_one_in_)) disk_.write_back(prng_);
  if (changes_disk(call)) {
    ++disk_changes_;
    if (crash_countdown_ != 0 && --crash_countdown_ == 0) {
      fate.crash = true;
      return fate;
    }
  }
  fate.fault = faults_.strike(call, name, other_name);
  return fate;
}

Result<std::unique_ptr<Directory>> World::open_directory(const std::string& path, CreateMode mode) {
  if (path.empty()) return invalid_argument("open: the directory path is empty");
  const std::string key = normalized(path);
  const Fate fate = admit(*process_, Call::open, key, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::open, key);
  std::shared_ptr<Folder> folder = disk_.find_folder(key);
  if (folder == nullptr) {
    if (mode == CreateMode::must_exist) return io_error("open directory " + path + ": no such file");
    folder = disk_.create_folder(key);
  }
  return std::unique_ptr<Directory>(
      std::make_unique<SimDirectory>(*this, process_, std::move(folder), key, path));
}

bool World::take_lock(const std::string& path) { return locks_.emplace(path, process_->id).second; }

uint64_t World::room_bytes() const {
  if (disk_.capacity_bytes() == UINT64_MAX) return UINT64_MAX;
  const uint64_t used = disk_.used_bytes();
  return used >= disk_.capacity_bytes() ? 0 : disk_.capacity_bytes() - used;
}

std::vector<std::string> World::files() const {
  std::vector<std::string> paths;
  for (const auto& [path, folder] : disk_.folders()) {
    for (const auto& [name, inode] : folder->current) paths.push_back(path + "/" + name);
  }
  return paths;
}

std::optional<std::string> World::read_file(const std::string& path) const {
  const auto [directory, name] = split(path);
  const auto folder = disk_.find_folder(directory);
  const auto inode = folder == nullptr ? nullptr : Disk::find(*folder, name);
  if (inode == nullptr) return std::nullopt;
  return std::string(inode->bytes());
}

void World::replace_file(const std::string& path, Bytes bytes) {
  const auto [directory, name] = split(path);
  const std::string copy(bytes);
  const auto folder = disk_.create_folder(directory);
  auto inode = Disk::find(*folder, name);
  if (inode == nullptr) inode = disk_.create(*folder, name);
  ASHLAR_CHECK(!inode->open());
  inode->resize(0, disk_.next_time());
  inode->write(0, copy, disk_.next_time());
  inode->sync();
  folder->durable[name] = inode;
}

void World::remove_file(const std::string& path) {
  const auto [directory, name] = split(path);
  const auto folder = disk_.find_folder(directory);
  ASHLAR_CHECK(folder != nullptr);
  folder->current.erase(name);
  folder->durable.erase(name);
}

}  // namespace ashlar::io::sim
