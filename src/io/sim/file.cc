#include <algorithm>

#include "io/sim/handles.h"

namespace ashlar::io::sim {

namespace {

enum class Extent : uint8_t { nothing, part, all };

// How much of its work a call that does not return has done.
Extent draw_extent(Prng& prng) {
  const uint64_t drawn = prng.below(4);
  return drawn == 0 ? Extent::nothing : drawn == 1 ? Extent::all : Extent::part;
}

Status full_disk(Call call, const std::string& name) {
  return Status(Code::no_space, std::string(call_name(call)) + " " + name + ": the simulated disk is full");
}

// The work of one sync, done as `fate` wants it; `whole` does it all.
template <typename Whole>
Status carry_out_sync(World& world, const Fate& fate, Inode& inode, const std::string& name, Whole whole) {
  ASHLAR_TRY(fate.dead);
  if (fate.crash) {
    const Extent extent = draw_extent(world.prng());
    if (extent == Extent::part) inode.sync_some(world.prng());
    if (extent == Extent::all) whole();
    return world.crash_now();
  }
  if (fate.fault != nullptr) {
    if (fate.fault->effect == Effect::lose) return ok_status();
    inode.fail_sync(world.prng());
    return fault_status(*fate.fault, Call::sync, name);
  }
  whole();
  return ok_status();
}

class SimMapping final : public Mapping {
 public:
  SimMapping(World& world, std::shared_ptr<Process> process, std::shared_ptr<Inode> inode, std::string name,
             std::shared_ptr<char[]> memory, uint64_t size_bytes)
      : Mapping(memory.get(), size_bytes),
        world_(world),
        process_(std::move(process)),
        inode_(std::move(inode)),
        name_(std::move(name)),
        memory_(std::move(memory)) {}
  SimMapping(const SimMapping&) = delete;
  SimMapping& operator=(const SimMapping&) = delete;
  ~SimMapping() override {
    if (!process_->dead) inode_->unmap();
  }

  Status sync(uint64_t offset, uint64_t length_bytes) override {
    if (offset > size_bytes() || length_bytes > size_bytes() - offset) {
      return invalid_argument("sync " + name_ + ": outside the mapping");
    }
    const Fate fate = world_.admit(*process_, Call::sync, name_, offset, length_bytes);
    return carry_out_sync(world_, fate, *inode_, name_, [&] { inode_->sync_range(offset, length_bytes); });
  }

 private:
  World& world_;
  std::shared_ptr<Process> process_;
  std::shared_ptr<Inode> inode_;
  std::string name_;
  std::shared_ptr<char[]> memory_;
};

}  // namespace

SimFile::SimFile(World& world, std::shared_ptr<Process> process, std::shared_ptr<Inode> inode,
                 std::string name, bool writable)
    : world_(world),
      process_(std::move(process)),
      inode_(std::move(inode)),
      name_(std::move(name)),
      writable_(writable) {
  inode_->add_handle();
}

SimFile::~SimFile() {
  if (!process_->dead) inode_->drop_handle();
}

Status SimFile::check_writable(Call call) const {
  if (writable_) return ok_status();
  return io_error(std::string(call_name(call)) + " " + name_ + ": opened for reading only");
}

Bytes SimFile::cut(Bytes bytes, uint64_t limit_bytes) {
  const uint64_t longest = std::min<uint64_t>(bytes.size(), limit_bytes);
  return bytes.substr(0, world_.prng().between(0, longest));
}

uint64_t SimFile::misdirected(uint64_t offset, uint64_t size_bytes) {
  const uint64_t within = offset % Inode::kSectorBytes;
  const uint64_t own = offset / Inode::kSectorBytes;
  // A mapped file cannot grow here; one that is not may be hit just behind its end.
  const uint64_t limit = inode_->size_bytes() + (inode_->mapped() ? 0 : size_bytes + Inode::kSectorBytes);
  const uint64_t room = limit < within + size_bytes ? 0 : (limit - within - size_bytes) / Inode::kSectorBytes;
  const uint64_t other = world_.prng().between(0, room);
  if (other != own) return other * Inode::kSectorBytes + within;
  return (own == room ? 0 : own + 1) * Inode::kSectorBytes + within;
}

Result<size_t> SimFile::read_at(uint64_t offset, void* buffer, size_t size_bytes) const {
  const Fate fate = world_.admit(*process_, Call::read, name_, offset, size_bytes);
  ASHLAR_TRY(fate.dead);
  size_t count = inode_->read(offset, buffer, size_bytes);
  if (fate.fault == nullptr) return count;
  switch (fate.fault->effect) {
    case Effect::short_read:
      if (count != 0) count = world_.prng().below(count);
      return count;
    case Effect::flip_bit:
      if (count != 0) {
        const uint64_t bit = world_.prng().below(count * 8);
        auto* bytes = static_cast<uint8_t*>(buffer);
        bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
      }
      return count;
    default:
      return fault_status(*fate.fault, Call::read, name_);
  }
}

Status SimFile::write_at(uint64_t offset, Bytes bytes) {
  ASHLAR_TRY(check_writable(Call::write));
  const Fate fate = world_.admit(*process_, Call::write, name_, offset, bytes.size());
  ASHLAR_TRY(fate.dead);
  world_.record(bytes);
  const uint64_t time = world_.disk().next_time();
  if (fate.crash) {
    const Extent extent = draw_extent(world_.prng());
    if (extent == Extent::part) bytes = cut(bytes, bytes.size());
    if (extent != Extent::nothing) inode_->write(offset, bytes, time);
    return world_.crash_now();
  }
  if (fate.fault != nullptr) {
    if (fate.fault->effect == Effect::lose) return ok_status();
    if (fate.fault->effect == Effect::misdirect) {
      inode_->write(misdirected(offset, bytes.size()), bytes, time);
      return ok_status();
    }
    inode_->write(offset, cut(bytes, bytes.size()), time);
    return fault_status(*fate.fault, Call::write, name_);
  }
  const uint64_t end = offset + bytes.size();
  const uint64_t growth = end > inode_->size_bytes() ? end - inode_->size_bytes() : 0;
  const uint64_t room = growth == 0 ? 0 : world_.room_bytes();
  if (growth > room) {
    const uint64_t missing = growth - room;
    if (missing < bytes.size()) inode_->write(offset, cut(bytes, bytes.size() - missing), time);
    return full_disk(Call::write, name_);
  }
  inode_->write(offset, bytes, time);
  return ok_status();
}

Status SimFile::sync() {
  const Fate fate = world_.admit(*process_, Call::sync, name_, 0, 0);
  return carry_out_sync(world_, fate, *inode_, name_, [&] { inode_->sync(); });
}

Result<uint64_t> SimFile::size_bytes() const {
  const Fate fate = world_.admit(*process_, Call::size, name_, 0, 0);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::size, name_);
  return inode_->size_bytes();
}

