// Sequential output to a file through one buffer, written in aligned pieces of 1 MiB.
//
//   reserve(n) --> build in place --> commit(n)      or      append(bytes)
//
// Pieces end at multiples of 1 MiB in the file, so that no page is written twice and the page cache can hold large
// folios. Bytes of half a MiB and more go to the file without passing through the buffer.
// After a failure the state of the file is unknown; the caller stops. Threads: one.
#pragma once

#include <memory>

#include "base/status.h"
#include "base/types.h"
#include "io/file.h"

namespace ashlar::run {

class Output {
 public:
  static constexpr size_t kPieceBytes = size_t{1} << 20;
  static constexpr size_t kMaxReserveBytes = size_t{1} << 19;
  // After so many the disk begins to work, while the next ones are made.
  static constexpr size_t kWriteBackBytes = size_t{8} << 20;

  explicit Output(std::unique_ptr<io::File> file);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  // Where the next byte will be in the file.
  uint64_t offset() const { return buffer_offset_ + used_; }
  // Room for `size_bytes` <= kMaxReserveBytes at offset(), valid until the next call of any other function.
  char* reserve(size_t size_bytes);
  // The first `size_bytes` of the reserved room are done.
  Status commit(size_t size_bytes);
  Status append(Bytes bytes);
  // Writes what is left and makes the file durable.
  Status finish();

 private:
  Status write_pieces();
  Status write_all();

  std::unique_ptr<io::File> file_;
  char* buffer_;
  size_t used_ = 0;
  uint64_t buffer_offset_ = 0;
  uint64_t written_back_ = 0;
};

}  // namespace ashlar::run
