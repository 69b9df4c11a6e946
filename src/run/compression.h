// The four ways to store a payload, behind one pair of functions.
//
// Sources: LZ4 block format, Snappy format description, RFC 8878 (Zstandard); the libraries are the reference ones.
// Threads: a Compressor belongs to one thread; decompress() may be called from any.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "base/types.h"
#include "run/options.h"

namespace ashlar::run {

class Compressor {
 public:
  explicit Compressor(Compression compression) : compression_(compression) {}
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor();

  Compression compression() const { return compression_; }
  // Room that compress() needs at its destination.
  size_t bound(size_t raw_bytes) const;
  // Returns the compressed size, or 0 when it would save less than an eighth: store the bytes as they are then.
  size_t compress(Bytes raw, char* to);

 private:
  Compression compression_;
  void* zstd_context_ = nullptr;  // made once: it costs more than the compression of a block
};

// Fills exactly [to, to + raw_bytes) or fails. Errors: corruption.
Status decompress(Compression compression, Bytes stored, char* to, size_t raw_bytes);

// The most that `stored_bytes` can expand to; a claim above it is a lie, found out before memory is allocated.
uint64_t max_raw_bytes(Compression compression, uint64_t stored_bytes);

}  // namespace ashlar::run
