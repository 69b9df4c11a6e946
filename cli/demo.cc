#include "demo.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "failure.h"
#include "killed_writer.h"
#include "scratch.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kReads = 20000;
constexpr size_t kChanges = 5000;
// A load that is over before the signal arrives was not killed; that is rare, and tried again.
constexpr int kKillAttempts = 5;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void say(const char* step, const std::string& text) {
  write_out(fmt::format("{:<9} {}\n", step, text));
  flush_out();
}

void require(bool good, const std::string& what) {
  if (!good) throw Failure(ExitCode::corruption, what);
}

std::string per_second(uint64_t count, double seconds) {
  return rate_text(static_cast<double>(count) / seconds);
}

// The value of `key` is exactly `value`.
void require_value(const Reader& reader, const std::string& key, std::string_view value, const char* where) {
  const auto found = reader.get(key).value();
  require(found.has_value(), fmt::format("{}: '{}' is missing", where, key));
  require(*found == value, fmt::format("{}: '{}' has another value than was written", where, key));
}

}  // namespace

Demo::Demo(const DemoOptions& options, fs::path place) : options_(options), place_(std::move(place)) {}

void Demo::run() {
  const Stopwatch watch;
  write_out(fmt::format("Ashlar {}: a run on real data, preset durable, in {}\n\n", ashlar_version(),
                        place_.string()));
  read_data();
  load();
  read_back();
  scan_prefix();
  read_snapshot_while_writing();
  verify_and_close();
  kill_a_writer();
  write_out(fmt::format("\nEverything checked was right. {} in all.\n", duration_text(watch.seconds())));
  flush_out();
}

void Demo::read_data() {
  const Stopwatch watch;
  corpus_ = read_corpus(options_.lists);
  for (const std::string& remark : corpus_.remarks) say("note", remark);
  say("data", fmt::format("{}: {} {}, {} ({} more came twice); read in {}", corpus_.description,
                          grouped(corpus_.entries.size()), corpus_.noun, bytes_text(corpus_.bytes),
                          grouped(corpus_.duplicates), duration_text(watch.seconds())));
}

void Demo::load() {
  const fs::path directory = place_ / "main";
  Stopwatch open_watch;
  db_ = Db::open(directory, durable().error_if_exists(true)).value();
  const double open_seconds = open_watch.seconds();
  const Stopwatch watch;
  WriteBatch batch;
  uint64_t batches = 0;
  for (const CorpusEntry& entry : corpus_.entries) {
    batch.put(entry.key, entry.value);
    if (batch.count() < kBatchEntries) continue;
    db_.write(batch).check();
    batch.clear();
    ++batches;
  }
  db_.write(batch).check();
  batches += batch.empty() ? 0 : 1;
  const double seconds = watch.seconds();
  say("load", fmt::format("opened in {}; {} keys in {} batches of up to {}: {} ({}, {}/s)",
                          duration_text(open_seconds), grouped(corpus_.entries.size()), grouped(batches),
                          kBatchEntries, duration_text(seconds), per_second(corpus_.entries.size(), seconds),
                          bytes_text(static_cast<uint64_t>(static_cast<double>(corpus_.bytes) / seconds))));
}

void Demo::read_back() {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<size_t> any(0, corpus_.entries.size() - 1);
  const Stopwatch watch;
  for (size_t i = 0; i < kReads; ++i) {
    const CorpusEntry& entry = corpus_.entries[any(random)];
    require_value(db_, entry.key, entry.value, "read");
  }
  const double seconds = watch.seconds();
  require(!db_.contains("\x01 no such key").value(), "read: a key that was never written is there");
  say("read", fmt::format("{} random keys, each value compared: {} ({})", grouped(kReads),
                          duration_text(seconds), per_second(kReads, seconds)));
}

void Demo::scan_prefix() {
  uint64_t expected = 0;
  for (const CorpusEntry& entry : corpus_.entries) {
    expected += entry.key.compare(0, corpus_.prefix.size(), corpus_.prefix) == 0 ? 1 : 0;
  }
  const auto count_in_order = [](Scan scan) {
    uint64_t count = 0;
    std::string before;
    for (auto [key, value] : scan) {
      require(count == 0 || before < key, fmt::format("scan: '{}' comes after '{}'", key, before));
      before = key;
      ++count;
    }
    scan.status().check();
    return count;
  };
  const Stopwatch prefix_watch;
  const uint64_t found = count_in_order(db_.prefix(corpus_.prefix));
  const double prefix_seconds = prefix_watch.seconds();
  require(found == expected,
          fmt::format("scan: {} keys begin with '{}', found {}", expected, corpus_.prefix, found));
  const Stopwatch watch;
  const uint64_t all = count_in_order(db_.scan());
  const double seconds = watch.seconds();
  require(all == corpus_.entries.size(), fmt::format("scan: {} keys of {}", all, corpus_.entries.size()));
  say("scan", fmt::format("prefix \"{}\": {} keys in {}; everything, in order: {} ({})", corpus_.prefix,
                          grouped(found), duration_text(prefix_seconds), duration_text(seconds),
                          per_second(all, seconds)));
}

