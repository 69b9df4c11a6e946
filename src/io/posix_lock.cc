#include "io/posix_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <vector>

#include "io/posix_descriptor.h"
#include "io/posix_error.h"

namespace ashlar::io {

namespace {

struct Claim {
  dev_t device;
  ino_t inode;
  int fd;  // -1 in a fork child: it holds nothing
};

// What this process holds. Never destroyed: locks may be dropped by destructors of static objects.
class Registry {
 public:
  static Registry& instance() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  std::mutex& mutex() { return mutex_; }
  bool holds(const struct stat& file) const {
    return std::any_of(claims_.begin(), claims_.end(), [&](const Claim* claim) {
      return claim->device == file.st_dev && claim->inode == file.st_ino;
    });
  }
  void add(Claim* claim) { claims_.push_back(claim); }
  void remove(const Claim* claim) { std::erase(claims_, claim); }

 private:
  Registry() {
    const int outcome = ::pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                                         [] { instance().forget_in_child(); });
    ASHLAR_CHECK(outcome == 0);
  }

  void forget_in_child() {
    for (Claim* claim : claims_) {
      ::close(claim->fd);
      claim->fd = -1;
    }
    claims_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<Claim*> claims_;
};

class PosixLock final : public Lock {
 public:
  explicit PosixLock(Claim claim) : claim_(claim) { Registry::instance().add(&claim_); }
  PosixLock(const PosixLock&) = delete;
  PosixLock& operator=(const PosixLock&) = delete;
  ~PosixLock() override {
    const std::lock_guard<std::mutex> guard(Registry::instance().mutex());
    if (claim_.fd < 0) return;
    Registry::instance().remove(&claim_);
    ::flock(claim_.fd,
            LOCK_UN);  // not by close alone: a child made by a bare clone(2) may share the descriptor
    ::close(claim_.fd);
  }

 private:
  Claim claim_;
};

std::string describe_self() {
  std::string command = ::program_invocation_short_name;
  for (char& c : command) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return std::to_string(::getpid()) + " " + command + "\n";
}

std::string held_message(const std::string& path, const std::string& holder) {
  return "lock " + path + ": held by " + holder;
}

// "process 4711 (ashlar)", from what the holder wrote; it may be about to write it.
std::string read_holder(int fd) {
  char text[256];
  const ssize_t count = ::pread(fd, text, sizeof text, 0);
  const std::string_view line(text, count > 0 ? static_cast<size_t>(count) : 0);
  const size_t space = line.find(' ');
  const size_t end = line.find('\n');
  if (space == 0 || space == std::string_view::npos || end == std::string_view::npos || end < space) {
    return "another process";
  }
  const std::string_view pid = line.substr(0, space);
  if (pid.find_first_not_of("0123456789") != std::string_view::npos) return "another process";
  return "process " + std::string(pid) + " (" + std::string(line.substr(space + 1, end - space - 1)) + ")";
}

// A lock that cannot be labelled (a full disk) is held all the same.
void write_holder(int fd) {
  const std::string text = describe_self();
  if (::ftruncate(fd, 0) != 0) return;
  if (::pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

Result<std::unique_ptr<Lock>> take_posix_lock(int directory_fd, const std::string& directory_path,
                                              const std::string& name) {
  const std::string path = directory_path + "/" + name;
  const std::lock_guard<std::mutex> guard(Registry::instance().mutex());
  for (;;) {
    struct stat named = {};
    if (::fstatat(directory_fd, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        Registry::instance().holds(named)) {
      return busy(held_message(path, "process " + std::to_string(::getpid()) + " (" +
                                         ::program_invocation_short_name +
                                         "), by another handle of this process"));
    }
    Descriptor file(
        ::openat(directory_fd, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
    if (!file.valid()) return posix_error(errno, "open", path);
    int outcome = 0;
    do {
      outcome = ::flock(file.get(), LOCK_EX | LOCK_NB);
    } while (outcome != 0 && errno == EINTR);
    if (outcome != 0) {
      if (errno == EWOULDBLOCK) return busy(held_message(path, read_holder(file.get())));
      return posix_error(errno, "flock", path);
    }
    struct stat opened = {};
    if (::fstat(file.get(), &opened) != 0) return posix_error(errno, "stat", path);
    if (::fstatat(directory_fd, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_dev != opened.st_dev || named.st_ino != opened.st_ino) {
      continue;  // removed between open and flock
    }
    write_holder(file.get());
    const Claim claim{opened.st_dev, opened.st_ino, file.release()};
    return std::unique_ptr<Lock>(std::make_unique<PosixLock>(claim));
  }
}

}  // namespace ashlar::io
