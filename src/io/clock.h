// Time as a dependency. Monotonic for durations, wall for what a person reads.
#pragma once

#include <cstdint>

namespace ashlar::io {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since an arbitrary origin; never goes back.
  virtual uint64_t monotonic_ns() const = 0;
  // Nanoseconds since 1970-01-01 UTC.
  virtual uint64_t wall_ns() const = 0;
  virtual void sleep_ns(uint64_t duration_ns) = 0;
};

}  // namespace ashlar::io
