// The sequences that somebody may still read at, so that flush and compaction keep what those readers need.
// Threads: any.
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include "base/types.h"

namespace ashlar::txn {

class Snapshots {
 public:
  // Registers and returns the sequence visible now. `visible` is read under the lock, so that a flush that asks for
  // boundaries afterwards either finds the snapshot or had a boundary that serves it.
  template <typename Visible>
  Sequence acquire(const Visible& visible) {
    std::lock_guard<std::mutex> guard(mutex_);
    const Sequence sequence = visible();
    open_.insert(sequence);
    return sequence;
  }
  void release(Sequence sequence) {
    std::lock_guard<std::mutex> guard(mutex_);
    open_.erase(open_.find(sequence));
  }
  // Open snapshots and the visible sequence, ascending, without repetition.
  template <typename Visible>
  std::vector<Sequence> boundaries(const Visible& visible) const {
    std::lock_guard<std::mutex> guard(mutex_);
    std::vector<Sequence> result;
    for (const Sequence sequence : open_) {
      if (result.empty() || result.back() != sequence) result.push_back(sequence);
    }
    const Sequence now = visible();
    if (result.empty() || result.back() != now) result.push_back(now);
    return result;
  }
  size_t count() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return open_.size();
  }
  // 0 when none is open.
  Sequence oldest() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return open_.empty() ? Sequence() : *open_.begin();
  }

 private:
  mutable std::mutex mutex_;
  std::multiset<Sequence> open_;
};

}  // namespace ashlar::txn
