// A line on standard error that shows how far a long command is, redrawn in place. Shown on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>

namespace ashlar::cli {

class Progress {
 public:
  // `total_bytes` 0: unknown, no bar.
  explicit Progress(uint64_t total_bytes);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Wipes the line.
  ~Progress();
  // Cheap to call often.
  void update(uint64_t bytes, uint64_t pairs);

 private:
  using Time = std::chrono::steady_clock::time_point;
  uint64_t total_bytes_;
  bool shown_;
  bool drawn_ = false;
  uint32_t calls_ = 0;
  Time start_;
  Time next_draw_;
};

}  // namespace ashlar::cli
