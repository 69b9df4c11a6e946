// Which I/O calls of the simulated machine go wrong, and how.
//
//   plan.add({.calls = Call::sync, .pattern = "*.seg", .nth = 3, .effect = Effect::io_error});
//
// fails the third sync from now on of a file whose name ends in ".seg", once. Of several faults that fit a call the
// one added first decides; the others do not count that call. Threads: one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::io::sim {

enum class Call : uint8_t {
  open,
  create,
  list,
  size,
  read,
  write,
  sync,  // of a file or of a mapping
  resize,
  fill,
  map,
  rename,
  remove,
  sync_directory,
  lock,
  free_bytes,
};
inline constexpr size_t kCallCount = 15;
std::string_view call_name(Call call);

// The calls after which a crash leaves something else behind than before.
constexpr bool changes_disk(Call call) {
  switch (call) {
    case Call::create:
    case Call::write:
    case Call::sync:
    case Call::resize:
    case Call::fill:
    case Call::map:
    case Call::rename:
    case Call::remove:
    case Call::sync_directory:
      return true;
    default:
      return false;
  }
}

class CallSet {
 public:
  constexpr CallSet(Call call) : bits_(bit(call)) {}  // NOLINT: implicit by design
  constexpr CallSet(std::initializer_list<Call> calls) {
    for (const Call call : calls) bits_ |= bit(call);
  }
  static constexpr CallSet all() {
    CallSet set({});
    set.bits_ = (1u << kCallCount) - 1;
    return set;
  }
  constexpr bool has(Call call) const { return (bits_ & bit(call)) != 0; }

 private:
  static constexpr uint32_t bit(Call call) { return 1u << static_cast<uint32_t>(call); }
  uint32_t bits_ = 0;
};

enum class Effect : uint8_t {
  io_error,    // any call; a write or fill has done part of its work, a sync has lost what it did not write
  no_space,    // any call; the same with another code
  short_read,  // read: fewer bytes than the file holds
  flip_bit,    // read: one bit of what is returned; map: one bit of the file's memory
  lose,        // write, sync: reports success and has done nothing
  misdirect,   // write: lands on another sector of the same file
};

struct Fault {
  static constexpr uint64_t kForEver = UINT64_MAX;

  CallSet calls;
  std::string pattern = "*";  // '*' and '?' against the file name; calls on a directory have its path
  uint64_t nth = 1;           // the first call that goes wrong, among those that fit from now on
  uint64_t times = 1;         // how many calls go wrong, from the n-th on
  Effect effect = Effect::io_error;
};

class FaultPlan {
 public:
  // Returns a number for hits().
  size_t add(Fault fault);
  // Every fault ends; hits() still answers.
  void end_all();
  // How often the fault struck.
  uint64_t hits(size_t number) const { return active_[number].hits; }
  // The fault that this call meets, or nullptr. `other_name` is the target of a rename.
  const Fault* strike(Call call, std::string_view name, std::string_view other_name);

 private:
  struct Active {
    Fault fault;
    uint64_t seen = 0;
    uint64_t hits = 0;
    bool over = false;
  };
  std::vector<Active> active_;
  size_t open_count_ = 0;  // not over
};

}  // namespace ashlar::io::sim
