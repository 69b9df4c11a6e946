#include <fcntl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "io/environment.h"
#include "io/posix_descriptor.h"
#include "io/posix_directory.h"
#include "io/posix_executor.h"

namespace ashlar::io {

namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

uint64_t read_clock(clockid_t id) {
  timespec now = {};
  ASHLAR_CHECK(::clock_gettime(id, &now) == 0);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

class PosixClock final : public Clock {
 public:
  uint64_t monotonic_ns() const override { return read_clock(CLOCK_MONOTONIC); }
  uint64_t wall_ns() const override { return read_clock(CLOCK_REALTIME); }
  void sleep_ns(uint64_t duration_ns) override {
    timespec left = {static_cast<time_t>(duration_ns / kNsPerSecond),
                     static_cast<long>(duration_ns % kNsPerSecond)};
    while (::clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
  }
};

// Text of a UUID, "01234567-89ab-...", as two numbers; {0,0} when it is anything else.
Uuid parse_uuid(Bytes text) {
  Uuid uuid;
  unsigned digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else {
      break;
    }
    uint64_t& half = digits < 16 ? uuid.high : uuid.low;
    half = half << 4 | digit;
    ++digits;
  }
  return digits == 32 ? uuid : Uuid{};
}

class PosixEnvironment final : public Environment {
 public:
  Clock& clock() override { return clock_; }
  std::unique_ptr<Executor> create_executor() override { return std::make_unique<PosixExecutor>(); }
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path, CreateMode mode) override {
    return open_posix_directory(path, mode == CreateMode::create_if_missing);
  }

  Uuid boot_id() override {
    const Descriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return Uuid{};
    char text[64];
    const ssize_t count = ::read(file.get(), text, sizeof text);
    return count > 0 ? parse_uuid(Bytes(text, static_cast<size_t>(count))) : Uuid{};
  }

  Uuid random_uuid() override {
    Uuid uuid;
    while (uuid == Uuid{}) {
      const ssize_t count = ::getrandom(&uuid, sizeof uuid, 0);  // never short for so few bytes
      ASHLAR_CHECK(count == static_cast<ssize_t>(sizeof uuid) || errno == EINTR);
      if (count < 0) uuid = Uuid{};
    }
    return uuid;
  }

 private:
  PosixClock clock_;
};

}  // namespace

Environment& posix_environment() {
  static PosixEnvironment* const environment = new PosixEnvironment;
  return *environment;
}

}  // namespace ashlar::io
