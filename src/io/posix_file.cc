#include "io/posix_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/posix_error.h"

namespace ashlar::io {

namespace {

// One write fills whole 2 MiB folios; smaller writes leave smaller folios, and every page of those faults again
// after each write-back.
constexpr uint64_t kFillBytes = uint64_t{4} << 20;

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

// Never written, so every page of it is the kernel's one zero page: the buffer costs address space, not memory.
const char* zero_buffer() {
  static const char* const buffer = [] {
    void* memory = ::mmap(nullptr, kFillBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASHLAR_CHECK(memory != MAP_FAILED);
    return static_cast<const char*>(memory);
  }();
  return buffer;
}

class PosixMapping final : public Mapping {
 public:
  PosixMapping(char* data, uint64_t size_bytes, std::string path)
      : Mapping(data, size_bytes), path_(std::move(path)) {}
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override { ::munmap(data(), size_bytes()); }

  Status sync(uint64_t offset, uint64_t length_bytes) override {
    if (offset > size_bytes() || length_bytes > size_bytes() - offset) {
      return invalid_argument("sync " + path_ + ": [" + std::to_string(offset) + ", +" +
                              std::to_string(length_bytes) + ") outside the mapping of " +
                              std::to_string(size_bytes()) + " bytes");
    }
    const uint64_t start = offset & ~(page_bytes() - 1);
    int outcome = 0;
    do {
      outcome = ::msync(data() + start, offset - start + length_bytes, MS_SYNC);
    } while (outcome != 0 && errno == EINTR);
    return outcome == 0 ? ok_status() : posix_error_at(errno, "msync", path_, offset);
  }

 private:
  std::string path_;
};

}  // namespace

Result<size_t> PosixFile::read_at(uint64_t offset, void* buffer, size_t size_bytes) const {
  size_t done = 0;
  while (done < size_bytes) {
    const ssize_t count = ::pread(descriptor_.get(), static_cast<char*>(buffer) + done, size_bytes - done,
                                  static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      return posix_error_at(errno, "read", path(), offset + done);
    }
  }
  return done;
}

Status PosixFile::write_at(uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    } else if (count == 0) {
      return posix_error_at(EIO, "write", path(), offset);  // no progress and no reason: never spin on it
    } else if (errno != EINTR) {
      return posix_error_at(errno, "write", path(), offset);
    }
  }
  return ok_status();
}

Status PosixFile::sync() {
  int outcome = 0;
  do {
    outcome = ::fdatasync(descriptor_.get());
  } while (outcome != 0 && errno == EINTR);
  return outcome == 0 ? ok_status() : posix_error(errno, "fdatasync", path());
}

void PosixFile::start_write_back(uint64_t offset, uint64_t length_bytes) {
  // Its failures show in sync(): that one waits for the same pages.
  static_cast<void>(::sync_file_range(descriptor_.get(), static_cast<off_t>(offset),
                                      static_cast<off_t>(length_bytes), SYNC_FILE_RANGE_WRITE));
}

Result<uint64_t> PosixFile::size_bytes() const {
  struct stat found = {};
  if (::fstat(descriptor_.get(), &found) != 0) return posix_error(errno, "stat", path());
  return static_cast<uint64_t>(found.st_size);
}

Status PosixFile::resize(uint64_t size_bytes) {
  ASHLAR_ASSIGN(const uint64_t old_size_bytes, this->size_bytes());
  if (size_bytes > old_size_bytes) ASHLAR_TRY(reserve_space(size_bytes));
  return truncate(size_bytes);
}

Status PosixFile::truncate(uint64_t size_bytes) {
  int outcome = 0;
  do {
    outcome = ::ftruncate(descriptor_.get(), static_cast<off_t>(size_bytes));
  } while (outcome != 0 && errno == EINTR);
  return outcome == 0 ? ok_status() : posix_error_at(errno, "truncate", path(), size_bytes);
}

// Asks for the whole space at once, so that it is contiguous and a full disk is noticed before anything is written.
// Best effort: fallocate(2) itself rather than posix_fallocate, whose emulation would touch every block.
Status PosixFile::reserve_space(uint64_t size_bytes) {
  int outcome = 0;
  do {
    outcome = ::fallocate(descriptor_.get(), 0, 0, static_cast<off_t>(size_bytes));
  } while (outcome != 0 && errno == EINTR);
  if (outcome != 0 && (errno == ENOSPC || errno == EDQUOT)) {
    return posix_error_at(errno, "fallocate", path(), size_bytes);
  }
  return ok_status();
}

Status PosixFile::fill_zeros(uint64_t size_bytes) {
  ASHLAR_ASSIGN(const uint64_t old_size_bytes, this->size_bytes());
  // Emptied first even when the size is right: cached pages keep the folio size of the write that brought them in.
  if (old_size_bytes != 0) ASHLAR_TRY(truncate(0));
  if (size_bytes == 0) return ok_status();
  ASHLAR_TRY(reserve_space(size_bytes));
  for (uint64_t at = 0; at < size_bytes; at += kFillBytes) {
    ASHLAR_TRY(write_at(at, Bytes(zero_buffer(), std::min(kFillBytes, size_bytes - at))));
  }
  return ok_status();
}

Result<std::unique_ptr<Mapping>> PosixFile::map(uint64_t size_bytes) {
  ASHLAR_ASSIGN(const uint64_t file_bytes, this->size_bytes());
  if (size_bytes == 0 || size_bytes > file_bytes) {  // a store beyond the end would be a SIGBUS
    return invalid_argument("map " + path() + ": " + std::to_string(size_bytes) + " bytes of a file of " +
                            std::to_string(file_bytes));
  }
  void* memory = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
  if (memory == MAP_FAILED) return posix_error_at(errno, "mmap", path(), size_bytes);
  return std::unique_ptr<Mapping>(
      std::make_unique<PosixMapping>(static_cast<char*>(memory), size_bytes, path()));
}

}  // namespace ashlar::io
