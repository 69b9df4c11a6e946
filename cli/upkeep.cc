// stats, verify, compact.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

struct UpkeepCommand {
  std::vector<std::string> given;
  bool json = false;
};

void append_line(std::string& out, const char* name, const std::string& value) {
  out += fmt::format("{:<22} {}\n", name, value);
}

std::string stats_text(const Stats& stats, const std::string& background_error) {
  std::string out;
  append_line(out, "keyspaces", grouped(stats.keyspaces));
  append_line(out, "last sequence", grouped(stats.last_sequence));
  append_line(out, "in memory",
              fmt::format("{}, {} sealed", bytes_text(stats.delta_bytes), stats.sealed_deltas));
  append_line(out, "journal", bytes_text(stats.journal_bytes));
  append_line(
      out, "runs",
      fmt::format("{} files, {}, {} entries, {} of them tombstones", grouped(stats.run_files),
                  bytes_text(stats.run_bytes), grouped(stats.run_entries), grouped(stats.run_tombstones)));
  for (int level = 0; level < ASHLAR_LEVELS; ++level) {
    if (stats.level_files[level] == 0) continue;
    append_line(
        out, fmt::format("  level {}", level).c_str(),
        fmt::format("{} files, {}", grouped(stats.level_files[level]), bytes_text(stats.level_bytes[level])));
  }
  append_line(out, "recovered at open",
              fmt::format("{} frames in {}; {} of a torn tail dropped", grouped(stats.recovered_frames),
                          duration_text(static_cast<double>(stats.recovery_ns) / 1e9),
                          bytes_text(stats.recovery_dropped_bytes)));
  append_line(out, "background error", background_error.empty() ? "none" : background_error);
  return out;
}

void stats(const Globals& globals, const UpkeepCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  Session session(globals, arguments.directory, Missing::refuse);
  const Stats now = session.db().stats().value();
  write_out(command.json ? now.to_json() + "\n" : stats_text(now, session.db().background_error()));
  flush_out();
  session.finish();
}

void verify(const Globals& globals, const UpkeepCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  const auto start = std::chrono::steady_clock::now();
  Session session(globals, arguments.directory, Missing::refuse);
  session.db().verify().check();
  const Stats now = session.db().stats().value();
  session.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_out(fmt::format("ok: {} runs with {} entries, {}, in {}\n", grouped(now.run_files),
                        grouped(now.run_entries), bytes_text(now.run_bytes), duration_text(seconds)));
  flush_out();
}

void compact(const Globals& globals, const UpkeepCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  Session session(globals, arguments.directory, Missing::refuse);
  const Stats before = session.db().stats().value();
  session.db().compact().check();
  const Stats after = session.db().stats().value();
  session.finish();
  write_out(fmt::format("{} runs, {} -> {} runs, {}\n", grouped(before.run_files),
                        bytes_text(before.run_bytes), grouped(after.run_files), bytes_text(after.run_bytes)));
  flush_out();
}

using Action = void (*)(const Globals&, const UpkeepCommand&);

CLI::App* add_upkeep(CLI::App* sub, const Globals& globals, const std::shared_ptr<UpkeepCommand>& command,
                     Action action) {
  sub->add_option("arguments", command->given, "DIR");
  sub->callback([&globals, command, action] { action(globals, *command); });
  return sub;
}

}  // namespace

void add_stats(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<UpkeepCommand>();
  add_upkeep(app.add_subcommand("stats", "Tell sizes and counts"), globals, command, stats)
      ->add_flag("--json", command->json, "One line of JSON");
}

void add_verify(CLI::App& app, const Globals& globals) {
  add_upkeep(app.add_subcommand("verify", "Read every byte and check every checksum, order and count"),
             globals, std::make_shared<UpkeepCommand>(), verify);
}

void add_compact(CLI::App& app, const Globals& globals) {
  add_upkeep(app.add_subcommand("compact", "Merge all runs, dropping what was overwritten or removed"),
             globals, std::make_shared<UpkeepCommand>(), compact);
}

}  // namespace ashlar::cli
