// load: pairs from files or standard input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <memory>

#include "failure.h"
#include "progress.h"
#include "rows.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

// Pairs are committed when this much is gathered.
constexpr size_t kBatchBytes = size_t{1} << 20;

struct LoadCommand {
  std::vector<std::string> given;
  std::string format;
  bool header = false;
  bool no_header = false;
  bool sync = false;
  bool quiet = false;
  RowOptions rows;
};

// Gathers pairs and commits them about a MiB at a time.
class Loader {
 public:
  Loader(Session& session, WriteFlags flags) : session_(session), flags_(flags) {}

  void add(const Row& row) {
    batch_.put(row.keyspace ? named(*row.keyspace) : session_.keyspace(), row.key, row.value);
    batch_.status().check();
    gathered_bytes_ += row.key.size() + row.value.size();
    if (gathered_bytes_ >= kBatchBytes) commit();
  }
  void commit() {
    session_.db().write(batch_, flags_).check();
    pairs_ += batch_.count();
    bytes_ += gathered_bytes_;
    gathered_bytes_ = 0;
    batch_.clear();
  }
  uint64_t pairs() const noexcept { return pairs_ + batch_.count(); }
  uint64_t bytes() const noexcept { return bytes_ + gathered_bytes_; }

 private:
  const Keyspace& named(const std::string& name) {
    auto found = keyspaces_.find(name);
    if (found == keyspaces_.end())
      found = keyspaces_.emplace(name, session_.db().keyspace(name).value()).first;
    return found->second;
  }

  Session& session_;
  WriteFlags flags_;
  WriteBatch batch_;
  std::map<std::string, Keyspace> keyspaces_;
  size_t gathered_bytes_ = 0;
  uint64_t pairs_ = 0;
  uint64_t bytes_ = 0;
};

RowOptions row_options(const LoadCommand& command, const std::string& path) {
  RowOptions rows = command.rows;
  if (command.format.empty()) {
    rows.format = guess_format(path);
  } else {
    rows.format = command.format == "csv"     ? RowFormat::csv
                  : command.format == "jsonl" ? RowFormat::jsonl
                                              : RowFormat::tsv;
  }
  if (command.header) rows.header = true;
  if (command.no_header) rows.header = false;
  return rows;
}

void load_file(Loader& loader, const LoadCommand& command, const std::string& path) {
  Input input(path);
  const auto reader = make_row_reader(input, row_options(command, path));
  Progress progress(input.size_bytes());
  Row row;
  while (reader->next(&row)) {
    loader.add(row);
    progress.update(input.bytes_read(), loader.pairs());
  }
}

void load(const Globals& globals, const LoadCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "[FILE...]", 0, SIZE_MAX);
  std::vector<std::string> files = arguments.words;
  if (files.empty()) files.emplace_back("-");
  const auto start = std::chrono::steady_clock::now();
  Session session(globals, arguments.directory, Missing::create);
  Loader loader(session, command.sync ? sync : WriteFlags::none);
  try {
    for (const std::string& file : files) load_file(loader, command, file);
  } catch (const Failure& failure) {
    // What came before the bad line is good.
    loader.commit();
    session.finish();
    throw Failure(failure.code(), fmt::format("{} (the {} pairs before it are loaded)", failure.what(),
                                              grouped(loader.pairs())));
  }
  loader.commit();
  session.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (command.quiet) return;
  write_out(fmt::format("loaded {} pairs, {}, in {} ({})\n", grouped(loader.pairs()),
                        bytes_text(loader.bytes()), duration_text(seconds),
                        rate_text(static_cast<double>(loader.pairs()) / seconds)));
  flush_out();
}

}  // namespace

void add_load(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<LoadCommand>();
  CLI::App* sub = app.add_subcommand("load", "Put the pairs of files, or of standard input");
  sub->add_option("arguments", command->given, "DIR [FILE...]");
  sub->add_option("--format", command->format, "tsv, csv or jsonl; default: by the file's name, else tsv")
      ->check(CLI::IsMember({"tsv", "csv", "jsonl"}));
  sub->add_option("--key-column", command->rows.key_column,
                  "Column of the key, by name or number from 1 (default: the first; jsonl: key)");
  sub->add_option("--value-column", command->rows.value_column,
                  "Column of the value (default: the other of two; of more, the row as JSON; jsonl: value)");
  CLI::Option* header =
      sub->add_flag("--header", command->header, "The first line names the columns (csv: default)");
  sub->add_flag("--no-header", command->no_header, "It does not (tsv: default)")->excludes(header);
  sub->add_flag("--hex", command->rows.hex, "tsv, csv: keys and values are hexadecimal");
  sub->add_flag("--sync", command->sync, "Each batch durable against power loss before the next");
  sub->add_flag("-q,--quiet", command->quiet, "No summary");
  sub->callback([&globals, command] { load(globals, *command); });
}

}  // namespace ashlar::cli
