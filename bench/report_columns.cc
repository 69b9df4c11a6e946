#include "report_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ashlar::bench {
namespace {

const std::vector<Column> kWrites = {
    {"ops_per_s", "ops/s", Better::kMore},
    {"ops_per_s_drained", "with drain", Better::kMore},
    {"drain_s", "drain", Better::kNotCompared},
    {"p50_ns", "p50", Better::kLess},
    {"p99_ns", "p99", Better::kNotCompared},
    {"p999_ns", "p99.9", Better::kNotCompared},
    {"max_ns", "slowest", Better::kLess},
    {"ops_per_s_without_max", "w/o slowest", Better::kNotCompared},
};
const std::vector<Column> kSmall = {
    {"elapsed_ms", "elapsed", Better::kLess},   {"elapsed_ms_drained", "with drain", Better::kLess},
    {"p50_ns", "p50", Better::kNotCompared},    {"p99_ns", "p99", Better::kNotCompared},
    {"p999_ns", "p99.9", Better::kNotCompared}, {"max_ns", "slowest", Better::kNotCompared},
};
const std::vector<Column> kEdges = {
    {"first_get_ms", "to first get", Better::kLess},
    {"open_ms", "open", Better::kNotCompared},
    {"unflushed_keys", "unflushed keys", Better::kNotCompared},
    {"allocated_closed", "closed, allocated", Better::kLess},
    {"apparent_closed", "closed, apparent", Better::kNotCompared},
    {"allocated_open", "open, allocated", Better::kLess},
    {"apparent_open", "open, apparent", Better::kNotCompared},
};
const std::vector<Column> kCalls = {
    {"ns_per_call", "per call", Better::kNotCompared},
    {"allocations_per_call", "allocations, caller", Better::kNotCompared},
    {"allocations_per_call_process", "allocations, process", Better::kNotCompared},
};

std::string scaled(double value, const std::array<std::pair<double, const char*>, 4>& steps) {
  for (const auto& [factor, suffix] : steps) {
    if (value >= factor) return fmt::format("{:.3g}{}", value / factor, suffix);
  }
  return fmt::format("{:.3g}{}", value / steps.back().first, steps.back().second);
}

}  // namespace

const std::vector<Column>& columns_of(std::string_view table) {
  if (table == "W") return kWrites;
  if (table == "D") return kSmall;
  if (table == "O") return kEdges;
  return kCalls;
}

std::string short_figure(double value, std::string_view unit) {
  if (unit == "1/s") {
    if (value >= 1e6) return fmt::format("{:.2f}M", value / 1e6);
    if (value >= 1e4) return fmt::format("{:.0f}k", value / 1e3);
    if (value >= 1e3) return fmt::format("{:.1f}k", value / 1e3);
    return fmt::format("{:.0f}", value);
  }
  if (unit == "ns" || unit == "ms" || unit == "s") {
    if (value == 0) return "0";
    const double ns = value * (unit == "ns" ? 1 : unit == "ms" ? 1e6 : 1e9);
    return scaled(ns, {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}});
  }
  if (unit == "B") {
    return scaled(value, {{{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}}});
  }
  return fmt::format("{:.6g}", value);
}

std::optional<double> ashlar_advantage(const Row& ashlar, const Row& row, const Column& column) {
  const Metric* ours = ashlar.find(column.metric);
  const Metric* theirs = row.find(column.metric);
  if (column.better == Better::kNotCompared || ours == nullptr || theirs == nullptr) return std::nullopt;
  const double a = spread_of(ours->rounds).median;
  const double b = spread_of(theirs->rounds).median;
  if (a <= 0 || b <= 0) return std::nullopt;
  return column.better == Better::kMore ? a / b : b / a;
}

std::vector<const Row*> ranked(const Results& results, std::string_view table, std::string_view workload) {
  std::vector<const Row*> rows;
  for (const Row& row : results.rows()) {
    if (row.table == table && row.workload == workload) rows.push_back(&row);
  }
  const auto key = [&](const Row* row) {
    for (const Column& column : columns_of(table)) {
      const Metric* metric = row->find(column.metric);
      if (column.better == Better::kNotCompared || metric == nullptr) continue;
      const double median = spread_of(metric->rounds).median;
      return column.better == Better::kMore ? -median : median;
    }
    return HUGE_VAL;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return key(a) < key(b); });
  return rows;
}

const Row* ashlar_among(const std::vector<const Row*>& rows) {
  const auto it =
      std::find_if(rows.begin(), rows.end(), [](const Row* row) { return row->engine == "ashlar"; });
  return it == rows.end() ? nullptr : *it;
}

std::vector<std::pair<std::string, std::string>> workloads_of(const Results& results) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Row& row : results.rows()) {
    std::pair<std::string, std::string> one(row.table, row.workload);
    if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(std::move(one));
  }
  return found;
}

std::string marked_name(const Row& row) {
  std::string name = row.engine;
  if (row.kept.fit == Fit::kStronger) name += " (stronger promise)";
  if (row.kept.fit == Fit::kWeaker) name += " (WEAKER promise)";
  if (!row.problems.empty()) name += " NOT VERIFIED";
  return name;
}

}  // namespace ashlar::bench
