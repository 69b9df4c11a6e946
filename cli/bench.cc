// bench: what this machine does, in a few seconds. A first impression, not a comparison: that is bench/.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>

#include "failure.h"
#include "scratch.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

constexpr size_t kKeyBytes = 16;
constexpr size_t kBatchPairs = 100;

struct BenchCommand {
  std::string parent;
  uint64_t count = 200000;
  uint32_t value_bytes = 100;
};

class Bench {
 public:
  Bench(const Globals& globals, const BenchCommand& command)
      : scratch_(command.parent, "ashlar-bench"),
        preset_(globals.preset),
        count_(command.count),
        value_bytes_(command.value_bytes),
        order_(command.count) {
    std::iota(order_.begin(), order_.end(), uint64_t{0});
    std::shuffle(order_.begin(), order_.end(), random_);
  }

  void run() {
    write_out(fmt::format("{} keys of {} bytes, values of {} bytes, preset {}, one thread, in {}\n",
                          grouped(count_), kKeyBytes, value_bytes_, preset_,
                          scratch_.path().parent_path().string()));
    {
      Db db = open("single");
      measure("put, random order", [&] { put_all(db); });
      measure("get, random order, from memory", [&] { get_all(db); });
      measure("flush", [&] { db.flush().check(); });
      measure("get, random order, from runs", [&] { get_all(db); });
      measure("get of absent keys", [&] { get_absent(db); });
      measure("scan, all", [&] { scan_all(db); });
      db.close().check();
    }
    Db db = open("batched");
    measure(fmt::format("put, batches of {}", kBatchPairs).c_str(), [&] { put_batches(db); });
    db.close().check();
  }

 private:
  Db open(const char* name) { return Db::open(scratch_.path() / name, preset_options(preset_)).value(); }

  template <typename Body>
  void measure(const char* name, Body&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    write_out(fmt::format("  {:<32} {:>12}  {:>9}\n", name, rate_text(static_cast<double>(count_) / seconds),
                          duration_text(seconds)));
    flush_out();
  }

  // Spread over the key space, different for different numbers.
  static std::string key(uint64_t number) { return fmt::format("{:016x}", number * 0x9e3779b97f4a7c15u); }
  std::string value(uint64_t number) const {
    std::string text = fmt::format("{} ", number);
    text.resize(value_bytes_, static_cast<char>('a' + number % 26));
    return text;
  }

  void put_all(Db& db) {
    for (const uint64_t number : order_) db.put(key(number), value(number)).check();
  }
  void put_batches(Db& db) {
    WriteBatch batch;
    for (const uint64_t number : order_) {
      batch.put(key(number), value(number));
      if (batch.count() < kBatchPairs) continue;
      db.write(batch).check();
      batch.clear();
    }
    db.write(batch).check();
  }
  void get_all(Db& db) {
    for (const uint64_t number : order_) {
      const auto found = db.get(key(number)).value();
      if (!found || !(*found == value(number))) wrong("get");
    }
  }
  void get_absent(Db& db) {
    for (const uint64_t number : order_) {
      if (db.contains(key(number) + "?").value()) wrong("contains");
    }
  }
  void scan_all(Db& db) {
    uint64_t seen = 0;
    for (auto [key, value] : db.scan())
      seen += key.size() == kKeyBytes && value.size() == value_bytes_ ? 1 : 0;
    if (seen != count_) wrong("scan");
  }
  [[noreturn]] static void wrong(const char* what) {
    throw Failure(ExitCode::corruption, fmt::format("{} gave a wrong answer", what));
  }

  ScratchDirectory scratch_;
  std::string preset_;
  uint64_t count_;
  uint32_t value_bytes_;
  std::mt19937_64 random_{42};
  std::vector<uint64_t> order_;
};

}  // namespace

void add_bench(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<BenchCommand>();
  CLI::App* sub =
      app.add_subcommand("bench", "Measure this machine in a temporary directory, answers checked");
  sub->add_option("--in", command->parent, "Where to make the temporary directory (default: the system's)");
  sub->add_option("--count", command->count, "Keys")->check(CLI::Range(uint64_t{1}, uint64_t{100000000}));
  sub->add_option("--value-bytes", command->value_bytes, "Size of a value")->check(CLI::Range(0u, 16u << 20));
  sub->callback([&globals, command] { Bench(globals, *command).run(); });
}

}  // namespace ashlar::cli
