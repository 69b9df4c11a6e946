#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report.h"
#include "report_columns.h"

namespace ashlar::bench {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(const Row& row, const Row* ashlar, const std::vector<Column>& columns) {
  Cells cells{marked_name(row), row.version};
  for (const Column& column : columns) {
    const Metric* metric = row.find(column.metric);
    cells.push_back(metric == nullptr ? "-" : short_figure(spread_of(metric->rounds).median, metric->unit));
    if (column.better == Better::kNotCompared) continue;
    const auto advantage =
        ashlar == nullptr || ashlar == &row ? std::nullopt : ashlar_advantage(*ashlar, row, column);
    cells.push_back(advantage ? fmt::format("{:.2f}x", *advantage) : "");
  }
  const Metric* first = nullptr;
  for (const Column& column : columns) {
    if ((first = row.find(column.metric)) != nullptr) break;
  }
  if (first == nullptr) {
    cells.push_back("-");
  } else {
    const Spread spread = spread_of(first->rounds);
    cells.push_back(fmt::format("{}..{} of {}", short_figure(spread.min, first->unit),
                                short_figure(spread.max, first->unit), first->rounds.size()));
  }
  return cells;
}

void print_aligned(std::FILE* out, const std::vector<Cells>& lines) {
  std::vector<size_t> widths;
  for (const Cells& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const Cells& line : lines) {
    std::string text = " ";
    for (size_t i = 0; i < line.size(); ++i) {
      text +=
          i < 2 ? fmt::format(" {:<{}}", line[i], widths[i]) : fmt::format("  {:>{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", text);
  }
}

std::vector<Column> shown_columns(std::string_view table, const std::vector<const Row*>& rows) {
  std::vector<Column> shown;
  for (const Column& column : columns_of(table)) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Row* r) { return r->find(column.metric) != nullptr; })) {
      shown.push_back(column);
    }
  }
  return shown;
}

void print_workload(std::FILE* out, const Results& results, const std::string& table,
                    const std::string& workload) {
  const std::vector<const Row*> rows = ranked(results, table, workload);
  const std::vector<Column> columns = shown_columns(table, rows);
  fmt::print(out, "\n{} {}   promise: {}\n", table, workload, rows.front()->preset);
  Cells header{"engine", "version"};
  for (const Column& column : columns) {
    header.emplace_back(column.title);
    if (column.better != Better::kNotCompared) header.emplace_back("ashlar is");
  }
  header.emplace_back("spread of the first");
  std::vector<Cells> lines{header};
  for (const Row* row : rows) lines.push_back(cells_of(*row, ashlar_among(rows), columns));
  print_aligned(out, lines);
  for (const Row* row : rows) {
    if (row->kept.fit != Fit::kEqual) fmt::print(out, "  note: {}: {}\n", row->engine, row->kept.how);
    for (const std::string& remark : row->remarks) fmt::print(out, "  note: {}: {}\n", row->engine, remark);
    for (const std::string& problem : row->problems)
      fmt::print(out, "  PROBLEM: {}: {}\n", row->engine, problem);
  }
}

}  // namespace

void print_text(std::FILE* out, const Results& results) {
  for (const auto& [table, workload] : workloads_of(results)) print_workload(out, results, table, workload);

  fmt::print(out, "\nsettings\n");
  std::vector<Cells> lines;
  for (const Row& row : results.rows()) {
    Cells line{row.table + " " + row.engine, row.settings + "; " + row.kept.how};
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  print_aligned(out, lines);
  fmt::print(out,
             "\nFigures are medians of the rounds. \"ashlar is 2.00x\": Ashlar is twice as fast (or as "
             "small) in the "
             "column before.\nops/s counts acknowledged keys; \"with drain\" adds the time until nothing "
             "waits to be "
             "flushed, merged or synced.\n");
}

void print_machine(std::FILE* out, const MachineFacts& machine, const std::vector<std::string>& missing) {
  for (const auto& [name, text] : machine) fmt::print(out, "{:<12} {}\n", name, text);
  for (const std::string& text : missing) fmt::print(out, "{:<12} {}\n", "not built", text);
}

}  // namespace ashlar::bench
