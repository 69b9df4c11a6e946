#include "session.h"

#include <fmt/format.h>

#include <cstdio>

#include "failure.h"

namespace ashlar::cli {

Arguments take_arguments(const Globals& globals, const std::vector<std::string>& given,
                         const std::string& shape, size_t least, size_t most) {
  Arguments taken{globals.directory, given};
  if (taken.directory.empty()) {
    if (given.empty()) throw usage_failure("which database? Give its directory first, or with --db");
    taken.directory = given.front();
    taken.words.erase(taken.words.begin());
  }
  if (taken.words.size() < least || taken.words.size() > most) {
    throw usage_failure(fmt::format("{} argument{} after the directory '{}'; expected {}", taken.words.size(),
                                    taken.words.size() == 1 ? "" : "s", taken.directory,
                                    shape.empty() ? "none" : shape));
  }
  return taken;
}

Options preset_options(const std::string& preset) {
  if (preset == "fast") return fast();
  if (preset == "durable") return durable();
  if (preset == "paranoid") return paranoid();
  throw usage_failure(fmt::format("no preset '{}'; there are fast, durable and paranoid", preset));
}

Session::Session(const Globals& globals, const std::string& directory, Missing missing)
    : db_(Db::open(directory, preset_options(globals.preset).create_if_missing(missing == Missing::create))
              .value()) {
  if (missing == Missing::create) {
    keyspace_ = db_.keyspace(globals.keyspace).value();
    return;
  }
  auto found = db_.find_keyspace(globals.keyspace).value();
  if (!found) throw Failure(ExitCode::not_found, fmt::format("no keyspace '{}'", globals.keyspace));
  keyspace_ = *std::move(found);
}

void Session::finish() { db_.close().check(); }

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw system_failure("standard output");
}

void flush_out() {
  if (std::fflush(stdout) != 0) throw system_failure("standard output");
}

}  // namespace ashlar::cli
