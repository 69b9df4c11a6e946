// What all commands share: the global options, taking the directory from the arguments, and the open database.
#pragma once

#include <ashlar/ashlar.hpp>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of that library
class App;
}

namespace ashlar::cli {

struct Globals {
  std::string directory;  // --db; else the first argument of the command
  std::string preset = "durable";
  std::string keyspace = "default";
};

// The arguments of a command, less the directory.
struct Arguments {
  std::string directory;
  std::vector<std::string> words;
};

// `shape` names the words after the directory, e.g. "KEY VALUE". Throws Failure(usage) where there are too few or too many.
Arguments take_arguments(const Globals& globals, const std::vector<std::string>& given,
                         const std::string& shape, size_t least, size_t most);

enum class Missing { create, refuse };

// The options that --preset stands for.
Options preset_options(const std::string& preset);

// An open database and the keyspace that --keyspace names. finish() closes it and throws what that met.
class Session {
 public:
  Session(const Globals& globals, const std::string& directory, Missing missing);
  Db& db() noexcept { return db_; }
  Keyspace& keyspace() noexcept { return keyspace_; }
  void finish();

 private:
  Db db_;
  Keyspace keyspace_;
};

// Writes to standard output through a buffer; throws Failure(failed) where the writing fails.
void write_out(std::string_view text);
void flush_out();

// One function per command: registers it with the program.
void add_put(CLI::App& app, const Globals& globals);
void add_get(CLI::App& app, const Globals& globals);
void add_del(CLI::App& app, const Globals& globals);
void add_scan(CLI::App& app, const Globals& globals);
void add_load(CLI::App& app, const Globals& globals);
void add_dump(CLI::App& app, const Globals& globals);
void add_stats(CLI::App& app, const Globals& globals);
void add_verify(CLI::App& app, const Globals& globals);
void add_compact(CLI::App& app, const Globals& globals);
void add_bench(CLI::App& app, const Globals& globals);
void add_doctor(CLI::App& app, const Globals& globals);
void add_demo(CLI::App& app, const Globals& globals);

}  // namespace ashlar::cli
