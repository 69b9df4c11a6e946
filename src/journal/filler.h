// Fills a mapped segment's file with zeros ahead of the appender.
//
//   file   [header, frames......|zeros, in the page cache as large folios|reserved, never touched]
//                        ^ tail                                          ^ ready()
//
// Why: the first store into a page that only fallocate reserved costs a page fault of 2-4 us per 4 KiB; into pages that one
// large write brought in, one fault per 2 MiB. Filling all 64 MiB before first use would make the appender wait for it.
// F1  Nothing at or beyond ready() was ever stored to by the appender, so filling never overwrites a frame.
// F2  After stop() returned no byte is written any more.
// Threads: step from one; ready and stop from any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "io/file.h"

namespace ashlar::journal {

class Filler {
 public:
  static constexpr uint64_t kStepBytes = uint64_t{4} << 20;

  // Steps end at multiples of kStepBytes, wherever the first begins.
  Filler(std::shared_ptr<io::File> file, uint64_t from, uint64_t capacity_bytes)
      : file_(std::move(file)), capacity_bytes_(capacity_bytes), ready_bytes_(from) {}

  // Fills one more step. False when nothing is left to do: full, stopped or failed.
  bool step();
  // Appends may go up to here.
  uint64_t ready_bytes() const noexcept { return ready_bytes_.load(std::memory_order_acquire); }
  // Nothing more will become ready.
  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }
  // Why it ended early; ok if it did not.
  Status status() const;
  void stop();

 private:
  const std::shared_ptr<io::File> file_;
  const uint64_t capacity_bytes_;
  std::atomic<uint64_t> ready_bytes_;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;  // held while a step writes
  Status status_;
};

// kStepBytes zeros.
Bytes filler_zeros();

}  // namespace ashlar::journal
