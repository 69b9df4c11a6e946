#include "allocations.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__has_feature)  // clang's way of saying it
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASHLAR_BENCH_COUNTS_ALLOCATIONS 0
#endif
#endif
#if defined(ASHLAR_BENCH_COUNTS_ALLOCATIONS)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASHLAR_BENCH_COUNTS_ALLOCATIONS 0
#else
#define ASHLAR_BENCH_COUNTS_ALLOCATIONS 1
#endif

namespace ashlar::bench {
namespace {

std::atomic<bool> counting{false};
std::atomic<uint64_t> process_count{0};
// Initial-exec: the dynamic model may itself allocate on first use.
__attribute__((tls_model("initial-exec"))) thread_local uint64_t thread_count = 0;

[[maybe_unused]] inline void note() {
  if (__builtin_expect(counting.load(std::memory_order_relaxed), 0)) {
    ++thread_count;
    process_count.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

bool can_count_allocations() { return ASHLAR_BENCH_COUNTS_ALLOCATIONS != 0; }

void start_counting_allocations() {
  thread_count = 0;
  process_count.store(0);
  counting.store(true);
}

Allocations stop_counting_allocations() {
  counting.store(false);
  return {thread_count, process_count.load()};
}

}  // namespace ashlar::bench

#if ASHLAR_BENCH_COUNTS_ALLOCATIONS

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  ashlar::bench::note();
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  ashlar::bench::note();
  return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  ashlar::bench::note();
  return __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
  ashlar::bench::note();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}

}  // extern "C"

#endif
