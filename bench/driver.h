// What the benchmark asks of an engine, and nothing of how it answers.
//
//     workload (table_*.cc) --> Driver --> adapter (ashlar_driver.cc, peers/*.cc) --> engine
//
// Invariants
// D1 A workload knows no engine: all it can do is in this interface.
// D2 `put`, `write` and `remove` return when the promise given to `open` holds for what they wrote.
// D3 `drain` returns when nothing that was acknowledged is waiting to be flushed, merged or synced.
// D4 Every failure is a DriverError; no call reports success for work that was not done.
//
// Threads: one driver belongs to one caller; the engine behind it may use as many threads as it likes.
//
// Not here: keys and values (generate.h), clocks (stopwatch.h), which engines exist (registry.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar::bench {

// A callable that is only borrowed for the call: two words, no allocation.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>) FunctionRef(
      Callable&& callable)  // NOLINT(google-explicit-constructor): it stands for the callable itself
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

using ValueSink = FunctionRef<void(std::string_view value)>;
using EntrySink = FunctionRef<void(std::string_view key, std::string_view value)>;

struct Entry {
  std::string_view key;
  std::string_view value;
};

// What an acknowledged write must survive. The names that reports use are those of Ashlar's presets.
enum class Promise {
  kNothing,       // "fast"
  kProcessCrash,  // "durable": kill -9, without an fsync
  kPowerLoss,     // "paranoid"
};

[[nodiscard]] constexpr std::string_view preset_name(Promise promise) {
  switch (promise) {
    case Promise::kNothing:
      return "fast";
    case Promise::kProcessCrash:
      return "durable";
    case Promise::kPowerLoss:
      return "paranoid";
  }
  return "";
}

// How closely an engine can meet a promise: a row is a fair comparison only where the fit is kEqual.
enum class Fit { kWeaker = -1, kEqual = 0, kStronger = 1 };

struct Kept {
  Fit fit = Fit::kEqual;
  std::string how;
};

struct DriverOptions {
  std::filesystem::path directory;
  Promise promise = Promise::kProcessCrash;
  // Memory in which the engine may gather writes: memtable, or the page cache of an engine that has none.
  uint64_t write_buffer_bytes = uint64_t{64} << 20;
  // Cache of blocks read from files, on top of that; 0 = none, or the least that the engine takes.
  uint64_t cache_bytes = 0;
};

class DriverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual Kept kept(Promise promise) const = 0;
  // The settings in force; complete only after open.
  [[nodiscard]] virtual std::string settings() const = 0;

  // Creates the database where the directory is empty, opens it where it is not. A closed driver may be opened again.
  virtual void open(const DriverOptions& options) = 0;
  virtual void close() = 0;

  virtual void put(std::string_view key, std::string_view value) = 0;
  // One atomic batch or transaction.
  virtual void write(std::span<const Entry> entries) = 0;
  virtual void remove(std::string_view key) = 0;

  // Whether the key exists; if so the sink has seen its value, valid during the call only.
  virtual bool get(std::string_view key, ValueSink sink) = 0;
  // As many gets as keys, in the engine's way of asking for several at once; returns how many were found.
  virtual uint64_t get_many(std::span<const std::string_view> keys, EntrySink sink) {
    uint64_t found = 0;
    for (std::string_view key : keys) {
      found += get(key, [&](std::string_view value) { sink(key, value); }) ? 1 : 0;
    }
    return found;
  }
  // Entries in key order from the first key >= `from`, at most `limit`; returns how many the sink saw.
  virtual uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) = 0;
  // The number of entries by the engine's own counting statement, where it has one.
  virtual std::optional<uint64_t> count_natively() { return std::nullopt; }

  // Everything acknowledged survives a power cut on return.
  virtual void sync() = 0;
  virtual void drain() = 0;
};

}  // namespace ashlar::bench
