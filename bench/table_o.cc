// Table O: what an engine costs around the edges: opening after kill -9, and the size of a tiny database.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <vector>

#include "generate.h"
#include "scratch.h"
#include "stopwatch.h"
#include "tables.h"
#include "verify.h"

namespace ashlar::bench {
namespace {

// 140,000 records of 420 bytes and their headers: a 64 MiB segment or memtable, nearly full and not yet flushed.
constexpr size_t kUnflushedKeys = 140'000;
constexpr size_t kLeastKeys = 200;
constexpr size_t kTinyKeys = 10;
constexpr Promise kPromise = Promise::kProcessCrash;

[[noreturn]] void throw_system(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Runs the writer in a process of its own; returns how many keys it had acknowledged when it was killed.
size_t run_killed_writer(const std::filesystem::path& program, const Engine& engine,
                         const std::filesystem::path& directory, size_t count, double limit_s) {
  int report[2];
  if (::pipe(report) != 0) throw_system("pipe");
  const std::string count_text = std::to_string(count);
  const std::string limit_text = fmt::format("{}", limit_s);
  const pid_t child = ::fork();
  if (child < 0) throw_system("fork");
  if (child == 0) {
    ::dup2(report[1], STDOUT_FILENO);
    ::close(report[0]);
    ::close(report[1]);
    ::execl(program.c_str(), program.c_str(), "--fill-and-die", "--engines", engine.name.c_str(), "--dir",
            directory.c_str(), "--count", count_text.c_str(), "--limit", limit_text.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(report[1]);
  std::string said;
  char buffer[64];
  for (ssize_t n; (n = ::read(report[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<size_t>(n));
  ::close(report[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw_system("waitpid");
  size_t acknowledged = 0;
  const auto parsed = std::from_chars(said.data(), said.data() + said.size(), acknowledged);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL || parsed.ec != std::errc()) {
    throw DriverError(
        fmt::format("the writer was to die by SIGKILL; wait status {}, said '{}'", status, said));
  }
  return acknowledged;
}

void reopen_after_kill(Session& session, const std::filesystem::path& program) {
  const size_t count = session.scaled(kUnflushedKeys, kLeastKeys);
  // The writer first loads and drains as many keys again, so that engines that begin with small files have grown up.
  const Strings keys = sequential_keys(2 * count);
  const std::string value = value_bytes(kSeed);
  session.run_rounds("O", "reopen_after_kill", kPromise, [&](Run& run) {
    const size_t acknowledged =
        run_killed_writer(program, run.engine, run.directory, count, session.settings().limit_s);
    if (acknowledged < keys.size())
      run.row.remark(fmt::format("unflushed keys cut short at the time limit: {}", acknowledged - count));

    bool found = false;
    uint64_t open_ns = 0;
    const uint64_t first_get_ns = time_once([&] {
      open_ns = time_once([&] { run.driver.open(table_options(run.directory, kPromise)); });
      found = run.driver.get(keys[acknowledged - 1], [](std::string_view) {});
    });
    run.row.settings = run.driver.settings();
    run.row.add("first_get_ms", "ms", static_cast<double>(first_get_ns) / 1e6);
    run.row.add("open_ms", "ms", static_cast<double>(open_ns) / 1e6);
    run.row.add("unflushed_keys", "1", static_cast<double>(acknowledged - count));

    auto problem =
        verify(run.driver, Expected{keys, acknowledged, [&](size_t) -> std::string_view { return value; }});
    if (!found && !problem) problem = "the last acknowledged key was not there at first";
    run.row.add("verified", "bool", problem ? 0 : 1);
    if (problem && run.row.kept.fit == Fit::kWeaker) {
      run.row.remark("lost acknowledged writes, as its weaker promise allows: " + *problem);
    } else if (problem) {
      run.row.problems.push_back(*problem);
    }
    run.driver.close();
  });
}

void ten_keys_bytes(Session& session) {
  const Strings keys = dbx_keys(kTinyKeys);
  const Strings values = dbx_values(kTinyKeys);
  session.run_rounds("O", "ten_keys_bytes", kPromise, [&](Run& run) {
    run.driver.open(table_options(run.directory, kPromise));
    run.row.settings = run.driver.settings();
    for (size_t i = 0; i < kTinyKeys; ++i) run.driver.put(keys[i], values[i]);
    const DiskUse open = disk_use(run.directory);
    run.driver.close();
    const DiskUse closed = disk_use(run.directory);
    run.row.add("allocated_closed", "B", static_cast<double>(closed.allocated_bytes));
    run.row.add("apparent_closed", "B", static_cast<double>(closed.apparent_bytes));
    run.row.add("allocated_open", "B", static_cast<double>(open.allocated_bytes));
    run.row.add("apparent_open", "B", static_cast<double>(open.apparent_bytes));

    run.driver.open(table_options(run.directory, kPromise));
    const auto problem = verify(run.driver, Expected{keys, kTinyKeys, [&](size_t i) { return values[i]; }});
    run.row.add("verified", "bool", problem ? 0 : 1);
    if (problem) run.row.problems.push_back(*problem);
    run.driver.close();
  });
}

}  // namespace

void fill_and_die(const Engine& engine, const std::filesystem::path& directory, size_t count,
                  uint64_t limit_ns) {
  const Strings keys = sequential_keys(2 * count);
  const std::string value = value_bytes(kSeed);
  std::vector<Entry> grown;
  for (size_t i = 0; i < count; ++i) grown.push_back({keys[i], value});
  const auto driver = engine.make();
  driver->open(table_options(directory, kPromise));
  constexpr size_t kLoadBatch = 1000;
  for (size_t i = 0; i < count; i += kLoadBatch) {
    driver->write(std::span<const Entry>(grown).subspan(i, std::min(kLoadBatch, count - i)));
  }
  driver->drain();
  const Laps laps = time_each(count, limit_ns, [&](size_t i) { driver->put(keys[count + i], value); });
  const std::string said = fmt::format("{}\n", count + laps.ns.size());
  if (::write(STDOUT_FILENO, said.data(), said.size()) != static_cast<ssize_t>(said.size())) ::_exit(1);
  ::kill(::getpid(), SIGKILL);
  ::_exit(1);
}

void run_table_o(Session& session, const std::filesystem::path& program) {
  reopen_after_kill(session, program);
  ten_keys_bytes(session);
}

}  // namespace ashlar::bench
