// The command line tool. It goes through <ashlar/ashlar.hpp>, the same door as any program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "failure.h"
#include "session.h"

namespace {

namespace cli = ashlar::cli;

constexpr const char* kFooter = R"(
Keys and values are text with the escapes \\ \t \n \r \xNN, or hexadecimal with --hex.

Exit codes:
  0  done
  1  no such key or keyspace
  2  wrong use, or input that cannot be read
  3  corruption, or a check that failed
  4  another process has the database open
  5  the system, the disk (full, failing) or anything else that stopped it

  ashlar put inventory apple/green 12
  ashlar scan inventory --prefix apple/
  ashlar dump inventory | ashlar load copy
)";

// One positional option takes all the words of a command, so that the directory may come from --db instead; its
// description is the shape that a person needs to see.
class Formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const auto words = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (words.empty()) return CLI::Formatter::make_usage(app, name);
    return fmt::format("Usage: {} [OPTIONS] {}\n", name, words.front()->get_description());
  }
  std::string make_positionals(const CLI::App*) const override { return {}; }
};

int fail(cli::ExitCode code, const char* text) {
  std::fflush(stdout);
  fmt::print(stderr, "ashlar: {}\n", text);
  return static_cast<int>(code);
}

void add_globals(CLI::App& app, cli::Globals& globals) {
  app.add_option("--db", globals.directory,
                 "Directory of the database; else the first argument of the command");
  app.add_option("--preset", globals.preset, "What an acknowledged write survives: fast, durable or paranoid")
      ->check(CLI::IsMember({"fast", "durable", "paranoid"}))
      ->capture_default_str();
  app.add_option("--keyspace", globals.keyspace, "Which keyspace")->capture_default_str();
}

int run(int argc, char** argv) {
  CLI::App app("Ashlar: an embedded ordered key-value database, one directory on disk", "ashlar");
  app.set_version_flag("--version", fmt::format("ashlar {}", ashlar_version()));
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  // Global options may stand after the command as well.
  app.fallthrough();
  cli::Globals globals;
  add_globals(app, globals);
  for (const auto add :
       {cli::add_put, cli::add_get, cli::add_del, cli::add_scan, cli::add_load, cli::add_dump, cli::add_stats,
        cli::add_verify, cli::add_compact, cli::add_bench, cli::add_doctor, cli::add_demo}) {
    add(app, globals);
  }
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(cli::ExitCode::usage);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cli::Failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const ashlar::Exception& exception) {
    return fail(cli::exit_code(exception.code()), exception.what());
  } catch (const std::exception& exception) {
    return fail(cli::ExitCode::failed, exception.what());
  }
}
