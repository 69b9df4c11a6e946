#include "results.h"

#include <algorithm>

namespace ashlar::bench {

void Row::add(std::string_view metric, std::string_view unit, double value) {
  auto it = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == metric; });
  if (it == metrics.end()) {
    it = metrics.insert(metrics.end(), Metric{std::string(metric), std::string(unit), {}});
  }
  it->rounds.push_back(value);
}

void Row::remark(const std::string& text) {
  if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
}

const Metric* Row::find(std::string_view metric) const {
  const auto it =
      std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == metric; });
  return it == metrics.end() ? nullptr : &*it;
}

Row& Results::row(std::string_view table, std::string_view workload, std::string_view engine) {
  const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
    return r.table == table && r.workload == workload && r.engine == engine;
  });
  if (it != rows_.end()) return *it;
  Row& row = rows_.emplace_back();
  row.table = table;
  row.workload = workload;
  row.engine = engine;
  return row;
}

bool Results::has_problems() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return !row.problems.empty(); });
}

}  // namespace ashlar::bench
