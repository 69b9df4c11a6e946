// Table W: the write workloads of the TurboKV articles, with the rest of the bill: the drain and the slowest call.
#include <fmt/format.h>

#include <vector>

#include "generate.h"
#include "stopwatch.h"
#include "tables.h"
#include "verify.h"

namespace ashlar::bench {
namespace {

constexpr size_t kKeys = 200'000;
constexpr size_t kLeastKeys = 200;

struct Workload {
  std::string_view name;
  const Strings& keys;
  size_t batch;  // keys per commit
  bool overwrite;
};

void load(Driver& driver, const std::vector<Entry>& entries) {
  constexpr size_t kLoadBatch = 1000;
  const std::span<const Entry> all(entries);
  for (size_t i = 0; i < all.size(); i += kLoadBatch) {
    driver.write(all.subspan(i, std::min(kLoadBatch, all.size() - i)));
  }
  driver.drain();
}

Laps commit_each(Driver& driver, const std::vector<Entry>& entries, size_t batch, uint64_t limit_ns) {
  if (batch == 1) {
    return time_each(entries.size(), limit_ns,
                     [&](size_t i) { driver.put(entries[i].key, entries[i].value); });
  }
  const std::span<const Entry> all(entries);
  return time_each((all.size() + batch - 1) / batch, limit_ns, [&](size_t i) {
    driver.write(all.subspan(i * batch, std::min(batch, all.size() - i * batch)));
  });
}

void report(Row& row, const Laps& laps, size_t written, size_t wanted, uint64_t drain_ns) {
  const auto per_second = [&](uint64_t ns) {
    return static_cast<double>(written) * 1e9 / static_cast<double>(ns);
  };
  const Percentiles percentiles = percentiles_of(laps.ns);
  row.add("ops_per_s", "1/s", per_second(laps.total_ns));
  row.add("ops_per_s_drained", "1/s", per_second(laps.total_ns + drain_ns));
  row.add("drain_s", "s", static_cast<double>(drain_ns) / 1e9);
  row.add("p50_ns", "ns", static_cast<double>(percentiles.p50));
  row.add("p99_ns", "ns", static_cast<double>(percentiles.p99));
  row.add("p999_ns", "ns", static_cast<double>(percentiles.p999));
  row.add("max_ns", "ns", static_cast<double>(percentiles.max));
  // What remains when the one slowest call is taken out: how much of the figure is a single stall.
  row.add("ops_per_s_without_max", "1/s",
          laps.ns.size() < 2
              ? 0
              : per_second(laps.total_ns - percentiles.max) * static_cast<double>(laps.ns.size() - 1) /
                    static_cast<double>(laps.ns.size()));
  if (laps.cut_short)
    row.remark(fmt::format("cut short at the time limit after {} of {} keys", written, wanted));
}

void run_workload(Session& session, const Workload& workload) {
  const std::string old_value = value_bytes(kSeed);
  const std::string new_value = value_bytes(~kSeed);
  const std::string& timed_value = workload.overwrite ? new_value : old_value;
  std::vector<Entry> entries;
  std::vector<Entry> old_entries;
  for (size_t i = 0; i < workload.keys.size(); ++i) {
    entries.push_back({workload.keys[i], timed_value});
    old_entries.push_back({workload.keys[i], old_value});
  }

  constexpr Promise kPromise = Promise::kProcessCrash;
  session.run_rounds("W", workload.name, kPromise, [&](Run& run) {
    run.driver.open(table_options(run.directory, kPromise));
    run.row.settings = run.driver.settings();
    if (workload.overwrite) load(run.driver, old_entries);

    const Laps laps = commit_each(run.driver, entries, workload.batch, session.limit_ns());
    const uint64_t drain_ns = time_once([&] { run.driver.drain(); });

    const size_t written = std::min(entries.size(), laps.ns.size() * workload.batch);
    report(run.row, laps, written, entries.size(), drain_ns);
    const size_t present = workload.overwrite ? entries.size() : written;
    const auto value = [&](size_t i) -> std::string_view { return i < written ? timed_value : old_value; };
    const auto problem = verify(run.driver, Expected{workload.keys, present, value});
    run.row.add("verified", "bool", problem ? 0 : 1);
    if (problem) run.row.problems.push_back(*problem);
    run.driver.close();
  });
}

}  // namespace

void run_table_w(Session& session) {
  const size_t count = session.scaled(kKeys, kLeastKeys);
  const Strings sequential = sequential_keys(count);
  const Strings random = random_keys(count);
  run_workload(session, {"fill_seq", sequential, 1, false});
  run_workload(session, {"fill_random", random, 1, false});
  run_workload(session, {"overwrite", random, 1, true});
  run_workload(session, {"batch_100", sequential, 100, false});
  run_workload(session, {"batch_1000", sequential, 1000, false});
}

}  // namespace ashlar::bench
