// What was measured: rows of (table, workload, engine), each with one value per round and metric.
//
// Invariants
// R1 Rows and metrics keep the order in which they first appeared.
// R2 A row with a problem is never quoted without it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver.h"
#include "statistics.h"

namespace ashlar::bench {

struct Metric {
  std::string name;  // ops_per_s, ops_per_s_drained, drain_s, p50_ns, p99_ns, p999_ns, max_ns, ...
  std::string unit;
  std::vector<double> rounds;
};

struct Row {
  std::string table;
  std::string workload;
  std::string engine;
  std::string version;
  std::string preset;
  std::string settings;
  Kept kept;
  std::vector<Metric> metrics;
  std::vector<std::string> problems;  // verification failures and errors
  std::vector<std::string> remarks;   // what a reader must know to read the figures, such as a run cut short

  void add(std::string_view metric, std::string_view unit, double value);
  void remark(const std::string& text);  // once, however often it is said
  [[nodiscard]] const Metric* find(std::string_view metric) const;
};

class Results {
 public:
  // Valid until the next call of row().
  Row& row(std::string_view table, std::string_view workload, std::string_view engine);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] bool has_problems() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace ashlar::bench
