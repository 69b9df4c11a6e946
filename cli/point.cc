// put, get, del: one key at a time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "failure.h"
#include "rows.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

struct PointOptions {
  std::vector<std::string> given;
  bool hex = false;
  bool raw = false;
  bool sync = false;
};

CLI::App* add_point_command(CLI::App* command, const std::shared_ptr<PointOptions>& options,
                            const char* shape) {
  command->add_option("arguments", options->given, shape);
  command->add_flag("--hex", options->hex, "Keys and values are hexadecimal");
  return command;
}

std::string read_all_input() {
  Input input("-");
  std::string all;
  for (int c = input.get(); c >= 0; c = input.get()) all += static_cast<char>(c);
  return all;
}

void put(const Globals& globals, const PointOptions& options) {
  const Arguments arguments = take_arguments(globals, options.given, "KEY [VALUE]", 1, 2);
  const std::string key = read_argument("key", arguments.words[0], options.hex);
  const std::string value = arguments.words.size() == 2
                                ? read_argument("value", arguments.words[1], options.hex)
                                : read_all_input();
  Session session(globals, arguments.directory, Missing::create);
  session.keyspace().put(key, value, options.sync ? sync : WriteFlags::none).check();
  session.finish();
}

void get(const Globals& globals, const PointOptions& options) {
  const Arguments arguments = take_arguments(globals, options.given, "KEY", 1, 1);
  const std::string key = read_argument("key", arguments.words[0], options.hex);
  Session session(globals, arguments.directory, Missing::refuse);
  const auto value = session.keyspace().get(key).value();
  if (value && options.hex) {
    std::string text;
    append_hex(text, *value);
    write_out(text + "\n");
  } else if (value) {
    write_out(*value);
    if (!options.raw) write_out("\n");
  }
  flush_out();
  const bool found = value.has_value();
  session.finish();
  if (!found) throw Failure(ExitCode::not_found, "no such key");
}

void del(const Globals& globals, const PointOptions& options) {
  const Arguments arguments = take_arguments(globals, options.given, "KEY", 1, 1);
  const std::string key = read_argument("key", arguments.words[0], options.hex);
  Session session(globals, arguments.directory, Missing::refuse);
  const bool found = session.keyspace().contains(key).value();
  session.keyspace().remove(key, options.sync ? sync : WriteFlags::none).check();
  session.finish();
  if (!found) throw Failure(ExitCode::not_found, "no such key");
}

}  // namespace

void add_put(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<PointOptions>();
  CLI::App* command =
      add_point_command(app.add_subcommand("put", "Set a key; the value from standard input if absent"),
                        options, "DIR KEY [VALUE]");
  command->add_flag("--sync", options->sync, "Durable against power loss on return, whatever the preset");
  command->callback([&globals, options] { put(globals, *options); });
}

void add_get(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<PointOptions>();
  CLI::App* command = add_point_command(
      app.add_subcommand("get", "Print the value of a key, and a line feed"), options, "DIR KEY");
  command->add_flag("--raw", options->raw, "The bytes of the value and nothing else");
  command->callback([&globals, options] { get(globals, *options); });
}

void add_del(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<PointOptions>();
  CLI::App* command = add_point_command(app.add_subcommand("del", "Remove a key"), options, "DIR KEY");
  command->add_flag("--sync", options->sync, "Durable against power loss on return, whatever the preset");
  command->callback([&globals, options] { del(globals, *options); });
}

}  // namespace ashlar::cli
