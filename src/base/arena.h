// Bump allocator: memory that lives and dies together.
//
//   chunk 0            chunk 1
//   [used....|free]    [used|free............]
//              ^ bump pointer of the newest chunk
//
// Chunks grow from 64 KiB to 4 MiB; chunks of 2 MiB and more are aligned to 2 MiB and advised to use huge pages
// (a page fault on a virtual machine costs 2-4 us, a huge one covers 512 pages). Nothing is freed singly.
// Threads: one allocating thread; memory handed out may be read by any. `bytes_reserved` is safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // `alignment` is a power of two up to 64. Never null: running out of memory stops the process.
  void* allocate(size_t size_bytes, size_t alignment = 8) {
    const uintptr_t at = (next_ + (alignment - 1)) & ~uintptr_t{alignment - 1};
    if (at + size_bytes > end_ || next_ == 0) return allocate_in_new_chunk(size_bytes, alignment);
    next_ = at + size_bytes;
    return reinterpret_cast<void*>(at);
  }

  // Memory taken from the system, used or not.
  size_t bytes_reserved() const noexcept { return bytes_reserved_.load(std::memory_order_relaxed); }

 private:
  struct Chunk {
    void* memory;
    size_t size_bytes;
  };
  void* allocate_in_new_chunk(size_t size_bytes, size_t alignment);

  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  size_t next_chunk_bytes_ = kFirstChunkBytes;
  std::atomic<size_t> bytes_reserved_{0};
  std::vector<Chunk> chunks_;

  static constexpr size_t kFirstChunkBytes = 64 * 1024;
};

}  // namespace ashlar
