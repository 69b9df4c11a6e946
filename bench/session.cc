#include "session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scratch.h"

namespace ashlar::bench {

size_t Session::scaled(size_t count, size_t least) const {
  const double scaled = std::round(static_cast<double>(count) * settings_.scale);
  return std::max(least, static_cast<size_t>(scaled));
}

uint64_t Session::limit_ns() const { return static_cast<uint64_t>(settings_.limit_s * 1e9); }

void Session::run_rounds(std::string_view table, std::string_view workload, Promise promise,
                         FunctionRef<void(Run& run)> body) {
  std::vector<const Engine*> taking_part;
  for (const Engine& engine : engines_) {
    if (engine.tables.find(table) != std::string::npos) taking_part.push_back(&engine);
  }
  for (int round = 0; round < settings_.rounds; ++round) {
    for (const Engine* engine : taking_part) run_once(table, workload, promise, round, *engine, body);
    if (!taking_part.empty()) std::rotate(taking_part.begin(), taking_part.begin() + 1, taking_part.end());
  }
}

void Session::run_once(std::string_view table, std::string_view workload, Promise promise, int round,
                       const Engine& engine, FunctionRef<void(Run& run)> body) {
  Row& row = results_.row(table, workload, engine.name);
  const FreshDirectory directory(settings_.directory, engine.name);
  settle_machine();
  try {
    const auto driver = engine.make();
    row.version = driver->version();
    row.preset = preset_name(promise);
    row.kept = driver->kept(promise);
    Run run{engine, *driver, row, directory.path()};
    body(run);
  } catch (const std::exception& error) {
    row.problems.push_back(fmt::format("round {}: {}", round + 1, error.what()));
  }
  if (settings_.quiet) return;
  const Metric* first = row.metrics.empty() ? nullptr : &row.metrics.front();
  fmt::print(stderr, "{} {} round {}/{} {}: {}\n", table, workload, round + 1, settings_.rounds, engine.name,
             !row.problems.empty() ? row.problems.back()
             : first == nullptr    ? "-"
                                   : fmt::format("{:.0f} {}", first->rounds.back(), first->unit));
}

DriverOptions table_options(const std::filesystem::path& directory, Promise promise) {
  DriverOptions options;
  options.directory = directory;
  options.promise = promise;
  return options;
}

}  // namespace ashlar::bench
