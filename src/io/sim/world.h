// A simulated machine made from a seed: disk, clock, threads and randomness, with every way to lose them.
//
//   World          seed -> disk (disk.h), faults (fault.h), scheduler (scheduler.h)
//     process 1    handles: directories, files, mappings, locks, executors   <- dead after a crash
//     process 2    ...                                                        <- made by restart()
//
//   world.crash_at(17, Crash::power_cut);     the 17th call that changes the disk does not return
//   ... work until something reports io "simulated crash", or world.crashed() ...
//   db.reset(); world.restart(); reopen, compare with the model
//
// I1 Same seed, same calls: same history, bit for bit. history_hash() covers every I/O call and what was written.
// I2 What a sync that returned ok covered is never lost by a power cut; what nothing covered may be.
// I3 Calls of a dead process fail with io and change nothing; its mappings stay memory and lead nowhere.
// I4 A process crash loses nothing that was written or stored; a power cut also changes the boot id.
// Every I/O call passes a little time, and at random one dirty sector or name reaches the platter on its own.
// Threads: one. The world outlives everything made through it. Test-only: no part of the library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "io/environment.h"
#include "io/sim/disk.h"
#include "io/sim/fault.h"
#include "io/sim/scheduler.h"

namespace ashlar::io::sim {

enum class Crash : uint8_t {
  process,    // kill -9
  power_cut,  // and everything that was only in memory
};

struct Process {
  uint64_t id = 0;
  bool dead = false;
};

// What becomes of one I/O call: decided by World::admit, carried out by the handle.
struct Fate {
  Status dead;                   // not ok: the process is dead, refuse
  bool crash = false;            // do some of the work, then World::crash_now()
  const Fault* fault = nullptr;  // do it this wrong
};

class World final : public Environment {
 public:
  explicit World(uint64_t seed);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  // Another machine with this disk, synced and unsynced, this time and this boot id; no process, no faults.
  std::unique_ptr<World> clone(uint64_t seed) const;

  Clock& clock() override { return clock_; }
  std::unique_ptr<Executor> create_executor() override { return scheduler_.create_executor(process_->id); }
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path, CreateMode mode) override;
  Uuid boot_id() override { return boot_id_; }
  Uuid random_uuid() override;

  // Ends the current process at once; a fresh one begins.
  void kill_process();
  void power_cut(Survival survival = Survival::any);
  // The nth call from now that changes_disk() (1 = the next) crashes: nothing, a part or all of it takes effect, what
  // survives is settled at that moment, and it and all later calls fail. 0 = never.
  void crash_at(uint64_t nth, Crash crash, Survival survival = Survival::any);
  bool crashed() const { return process_->dead; }
  // A fresh process on what survived. Needs crashed().
  void restart();

  // Number for fault_hits().
  size_t inject(Fault fault) { return faults_.add(std::move(fault)); }
  uint64_t fault_hits(size_t number) const { return faults_.hits(number); }
  void end_faults() { faults_.end_all(); }
  void set_capacity(uint64_t capacity_bytes) { disk_.set_capacity(capacity_bytes); }
  // One call in so many lets one sector reach the platter by itself; 0 = none does.
  void set_write_back(uint64_t one_in) { write_back_one_in_ = one_in; }

  // Background tasks of the current process.
  bool step() { return scheduler_.run_one(process_->id); }
  void run_until_idle() { scheduler_.run_until_idle(process_->id); }
  void advance(uint64_t duration_ns) { scheduler_.advance(process_->id, duration_ns); }
  // A moment passes for the disk: `sectors` times one of them may reach the platter.
  void write_back(uint64_t sectors);

  // The disk by paths like "db/MANIFEST", for tests. No call is counted, no fault strikes.
  std::vector<std::string> files() const;
  std::optional<std::string> read_file(const std::string& path) const;
  // Makes the file be these bytes, durably. Not while it is open.
  void replace_file(const std::string& path, Bytes bytes);
  void remove_file(const std::string& path);
  uint64_t used_bytes() const { return disk_.used_bytes(); }

  uint64_t calls(Call call) const { return calls_[static_cast<size_t>(call)]; }
  // Calls so far that change the disk: what crash_at counts.
  uint64_t disk_changes() const { return disk_changes_; }
  uint64_t history_hash() const { return history_; }

  // For the handles of this folder.
  Fate admit(const Process& process, Call call, const std::string& name, uint64_t offset, uint64_t size_bytes,
             const std::string& other_name = {});
  Status crash_now();
  // Folds what a call carried into the history.
  void record(Bytes bytes);
  Disk& disk() { return disk_; }
  Prng& prng() { return prng_; }
  bool take_lock(const std::string& path);
  void drop_lock(const std::string& path) { locks_.erase(path); }
  // Bytes that may still be allocated.
  uint64_t room_bytes() const;

 private:
  class VirtualClock final : public Clock {
   public:
    explicit VirtualClock(Scheduler& scheduler) : scheduler_(scheduler) {}
    // Reading it passes time too, so that whoever polls for a deadline gets there.
    uint64_t monotonic_ns() const override;
    uint64_t wall_ns() const override;
    void sleep_ns(uint64_t duration_ns) override { scheduler_.pass(duration_ns); }

   private:
    Scheduler& scheduler_;
  };

  World(uint64_t seed, const World& other);
  void seed_from(uint64_t seed);
  void end_process();
  void begin_process();
  Uuid draw_uuid();

  Prng prng_;
  Scheduler scheduler_;
  VirtualClock clock_;
  Disk disk_;
  FaultPlan faults_;
  Uuid boot_id_;
  std::shared_ptr<Process> process_;
  std::map<std::string, uint64_t> locks_;  // path -> process
  uint64_t write_back_one_in_ = 4;
  uint64_t crash_countdown_ = 0;
  Crash crash_ = Crash::process;
  Survival survival_ = Survival::any;
  std::array<uint64_t, kCallCount> calls_ = {};
  uint64_t disk_changes_ = 0;
  uint64_t history_ = 0;
};

}  // namespace ashlar::io::sim
