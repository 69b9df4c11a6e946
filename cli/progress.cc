#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "text.h"

namespace ashlar::cli {

namespace {

constexpr int kBarWidth = 30;
constexpr auto kRedraw = std::chrono::milliseconds(100);
// The clock is asked once in so many calls.
constexpr uint32_t kCallsPerLook = 256;

}  // namespace

Progress::Progress(uint64_t total_bytes)
    : total_bytes_(total_bytes),
      shown_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      next_draw_(start_ + kRedraw) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(uint64_t bytes, uint64_t pairs) {
  if (!shown_ || ++calls_ % kCallsPerLook != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedraw;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string bar;
  if (total_bytes_ > 0) {
    const double part = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total_bytes_));
    const int filled = static_cast<int>(part * kBarWidth);
    bar = fmt::format("[{:=<{}}{: <{}}] {:3.0f}%  ", "", filled, "", kBarWidth - filled, part * 100);
  }
  fmt::print(stderr, "\r\x1b[K{}{} pairs  {}  {}", bar, grouped(pairs), bytes_text(bytes),
             rate_text(static_cast<double>(pairs) / seconds));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace ashlar::cli
