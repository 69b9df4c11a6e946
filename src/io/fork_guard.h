// Tells whether this process is a fork child of the one that made the guard, without a system call per check.
//
//   one page per process, wiped by the kernel in every fork child:
//     parent  [ generation 7 | ... ]     guard made here: 7     forked() = false
//     child   [ 0            | ... ]     the same guard:  7     forked() = true
//   The first guard made in the child writes generation 8 there: the child may open databases of its own, while
//   what it inherited stays refused.
//
// Why it exists: a child inherits mappings of the parent's journal and none of its threads. A store through them
// would write into the parent's database.
// Threads: forked() from any; construction is serialised inside. A vfork child shares its parent's page and is not seen.
#pragma once

#include <atomic>
#include <cstdint>

namespace ashlar::io {

class ForkGuard {
 public:
  ForkGuard();
  bool forked() const noexcept { return page_->load(std::memory_order_relaxed) != generation_; }

 private:
  const std::atomic<uint64_t>* page_;
  uint64_t generation_;
};

}  // namespace ashlar::io
