// Files and mappings as the engine sees them: the only door to the disk.
//
// Two worlds implement these: POSIX (io/posix_*.cc) and the simulated disk (io/sim). Engine code never calls the
// operating system itself, so every failure here can be played from a seed.
//
// What a write promises: nothing after a power cut until sync() returned ok; everything after the death of the
// process. After a failed sync the state of the file is unknown and never becomes known by another sync: the
// caller stops using the file for new data (invariant J4).
// Threads: read_at from any number; writers are serialised by the caller.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "base/types.h"

namespace ashlar::io {

// Shared, writable view of a file. Stores reach the file without a system call and survive the death of the
// process; sync() makes them survive a power cut.
class Mapping {
 public:
  virtual ~Mapping() = default;
  char* data() const noexcept { return data_; }
  uint64_t size_bytes() const noexcept { return size_bytes_; }
  // Makes [offset, offset + length) durable, like File::sync. Errors: io, no_space.
  virtual Status sync(uint64_t offset, uint64_t length_bytes) = 0;

 protected:
  Mapping(char* data, uint64_t size_bytes) : data_(data), size_bytes_(size_bytes) {}

 private:
  char* data_;
  uint64_t size_bytes_;
};

class File {
 public:
  virtual ~File() = default;
  // Reads up to `size_bytes`; returns how many, fewer only at the end of the file. Retries EINTR and short reads.
  virtual Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const = 0;
  // Writes all of `bytes` or fails; after a failure any part of it may have been written. Errors: io, no_space.
  virtual Status write_at(uint64_t offset, Bytes bytes) = 0;
  // Makes data and size durable (fdatasync). Not the directory entry: Directory::sync does that.
  virtual Status sync() = 0;
  // A hint that [offset, offset + length) is complete: the system may begin to write it, so that sync() has less to do.
  // Promises nothing and never fails.
  virtual void start_write_back(uint64_t offset, uint64_t length_bytes) {
    static_cast<void>(offset);
    static_cast<void>(length_bytes);
  }
  virtual Result<uint64_t> size_bytes() const = 0;
  // Cuts, or grows by bytes that read as zeros and whose space is reserved where the file system can (so that a store
  // through a mapping never meets a full disk). Errors: io, no_space.
  virtual Status resize(uint64_t size_bytes) = 0;
  // Makes the file exactly `size_bytes` of zeros in written extents, by writes of 4 MiB so that the page cache
  // holds large folios (a mapped append then costs no page fault in the steady state). Errors: io, no_space.
  virtual Status fill_zeros(uint64_t size_bytes) = 0;
  // Maps [0, size_bytes) shared and writable; the file must be at least that long and stay so. The file object may
  // be destroyed before the mapping.
  virtual Result<std::unique_ptr<Mapping>> map(uint64_t size_bytes) = 0;
  // Name inside its directory, for messages.
  virtual const std::string& name() const noexcept = 0;
};

}  // namespace ashlar::io