Status SimFile::resize(uint64_t size_bytes) {
  ASHLAR_TRY(check_writable(Call::resize));
  const Fate fate = world_.admit(*process_, Call::resize, name_, 0, size_bytes);
  ASHLAR_TRY(fate.dead);
  if (fate.fault != nullptr) return fault_status(*fate.fault, Call::resize, name_);
  const uint64_t before = inode_->size_bytes();
  const bool too_large = size_bytes > before && size_bytes - before > world_.room_bytes();
  if (!too_large && (!fate.crash || world_.prng().one_in(2)))
    inode_->resize(size_bytes, world_.disk().next_time());
  if (fate.crash) return world_.crash_now();
  return too_large ? full_disk(Call::resize, name_) : ok_status();
}

Status SimFile::fill_zeros(uint64_t size_bytes) {
  ASHLAR_TRY(check_writable(Call::fill));
  const Fate fate = world_.admit(*process_, Call::fill, name_, 0, size_bytes);
  ASHLAR_TRY(fate.dead);
  const uint64_t time = world_.disk().next_time();
  const uint64_t before = inode_->size_bytes();
  const bool too_large = size_bytes > before && size_bytes - before > world_.room_bytes();
  if (!fate.crash && fate.fault == nullptr && !too_large) {
    inode_->fill_zeros(size_bytes, time);
    return ok_status();
  }
  // Emptied first, then filled from the front.
  const Extent extent = draw_extent(world_.prng());
  const uint64_t longest = too_large ? before : size_bytes;
  if (extent == Extent::part) inode_->fill_zeros(world_.prng().between(0, longest), time);
  if (extent == Extent::all && fate.crash && !too_large) inode_->fill_zeros(size_bytes, time);
  if (fate.crash) return world_.crash_now();
  return fate.fault != nullptr ? fault_status(*fate.fault, Call::fill, name_) : full_disk(Call::fill, name_);
}

Result<std::unique_ptr<Mapping>> SimFile::map(uint64_t size_bytes) {
  ASHLAR_TRY(check_writable(Call::map));
  const Fate fate = world_.admit(*process_, Call::map, name_, 0, size_bytes);
  ASHLAR_TRY(fate.dead);
  if (fate.crash) return world_.crash_now();
  if (fate.fault != nullptr && fate.fault->effect != Effect::flip_bit) {
    return fault_status(*fate.fault, Call::map, name_);
  }
  if (size_bytes == 0 || size_bytes > inode_->size_bytes()) {
    return invalid_argument("map " + name_ + ": " + std::to_string(size_bytes) + " bytes of a file of " +
                            std::to_string(inode_->size_bytes()));
  }
  if (fate.fault != nullptr) inode_->flip_bit(world_.prng().below(size_bytes * 8));
  std::shared_ptr<char[]> memory = inode_->map(size_bytes);
  return std::unique_ptr<Mapping>(
      std::make_unique<SimMapping>(world_, process_, inode_, name_, std::move(memory), size_bytes));
}

}  // namespace ashlar::io::sim
