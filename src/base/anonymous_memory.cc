#include "base/anonymous_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ashlar {

Result<AnonymousMemory> AnonymousMemory::create(uint64_t size_bytes) {
  void* memory = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return limit_exceeded("cannot reserve " + std::to_string(size_bytes) +
                          " bytes of memory: " + std::strerror(errno));
  }
  constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;
  if (size_bytes >= kHugePageBytes) ::madvise(memory, size_bytes, MADV_HUGEPAGE);
  AnonymousMemory result;
  result.data_ = static_cast<char*>(memory);
  result.size_bytes_ = size_bytes;
  return result;
}

AnonymousMemory::AnonymousMemory(AnonymousMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}

AnonymousMemory& AnonymousMemory::operator=(AnonymousMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

AnonymousMemory::~AnonymousMemory() {
  if (data_ != nullptr) ::munmap(data_, size_bytes_);
}

}  // namespace ashlar
