#include "killed_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ashlar/ashlar.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "failure.h"

extern char** environ;

namespace ashlar::cli {

namespace {

// Closes what it holds.
class End {
 public:
  explicit End(int fd) noexcept : fd_(fd) {}
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { reset(); }
  int get() const noexcept { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// The next count, or nothing where the writer is gone.
std::optional<uint64_t> read_count(int fd) {
  uint64_t count = 0;
  size_t have = 0;
  while (have < sizeof count) {
    const ssize_t got = read(fd, reinterpret_cast<char*>(&count) + have, sizeof count - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    have += static_cast<size_t>(got);
  }
  return count;
}

pid_t start(const std::string& directory, const std::string& lists, int ack_fd) {
  std::vector<std::string> words = {"ashlar",  "demo-writer", directory, "--ack-fd", std::to_string(ack_fd),
                                    "--lists", lists};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int outcome = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  if (outcome != 0)
    throw Failure(ExitCode::failed, fmt::format("cannot start myself: {}", std::strerror(outcome)));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

KilledLoad load_and_kill(const std::string& directory, const std::string& lists, uint64_t kill_after) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_failure("pipe");
  End reading(ends[0]);
  End writing(ends[1]);
  if (fcntl(writing.get(), F_SETFD, 0) != 0) throw system_failure("pipe");
  const pid_t child = start(directory, lists, writing.get());
  writing.reset();

  KilledLoad load;
  bool killed = false;
  while (const auto count = read_count(reading.get())) {
    load.acknowledged = *count;
    if (killed || *count < kill_after) continue;
    kill(child, SIGKILL);
    killed = true;
  }
  const int status = wait_for(child);
  load.was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (load.was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return load;
  throw Failure(ExitCode::failed, fmt::format("the loading process ended by itself, wait status {}", status));
}

void write_corpus(const std::string& directory, const Corpus& corpus, int ack_fd) {
  Db db = Db::open(directory).value();
  WriteBatch batch;
  for (uint64_t i = 0; i < corpus.entries.size(); ++i) {
    batch.put(corpus.entries[i].key, corpus.entries[i].value);
    if (batch.count() < kBatchEntries && i + 1 < corpus.entries.size()) continue;
    db.write(batch).check();
    batch.clear();
    const uint64_t count = i + 1;
    if (write(ack_fd, &count, sizeof count) != sizeof count) throw system_failure("telling what is written");
  }
  db.close().check();
}

}  // namespace ashlar::cli
