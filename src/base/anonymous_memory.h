// Zeroed memory of its own mapping, backed by huge pages where the system grants them.
// Threads: a value; the memory itself is shared as the owner likes.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace ashlar {

class AnonymousMemory {
 public:
  // Error: limit, when the system has no address space or memory to promise.
  static Result<AnonymousMemory> create(uint64_t size_bytes);
  AnonymousMemory() = default;
  AnonymousMemory(AnonymousMemory&& other) noexcept;
  AnonymousMemory& operator=(AnonymousMemory&& other) noexcept;
  AnonymousMemory(const AnonymousMemory&) = delete;
  AnonymousMemory& operator=(const AnonymousMemory&) = delete;
  ~AnonymousMemory();

  char* data() const noexcept { return data_; }
  uint64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  char* data_ = nullptr;
  uint64_t size_bytes_ = 0;
};

}  // namespace ashlar