void Demo::read_snapshot_while_writing() {
  const size_t changes = std::min(kChanges, corpus_.entries.size());
  const size_t stride = corpus_.entries.size() / changes;
  const Snapshot before = db_.snapshot();
  std::atomic<bool> writing{true};
  Status outcome;
  std::jthread writer([&] {
    for (size_t i = 0; i < changes && outcome.ok(); ++i) {
      const CorpusEntry& entry = corpus_.entries[i * stride];
      outcome = i % 5 == 4 ? db_.remove(entry.key) : db_.put(entry.key, "changed: " + entry.key);
    }
    writing = false;
  });
  // At least one whole pass after the last change, and as many as fit beside the writer.
  uint64_t passes = 0;
  for (bool last = false; !last;) {
    last = !writing;
    for (size_t i = 0; i < changes; ++i) {
      const CorpusEntry& entry = corpus_.entries[i * stride];
      require_value(before, entry.key, entry.value, "snapshot");
    }
    ++passes;
  }
  writer.join();
  outcome.check();

  for (size_t i = 0; i < changes; ++i) {
    const CorpusEntry& entry = corpus_.entries[i * stride];
    if (i % 5 == 4) {
      require(!db_.contains(entry.key).value(), fmt::format("'{}' was removed and is there", entry.key));
    } else {
      require_value(db_, entry.key, "changed: " + entry.key, "after the change");
    }
  }
  say("snapshot",
      fmt::format("another thread changed or removed {} keys; the snapshot, read {} times meanwhile and "
                  "after, shows the old values, the present the new ones",
                  grouped(changes), passes));
}

void Demo::verify_and_close() {
  const Stopwatch flush_watch;
  db_.flush().check();
  const double flush_seconds = flush_watch.seconds();
  const Stopwatch watch;
  db_.verify().check();
  const double seconds = watch.seconds();
  const Stats stats = db_.stats().value();
  db_.close().check();
  say("verify",
      fmt::format("flushed in {}; every checksum, order and count of {} in {} runs right: {}; {} on disk",
                  duration_text(flush_seconds), bytes_text(stats.run_bytes), grouped(stats.run_files),
                  duration_text(seconds), bytes_text(disk_bytes(place_ / "main"))));
}

void Demo::kill_a_writer() {
  const fs::path directory = place_ / "killed";
  const uint64_t half = corpus_.entries.size() / 2;
  KilledLoad load;
  for (int attempt = 0; attempt < kKillAttempts && !load.was_killed; ++attempt) {
    fs::remove_all(directory);
    load = load_and_kill(directory.string(), options_.lists, half);
  }
  require(load.was_killed, "kill: the loading process was always over before the signal came");
  say("kill",
      fmt::format("another process was loading the same and got SIGKILL after it had acknowledged {} of {}",
                  grouped(load.acknowledged), grouped(corpus_.entries.size())));
  check_killed(directory, load.acknowledged);
}

void Demo::check_killed(const fs::path& directory, uint64_t acknowledged) {
  const Stopwatch watch;
  Db db = Db::open(directory, durable().create_if_missing(false)).value();
  const double open_seconds = watch.seconds();

  // A prefix of the batches, each whole, holding at least what was acknowledged.
  uint64_t present = 0;
  while (present < corpus_.entries.size() && db.contains(corpus_.entries[present].key).value()) {
    require_value(db, corpus_.entries[present].key, corpus_.entries[present].value, "recover");
    ++present;
  }
  require(present >= acknowledged,
          fmt::format("recover: {} acknowledged, only the first {} there", acknowledged, present));
  require(present % kBatchEntries == 0 || present == corpus_.entries.size(),
          fmt::format("recover: a batch is there in part, up to entry {}", present));
  uint64_t in_database = 0;
  for (auto key : db.scan().keys()) in_database += key.empty() ? 0 : 1;
  require(in_database == present, fmt::format("recover: {} keys there, {} expected", in_database, present));
  db.verify().check();
  const Stats stats = db.stats().value();
  db.close().check();
  say("recover",
      fmt::format(
          "reopened in {}: all {} acknowledged are there, each compared; {} whole batches, none in part; "
          "{} journal frames replayed; verified",
          duration_text(open_seconds), grouped(acknowledged),
          grouped((present + kBatchEntries - 1) / kBatchEntries), grouped(stats.recovered_frames)));
}

namespace {

void run_demo(const DemoOptions& options) {
  if (options.directory.empty()) {
    const ScratchDirectory scratch("", "ashlar-demo");
    Demo(options, scratch.path()).run();
    return;
  }
  std::error_code problem;
  fs::create_directories(options.directory, problem);
  if (problem) throw Failure(ExitCode::failed, fmt::format("{}: {}", options.directory, problem.message()));
  if (!fs::is_empty(options.directory)) {
    throw usage_failure(fmt::format("{} is not empty; the demo wants a place of its own", options.directory));
  }
  Demo(options, options.directory).run();
  const std::string main_database = (fs::path(options.directory) / "main").string();
  write_out(fmt::format("It is still there: ashlar scan {} --limit 10 --keys-only\n", main_database));
  flush_out();
}

struct WriterOptions {
  std::string directory;
  std::string lists;
  int ack_fd = -1;
};

}  // namespace

void add_demo(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<DemoOptions>();
  CLI::App* sub =
      app.add_subcommand("demo", "Load this machine's package index, kill a writer, check everything");
  sub->add_option("--dir", options->directory,
                  "An empty or new directory, kept (default: a temporary one, removed)");
  sub->add_option("--lists", options->lists, "Where apt keeps its package lists")->capture_default_str();
  sub->callback([&globals, options] {
    if (options->directory.empty()) options->directory = globals.directory;
    run_demo(*options);
  });

  // The process that the demo kills; not for people.
  const auto writer = std::make_shared<WriterOptions>();
  CLI::App* hidden = app.add_subcommand("demo-writer", "")->group("");
  hidden->add_option("directory", writer->directory)->required();
  hidden->add_option("--ack-fd", writer->ack_fd)->required();
  hidden->add_option("--lists", writer->lists)->required();
  hidden->callback([writer] { write_corpus(writer->directory, read_corpus(writer->lists), writer->ack_fd); });
}

}  // namespace ashlar::cli
