// Which metrics a table shows, in which order and how they are compared with Ashlar.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results.h"

namespace ashlar::bench {

enum class Better { kMore, kLess, kNotCompared };

struct Column {
  std::string_view metric;
  std::string_view title;
  Better better;
};

[[nodiscard]] const std::vector<Column>& columns_of(std::string_view table);
// "1.23M", "45.6us", "0.12s", "3.4MiB": a figure in its unit, short.
[[nodiscard]] std::string short_figure(double value, std::string_view unit);
// How many times Ashlar is better in this column; nullopt where there is nothing to divide.
[[nodiscard]] std::optional<double> ashlar_advantage(const Row& ashlar, const Row& row, const Column& column);
// The rows of one workload, best first in the first column; Ashlar keeps its place among them.
[[nodiscard]] std::vector<const Row*> ranked(const Results& results, std::string_view table,
                                             std::string_view workload);
[[nodiscard]] const Row* ashlar_among(const std::vector<const Row*>& rows);
// (table, workload) in order of appearance.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> workloads_of(const Results& results);
[[nodiscard]] std::string marked_name(const Row& row);

}  // namespace ashlar::bench
