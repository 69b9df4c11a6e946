// The blocks of a run for one cursor: from the cache, from the file, or from a read-ahead buffer once they are taken in
// sequence, forwards or backwards.
//
// Reading ahead begins with the second neighbour in a row, with 64 KiB, and doubles up to the option's limit: a short
// range pays little, a scan reads large pieces. With a cache, blocks are copied out of the buffer into it; without one,
// an uncompressed block is used where it lies.
// Threads: one.
#pragma once

#include "run/source.h"

namespace ashlar::run {

class BlockStream {
 public:
  // `source` outlives the stream.
  BlockStream(const Source& source, const CursorOptions& options) : source_(source), options_(options) {}

  // Errors: corruption, unsupported_format, io.
  Status load(size_t block, LoadedBlock* out);

 private:
  static constexpr uint64_t kFirstWindowBytes = 64 * 1024;
  void note_step(size_t block);
  Status read(size_t block, LoadedBlock* out);
  Status read_ahead(size_t block);

  const Source& source_;
  const CursorOptions options_;
  size_t previous_ = Index::kNone;
  uint32_t forward_steps_ = 0;
  uint32_t backward_steps_ = 0;
  uint64_t window_bytes_ = kFirstWindowBytes;
  Pin buffer_;  // blocks [buffer_first_, buffer_last_) as they lie in the file
  size_t buffer_first_ = 0;
  size_t buffer_last_ = 0;
};

}  // namespace ashlar::run
