// One call of the program: what was asked for, which engines take part, and the loop that keeps rounds interleaved.
//
//   for each workload, for each round, for each engine:  fresh directory -> run -> verify -> delete
//
// Invariants
// S1 Within a round every engine runs once, and each round begins with another engine, so that neither a slow minute of
//    the machine nor the place in the order favours one of them.
// S2 A run that fails marks its row; the others go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver.h"
#include "registry.h"
#include "results.h"

namespace ashlar::bench {

struct Settings {
  int rounds = 3;
  double scale = 1.0;  // factor on every count of keys
  double limit_s =
      20;  // a timed loop stops after this long; the figures are those of the calls made until then
  std::filesystem::path directory;
  bool quiet = false;
};

// One engine's turn in one round.
struct Run {
  const Engine& engine;
  Driver& driver;
  Row& row;
  const std::filesystem::path& directory;
};

class Session {
 public:
  Session(Settings settings, std::vector<Engine> engines)
      : settings_(std::move(settings)), engines_(std::move(engines)) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Engine>& engines() const { return engines_; }
  [[nodiscard]] Results& results() { return results_; }

  [[nodiscard]] size_t scaled(size_t count, size_t least) const;
  [[nodiscard]] uint64_t limit_ns() const;

  // `body` opens the driver, measures, verifies and closes it.
  void run_rounds(std::string_view table, std::string_view workload, Promise promise,
                  FunctionRef<void(Run& run)> body);

 private:
  void run_once(std::string_view table, std::string_view workload, Promise promise, int round,
                const Engine& engine, FunctionRef<void(Run& run)> body);

  Settings settings_;
  std::vector<Engine> engines_;
  Results results_;
};

// The options of a run under the rules of the tables: 64 MiB to gather writes in, no cache of read blocks.
[[nodiscard]] DriverOptions table_options(const std::filesystem::path& directory, Promise promise);

}  // namespace ashlar::bench
