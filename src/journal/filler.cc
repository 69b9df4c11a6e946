#include "journal/filler.h"

#include <algorithm>

#include "base/anonymous_memory.h"

namespace ashlar::journal {

Bytes filler_zeros() {
  static const AnonymousMemory* const zeros =
      new AnonymousMemory(AnonymousMemory::create(Filler::kStepBytes).value());
  return Bytes(zeros->data(), zeros->size_bytes());
}

bool Filler::step() {
  std::lock_guard<std::mutex> guard(mutex_);
  if (is_over()) return false;
  const uint64_t at = ready_bytes();
  if (at < capacity_bytes_) {
    const uint64_t step_bytes = std::min(kStepBytes - at % kStepBytes, capacity_bytes_ - at);
    status_ = file_->write_at(at, filler_zeros().substr(0, step_bytes));
    if (status_.ok()) ready_bytes_.store(at + step_bytes, std::memory_order_release);
  }
  const bool more = status_.ok() && ready_bytes() < capacity_bytes_;
  if (!more) over_.store(true, std::memory_order_release);
  return more;
}

Status Filler::status() const {
  std::lock_guard<std::mutex> guard(mutex_);
  return status_;
}

void Filler::stop() {
  std::lock_guard<std::mutex> guard(mutex_);
  over_.store(true, std::memory_order_release);
}

}  // namespace ashlar::journal
