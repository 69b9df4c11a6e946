#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "base/check.h"

namespace ashlar {

namespace {
constexpr size_t kHugePageBytes = size_t{2} << 20;
constexpr size_t kLargestChunkBytes = size_t{4} << 20;
}  // namespace

Arena::~Arena() {
  for (const Chunk& chunk : chunks_) std::free(chunk.memory);
}

void* Arena::allocate_in_new_chunk(size_t size_bytes, size_t alignment) {
  const bool oversized = size_bytes + alignment > next_chunk_bytes_;
  size_t chunk_bytes = oversized ? size_bytes + alignment : next_chunk_bytes_;
  const size_t chunk_alignment = chunk_bytes >= kHugePageBytes ? kHugePageBytes : 4096;
  chunk_bytes = (chunk_bytes + chunk_alignment - 1) & ~(chunk_alignment - 1);
  void* memory = std::aligned_alloc(chunk_alignment, chunk_bytes);
  ASHLAR_CHECK(memory != nullptr);
  if (chunk_bytes >= kHugePageBytes) ::madvise(memory, chunk_bytes, MADV_HUGEPAGE);
  chunks_.push_back({memory, chunk_bytes});
  bytes_reserved_.fetch_add(chunk_bytes, std::memory_order_relaxed);

  const auto base = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t at = (base + (alignment - 1)) & ~uintptr_t{alignment - 1};
  if (oversized && next_ != 0)
    return reinterpret_cast<void*>(at);  // the current chunk still has room for small ones
  next_ = at + size_bytes;
  end_ = base + chunk_bytes;
  next_chunk_bytes_ = std::min(next_chunk_bytes_ * 4, kLargestChunkBytes);
  return reinterpret_cast<void*>(at);
}

}  // namespace ashlar
