#include <fmt/format.h>

#include "report.h"

namespace ashlar::bench {
namespace {

struct Figure {
  std::string_view table, workload, engine, version, preset, metric, unit;
  Spread spread;
  size_t rounds;
};

void print_line(std::FILE* out, const Figure& figure) {
  fmt::print(
      out,
      R"({{"table":{},"workload":{},"engine":{},"version":{},"preset":{},"metric":{},"value":{},"unit":{},)"
      R"("rounds":{},"min":{},"max":{}}})"
      "\n",
      json_quoted(figure.table), json_quoted(figure.workload), json_quoted(figure.engine),
      json_quoted(figure.version), json_quoted(figure.preset), json_quoted(figure.metric),
      figure.spread.median, json_quoted(figure.unit), figure.rounds, figure.spread.min, figure.spread.max);
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

void write_json(std::FILE* out, const Results& results, const MachineFacts& machine) {
  const Spread one{1, 1, 1};
  for (const auto& [name, text] : machine)
    print_line(out, {"machine", name, "", text, "", "fact", "text", one, 1});
  for (const Row& row : results.rows()) {
    print_line(out, {row.table, row.workload, row.engine, row.settings + "; " + row.kept.how, row.preset,
                     "settings", "text", one, 1});
    const double fit = static_cast<double>(row.kept.fit);
    print_line(out, {row.table,
                     row.workload,
                     row.engine,
                     row.version,
                     row.preset,
                     "promise_fit",
                     "-1 weaker, 0 equal, 1 stronger",
                     {fit, fit, fit},
                     1});
    for (const Metric& metric : row.metrics) {
      print_line(out, {row.table, row.workload, row.engine, row.version, row.preset, metric.name, metric.unit,
                       spread_of(metric.rounds), metric.rounds.size()});
    }
  }
}

}  // namespace ashlar::bench
