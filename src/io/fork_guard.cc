#include "io/fork_guard.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>

#include "base/check.h"

namespace ashlar::io {

namespace {

using Word = std::atomic<uint64_t>;

Word* wiped_page = nullptr;

Word* create_page() {
  constexpr size_t kPageBytes = 4096;
  void* memory = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASHLAR_CHECK(memory != MAP_FAILED);
  wiped_page = new (memory) Word(0);
  // Kernels before 4.14 and some emulators lack it; a fork handler then does the wiping, which a bare clone(2) evades.
  if (::madvise(memory, kPageBytes, MADV_WIPEONFORK) != 0) {
    const int outcome =
        ::pthread_atfork(nullptr, nullptr, [] { wiped_page->store(0, std::memory_order_relaxed); });
    ASHLAR_CHECK(outcome == 0);
  }
  return wiped_page;
}

// Ordinary memory: a child inherits the count and so never repeats a generation of its parent.
Word newest_generation{0};

}  // namespace

ForkGuard::ForkGuard() {
  static Word* const page = create_page();
  uint64_t current = page->load(std::memory_order_relaxed);
  if (current == 0) {
    const uint64_t fresh = newest_generation.fetch_add(1, std::memory_order_relaxed) + 1;
    if (page->compare_exchange_strong(current, fresh, std::memory_order_relaxed)) current = fresh;
  }
  page_ = page;
  generation_ = current;
}

}  // namespace ashlar::io
