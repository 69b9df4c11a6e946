// scan, dump: many keys in order.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "failure.h"
#include "json.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

constexpr size_t kFlushBytes = 64 * 1024;

struct ScanCommand {
  std::vector<std::string> given;
  std::optional<std::string> prefix;
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool reverse = false;
  bool keys_only = false;
  bool hex = false;
  int64_t limit = std::numeric_limits<int64_t>::max();
};

std::optional<std::string> bound(const char* name, const std::optional<std::string>& text, bool hex) {
  if (!text) return std::nullopt;
  return read_argument(name, *text, hex);
}

void append_bytes(std::string& line, std::string_view bytes, bool hex) {
  if (hex) {
    append_hex(line, bytes);
  } else {
    append_escaped(line, bytes);
  }
}

void scan(const Globals& globals, const ScanCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  ScanOptions range;
  range.prefix = bound("--prefix", command.prefix, command.hex);
  range.lower = bound("--from", command.from, command.hex);
  range.upper = bound("--to", command.to, command.hex);
  range.keys_only = command.keys_only;

  Session session(globals, arguments.directory, Missing::refuse);
  Iterator it = session.keyspace().iterator(range).value();
  std::string out;
  int64_t left = command.limit;
  for (bool on = left > 0 && (command.reverse ? it.last() : it.first()); on && left > 0;
       on = --left > 0 && (command.reverse ? it.previous() : it.next())) {
    append_bytes(out, it.key(), command.hex);
    if (!command.keys_only) {
      out += '\t';
      append_bytes(out, it.value(), command.hex);
    }
    out += '\n';
    if (out.size() < kFlushBytes) continue;
    write_out(out);
    out.clear();
  }
  write_out(out);
  flush_out();
  it.status().check();
  session.finish();
}

struct DumpCommand {
  std::vector<std::string> given;
  std::string format = "tsv";
  bool all_keyspaces = false;
};

void append_json_member(std::string& line, std::string_view name, std::string_view bytes) {
  if (line.size() > 1) line += ',';
  if (is_utf8(bytes)) {
    append_json_string(line, name);
    line += ':';
    append_json_string(line, bytes);
    return;
  }
  append_json_string(line, fmt::format("{}_hex", name));
  line += ":\"";
  append_hex(line, bytes);
  line += '"';
}

uint64_t dump_reader(const Reader& reader, const std::optional<std::string>& keyspace, bool json) {
  std::string out;
  uint64_t count = 0;
  for (auto [key, value] : reader.scan()) {
    ++count;
    if (json) {
      std::string line = "{";
      if (keyspace) append_json_member(line, "keyspace", *keyspace);
      append_json_member(line, "key", key);
      append_json_member(line, "value", value);
      out += line + "}\n";
    } else {
      append_escaped(out, key);
      out += '\t';
      append_escaped(out, value);
      out += '\n';
    }
    if (out.size() < kFlushBytes) continue;
    write_out(out);
    out.clear();
  }
  write_out(out);
  return count;
}

void dump(const Globals& globals, const DumpCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  const bool json = command.format == "jsonl";
  if (command.all_keyspaces && !json) throw usage_failure("--all-keyspaces needs --format jsonl");
  Session session(globals, arguments.directory, Missing::refuse);
  const Snapshot snapshot = session.db().snapshot();
  if (command.all_keyspaces) {
    for (const Keyspace& keyspace : session.db().keyspaces().value()) {
      dump_reader(snapshot.keyspace(keyspace), keyspace.name(), json);
    }
  } else {
    dump_reader(snapshot.keyspace(session.keyspace()), std::nullopt, json);
  }
  flush_out();
  session.finish();
}

}  // namespace

void add_scan(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<ScanCommand>();
  CLI::App* sub =
      app.add_subcommand("scan", "Print keys and values in order: key TAB value, escaped, a line each");
  sub->add_option("arguments", command->given, "DIR");
  sub->add_option("--prefix", command->prefix, "Only keys that begin with it");
  sub->add_option("--from", command->from, "First key, included");
  sub->add_option("--to", command->to, "End, excluded");
  sub->add_flag("--reverse", command->reverse, "From the last to the first");
  sub->add_option("--limit", command->limit, "At most so many")->check(CLI::NonNegativeNumber);
  sub->add_flag("--keys-only", command->keys_only, "Without the values");
  sub->add_flag("--hex", command->hex, "Bounds, keys and values are hexadecimal");
  sub->callback([&globals, command] { scan(globals, *command); });
}

void add_dump(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<DumpCommand>();
  CLI::App* sub = app.add_subcommand("dump", "Print a keyspace in a form that load reads back exactly");
  sub->add_option("arguments", command->given, "DIR");
  sub->add_option("--format", command->format, "tsv or jsonl")->check(CLI::IsMember({"tsv", "jsonl"}));
  sub->add_flag("--all-keyspaces", command->all_keyspaces, "Every keyspace, named in each line (jsonl)");
  sub->callback([&globals, command] { dump(globals, *command); });
}

}  // namespace ashlar::cli
