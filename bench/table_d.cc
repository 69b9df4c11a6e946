// Table D: the key-value rows of the DBX page. Every engine is told that nothing need survive.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "generate.h"
#include "stopwatch.h"
#include "tables.h"
#include "verify.h"

namespace ashlar::bench {
namespace {

constexpr size_t kEntries = 10'000;
constexpr size_t kLeastEntries = 100;
constexpr int kScans = 9;  // a scan is over in microseconds: the middle of nine within each round is quoted
constexpr Promise kPromise = Promise::kNothing;

double milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

struct Data {
  Strings keys;
  Strings values;
  std::vector<Entry> entries;
  uint64_t hash_sum = 0;  // over all values
};

Data make_data(size_t count) {
  Data data{dbx_keys(count), dbx_values(count), {}, 0};
  for (size_t i = 0; i < count; ++i) {
    data.entries.push_back({data.keys[i], data.values[i]});
    data.hash_sum += hash_of(data.values[i]);
  }
  return data;
}

void check(Run& run, const Data& data, std::string_view what, uint64_t count, uint64_t hash_sum) {
  const bool right = count == data.entries.size() && hash_sum == data.hash_sum;
  run.row.add("verified", "bool", right ? 1 : 0);
  if (!right) {
    run.row.problems.push_back(fmt::format("{}: {} entries of {}, checksum {:016x}, expected {:016x}", what,
                                           count, data.entries.size(), hash_sum, data.hash_sum));
  }
}

// The work of every row after the first: a database that holds the data, as the one transaction left it.
void open_and_insert(Run& run, const Data& data) {
  run.driver.open(table_options(run.directory, kPromise));
  run.row.settings = run.driver.settings();
  run.driver.write(data.entries);
}

void insert(Run& run, const Data& data) {
  run.driver.open(table_options(run.directory, kPromise));
  run.row.settings = run.driver.settings();
  const uint64_t insert_ns = time_once([&] { run.driver.write(data.entries); });
  const uint64_t drain_ns = time_once([&] { run.driver.drain(); });
  run.row.add("elapsed_ms", "ms", milliseconds(insert_ns));
  run.row.add("elapsed_ms_drained", "ms", milliseconds(insert_ns + drain_ns));
  run.row.add("drain_s", "s", static_cast<double>(drain_ns) / 1e9);
  const auto problem =
      verify(run.driver, Expected{data.keys, data.entries.size(), [&](size_t i) { return data.values[i]; }});
  run.row.add("verified", "bool", problem ? 0 : 1);
  if (problem) run.row.problems.push_back(*problem);
  run.driver.close();
}

void get(Run& run, const Data& data, uint64_t limit_ns) {
  open_and_insert(run, data);
  uint64_t hash_sum = 0;
  uint64_t found = 0;
  const Laps laps = time_each(data.entries.size(), limit_ns, [&](size_t i) {
    const bool there =
        run.driver.get(data.entries[i].key, [&](std::string_view value) { hash_sum += hash_of(value); });
    found += there ? 1 : 0;
  });
  const Percentiles percentiles = percentiles_of(laps.ns);
  run.row.add("elapsed_ms", "ms", milliseconds(laps.total_ns));
  run.row.add("p50_ns", "ns", static_cast<double>(percentiles.p50));
  run.row.add("p99_ns", "ns", static_cast<double>(percentiles.p99));
  run.row.add("p999_ns", "ns", static_cast<double>(percentiles.p999));
  run.row.add("max_ns", "ns", static_cast<double>(percentiles.max));
  check(run, data, "get", found, hash_sum);
  run.driver.close();
}

void scan(Run& run, const Data& data) {
  open_and_insert(run, data);
  std::vector<double> elapsed;
  uint64_t hash_sum = 0;
  uint64_t seen = 0;
  for (int i = 0; i < kScans; ++i) {
    hash_sum = 0;
    elapsed.push_back(milliseconds(time_once([&] {
      seen = run.driver.scan({}, kNoLimit,
                             [&](std::string_view, std::string_view value) { hash_sum += hash_of(value); });
    })));
  }
  run.row.add("elapsed_ms", "ms", spread_of(elapsed).median);
  check(run, data, "scan", seen, hash_sum);
  run.driver.close();
}

// COUNT(*) where the engine has such a statement; elsewhere the same question is answered by a scan, and the row says so.
void count(Session& session, const Data& data) {
  session.run_rounds("D", "count_10k", kPromise, [&](Run& run) {
    open_and_insert(run, data);
    const bool native = run.driver.count_natively().has_value();
    run.row.remark(native ? "by SELECT COUNT(*)" : "by a full scan: no counting statement");
    std::vector<double> elapsed;
    uint64_t seen = 0;
    for (int i = 0; i < kScans; ++i) {
      elapsed.push_back(milliseconds(time_once([&] {
        seen = native ? run.driver.count_natively().value()
                      : run.driver.scan({}, kNoLimit, [](std::string_view, std::string_view) {});
      })));
    }
    run.row.add("elapsed_ms", "ms", spread_of(elapsed).median);
    check(run, data, "count", seen, data.hash_sum);
    run.driver.close();
  });
}

}  // namespace

void run_table_d(Session& session) {
  const Data data = make_data(session.scaled(kEntries, kLeastEntries));
  session.run_rounds("D", "insert_10k", kPromise, [&](Run& run) { insert(run, data); });
  session.run_rounds("D", "get_10k", kPromise, [&](Run& run) { get(run, data, session.limit_ns()); });
  session.run_rounds("D", "scan_10k", kPromise, [&](Run& run) { scan(run, data); });
  count(session, data);
}

}  // namespace ashlar::bench
