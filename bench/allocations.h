// Counts calls of the allocator (malloc, calloc, realloc, aligned forms, and so operator new) while asked to.
// The executable's own malloc stands in front of the C library's; while nobody counts it costs one predicted branch.
#pragma once

#include <cstdint>

namespace ashlar::bench {

struct Allocations {
  uint64_t caller = 0;   // by the thread that counts
  uint64_t process = 0;  // by all threads
};

// False where the counter is not linked in (sanitizers bring an allocator of their own).
[[nodiscard]] bool can_count_allocations();
void start_counting_allocations();
[[nodiscard]] Allocations stop_counting_allocations();

}  // namespace ashlar::bench
