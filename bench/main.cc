// ashlar_bench [TABLE...] [--engines a,b] [--rounds N] [--scale F] [--json FILE] [--report FILE.html] [--dir DIR]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "ashlar_engine.h"
#include "machine.h"
#include "registry.h"
#include "report.h"
#include "session.h"
#include "tables.h"

namespace ashlar::bench {
namespace {

constexpr std::string_view kTables = "WDOC";

struct Arguments {
  std::vector<std::string> tables;
  std::vector<std::string> engines;
  Settings settings;
  std::string json;
  std::string report;
  bool list = false;
  bool fill_and_die = false;  // not for users: see tables.h
  size_t count = 0;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("TABLE", arguments.tables,
                 "Tables to run: W writes, D small data, O opening, C calls (default: all)")
      ->check(CLI::IsMember({"W", "D", "O", "C"}));
  app.add_option("--engines", arguments.engines,
                 "Only these, in this order (default: all that belong to the table)")
      ->delimiter(',');
  app.add_option("--rounds", arguments.settings.rounds, "Rounds; medians are quoted")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--scale", arguments.settings.scale, "Factor on every number of keys")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--limit", arguments.settings.limit_s, "Seconds after which a timed loop is cut short")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", arguments.json, "Write one JSON line per figure");
  app.add_option("--report", arguments.report, "Write a self-contained HTML report");
  app.add_option("--dir", arguments.settings.directory,
                 "Where databases are made (default: ./bench-scratch)");
  app.add_flag("--list", arguments.list, "List the engines of this build and stop");
  app.add_flag("--fill-and-die", arguments.fill_and_die)->group("");
  app.add_option("--count", arguments.count)->group("");
}

// Engines asked for by name join every table; others keep to their own.
std::vector<Engine> chosen_engines(const std::vector<std::string>& names) {
  std::vector<Engine> all = all_engines();
  if (names.empty()) return all;
  std::vector<Engine> chosen;
  for (const std::string& name : names) {
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Engine& engine) { return engine.name == name; });
    if (it == all.end())
      throw DriverError(fmt::format("no engine '{}' in this build; --list shows them", name));
    chosen.push_back(*it);
    chosen.back().tables = kTables;
  }
  return chosen;
}

void list_engines() {
  for (const Engine& engine : all_engines()) {
    fmt::print("{:<18} {:<50} {}\n", engine.name, engine.make()->version(),
               engine.tables.empty() ? "only when asked for" : "tables " + engine.tables);
  }
  for (const std::string& text : missing_engines()) fmt::print("not built: {}\n", text);
}

void save(const std::string& file, FunctionRef<void(std::FILE*)> write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "w"), &std::fclose);
  if (out == nullptr) throw DriverError("cannot write " + file);
  write(out.get());
}

bool takes_part(const Session& session, std::string_view name) {
  const std::vector<Engine>& engines = session.engines();
  return std::any_of(engines.begin(), engines.end(), [&](const Engine& e) { return e.name == name; });
}

void run_tables(Session& session, const std::vector<std::string>& tables) {
  for (const char table : kTables) {
    const std::string name(1, table);
    if (!tables.empty() && std::find(tables.begin(), tables.end(), name) == tables.end()) continue;
    if (table == 'W') run_table_w(session);
    if (table == 'D') run_table_d(session);
    if (table == 'O') run_table_o(session, "/proc/self/exe");
    if (table == 'C' && takes_part(session, "ashlar")) run_table_c(session);
  }
}

int run(Arguments& arguments) {
  if (arguments.list) {
    list_engines();
    return 0;
  }
  std::vector<Engine> engines = chosen_engines(arguments.engines);
  if (arguments.settings.directory.empty()) arguments.settings.directory = "bench-scratch";
  std::filesystem::create_directories(arguments.settings.directory);
  Session session(arguments.settings, std::move(engines));
  if (arguments.fill_and_die) {
    fill_and_die(session.engines().front(), arguments.settings.directory, arguments.count,
                 session.limit_ns());
  }
  const MachineFacts machine = describe_machine(arguments.settings.directory.string());
  print_machine(stdout, machine, missing_engines());
  if (arguments.settings.scale != 1.0) {
    fmt::print("scale        {}: not the published sizes, figures are for testing only\n",
               arguments.settings.scale);
  }
  run_tables(session, arguments.tables);
  print_text(stdout, session.results());
  const auto& results = session.results();
  if (!arguments.json.empty())
    save(arguments.json, [&](std::FILE* out) { write_json(out, results, machine); });
  if (!arguments.report.empty())
    save(arguments.report, [&](std::FILE* out) { write_html(out, results, machine); });
  return results.has_problems() ? 1 : 0;
}

}  // namespace
}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::Arguments arguments;
  CLI::App app("Ashlar beside other engines: same work, same promise, verified results");
  ashlar::bench::declare(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return ashlar::bench::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ashlar_bench: {}\n", error.what());
    return 2;
  }
}
