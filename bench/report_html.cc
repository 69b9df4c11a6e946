#include <fmt/format.h>

#include <algorithm>

#include "report.h"
#include "report_columns.h"

namespace ashlar::bench {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Ashlar benchmarks</title>
<meta name="viewport" content="width=device-width">
<style>
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%;margin:.4rem 0 .6rem}
th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #e4e4e4;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
td.bar{width:22rem;text-align:left}
td.bar div{background:#9bb3c9;height:.8rem;min-width:1px}
tr.ashlar td.bar div{background:#b5651d} tr.ashlar td:first-child{font-weight:600}
.bad{color:#a00} .note{color:#555;font-size:.88rem;margin:.1rem 0}
</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

double median_of(const Row& row, const Column& column) {
  const Metric* metric = row.find(column.metric);
  return metric == nullptr ? 0 : spread_of(metric->rounds).median;
}

void write_row(std::FILE* out, const Row& row, const Row* ashlar, const std::vector<Column>& columns,
               double longest) {
  fmt::print(out, "<tr{}><td{}>{} <small>{}</small></td>", &row == ashlar ? " class=ashlar" : "",
             row.problems.empty() ? "" : " class=bad", escaped(marked_name(row)), escaped(row.version));
  // Bars start at zero and are as long as the figure of the first column, whichever direction is better.
  fmt::print(out, "<td class=bar><div style=\"width:{:.2f}%\"></div></td>",
             longest > 0 ? 100 * median_of(row, columns.front()) / longest : 0.0);
  for (const Column& column : columns) {
    const Metric* metric = row.find(column.metric);
    std::string cell = metric == nullptr ? "-" : short_figure(spread_of(metric->rounds).median, metric->unit);
    if (metric != nullptr && &column == &columns.front()) {
      const Spread spread = spread_of(metric->rounds);
      cell += fmt::format(" <small>({}..{})</small>", short_figure(spread.min, metric->unit),
                          short_figure(spread.max, metric->unit));
    }
    if (ashlar != nullptr && &row != ashlar) {
      if (const auto advantage = ashlar_advantage(*ashlar, row, column))
        cell += fmt::format(" <small>{:.2f}x</small>", *advantage);
    }
    fmt::print(out, "<td>{}</td>", cell);
  }
  fmt::print(out, "</tr>\n");
}

void write_notes(std::FILE* out, const Row& row) {
  const std::string name = escaped(row.engine);
  if (row.kept.fit != Fit::kEqual) fmt::print(out, "<p class=note>{}: {}</p>\n", name, escaped(row.kept.how));
  for (const std::string& text : row.remarks)
    fmt::print(out, "<p class=note>{}: {}</p>\n", name, escaped(text));
  for (const std::string& text : row.problems)
    fmt::print(out, "<p class=\"note bad\">{}: {}</p>\n", name, escaped(text));
}

void write_workload(std::FILE* out, const Results& results, const std::string& table,
                    const std::string& workload) {
  const std::vector<const Row*> rows = ranked(results, table, workload);
  std::vector<Column> columns;
  for (const Column& column : columns_of(table)) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Row* r) { return r->find(column.metric) != nullptr; })) {
      columns.push_back(column);
    }
  }
  if (columns.empty()) return;
  double longest = 0;
  for (const Row* row : rows) longest = std::max(longest, median_of(*row, columns.front()));
  const bool more = columns.front().better == Better::kMore;
  fmt::print(
      out, "<h2>{} {}</h2>\n<p class=note>promise: {}; bars: {}, {}</p>\n<table><tr><th>engine</th><th></th>",
      escaped(table), escaped(workload), escaped(rows.front()->preset), columns.front().title,
      more ? "longer is better" : "shorter is better");
  for (const Column& column : columns) fmt::print(out, "<th>{}</th>", column.title);
  fmt::print(out, "</tr>\n");
  for (const Row* row : rows) write_row(out, *row, ashlar_among(rows), columns, longest);
  fmt::print(out, "</table>\n");
  for (const Row* row : rows) write_notes(out, *row);
}

}  // namespace

void write_html(std::FILE* out, const Results& results, const MachineFacts& machine) {
  fmt::print(out, "{}<h1>Ashlar benchmarks</h1>\n<p>", kHead);
  for (const auto& [name, text] : machine) fmt::print(out, "{}: {}<br>\n", escaped(name), escaped(text));
  fmt::print(out,
             "</p>\n<p>Medians of the rounds, smallest and largest in brackets; a ratio such as "
             "<small>2.00x</small> says "
             "how many times better Ashlar is in that column. Every row was verified unless it says "
             "otherwise.</p>\n");
  for (const auto& [table, workload] : workloads_of(results)) write_workload(out, results, table, workload);
  fmt::print(out, "<h2>Settings</h2>\n");
  std::vector<std::string> said;
  for (const Row& row : results.rows()) {
    std::string line = fmt::format("{} {}: {}; {}", row.table, row.engine, row.settings, row.kept.how);
    if (std::find(said.begin(), said.end(), line) != said.end()) continue;
    fmt::print(out, "<p class=note>{}</p>\n", escaped(line));
    said.push_back(std::move(line));
  }
  fmt::print(out, "</body></html>\n");
}

}  // namespace ashlar::bench
