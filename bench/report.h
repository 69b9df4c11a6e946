// Results for people and for programs.
//
// Invariants
// P1 Every figure in a text table comes with its unit, and every comparison with the direction of the ratio.
// P2 A row that was not verified, or whose promise is not the row's, says so beside its name.
// P3 A JSON line has exactly these keys: table workload engine version preset metric value unit rounds min max.
//    Facts that are not figures use the same shape: table "machine" (workload = what, version = its text) and
//    metric "settings" (version = the text).
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "results.h"

namespace ashlar::bench {

using MachineFacts = std::vector<std::pair<std::string, std::string>>;

void print_text(std::FILE* out, const Results& results);
void print_machine(std::FILE* out, const MachineFacts& machine, const std::vector<std::string>& missing);
void write_json(std::FILE* out, const Results& results, const MachineFacts& machine);
void write_html(std::FILE* out, const Results& results, const MachineFacts& machine);

[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace ashlar::bench
