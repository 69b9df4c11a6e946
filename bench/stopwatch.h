// Timing of a loop of calls: one clock reading per call, which lies inside the figure of every engine alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace ashlar::bench {

[[nodiscard]] inline uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                               std::chrono::nanoseconds(1));
}

struct Laps {
  std::vector<uint64_t> ns;  // one per call
  uint64_t total_ns = 0;
  bool cut_short = false;  // the time limit came before the last call
};

// Calls `call(i)` for i = 0 .. calls-1 and times each; stops after the call that passes `limit_ns`.
template <class Call>
[[nodiscard]] Laps time_each(size_t calls, uint64_t limit_ns, Call&& call) {
  Laps laps;
  laps.ns.resize(calls);  // written here once, so that the loop meets no page fault of ours
  const uint64_t start = now_ns();
  uint64_t last = start;
  size_t done = 0;
  while (done < calls && last - start <= limit_ns) {
    call(done);
    const uint64_t now = now_ns();
    laps.ns[done++] = now - last;
    last = now;
  }
  laps.total_ns = last - start;
  laps.cut_short = done < calls;
  laps.ns.resize(done);
  return laps;
}

template <class Call>
[[nodiscard]] uint64_t time_once(Call&& call) {
  const uint64_t start = now_ns();
  call();
  return now_ns() - start;
}

}  // namespace ashlar::bench
