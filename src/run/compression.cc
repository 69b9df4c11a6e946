#include "run/compression.h"

#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "run/format.h"

namespace ashlar::run {

namespace {

constexpr int kZstdLevel = 3;

// One per thread, made at the first use: a context is 150 KiB, far more than a block.
class ZstdReader {
 public:
  ZstdReader() = default;
  ZstdReader(const ZstdReader&) = delete;
  ZstdReader& operator=(const ZstdReader&) = delete;
  ~ZstdReader() { ZSTD_freeDCtx(context_); }
  ZSTD_DCtx* context() {
    if (context_ == nullptr) context_ = ZSTD_createDCtx();
    ASHLAR_CHECK(context_ != nullptr);
    return context_;
  }

 private:
  ZSTD_DCtx* context_ = nullptr;
};
thread_local ZstdReader zstd_reader;

}  // namespace

Compressor::~Compressor() { ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(zstd_context_)); }

size_t Compressor::bound(size_t raw_bytes) const {
  switch (compression_) {
    case Compression::none:
      return 0;
    case Compression::lz4:
      return static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw_bytes)));
    case Compression::snappy:
      return snappy_max_compressed_length(raw_bytes);
    case Compression::zstd:
      return ZSTD_compressBound(raw_bytes);
  }
  return 0;
}

size_t Compressor::compress(Bytes raw, char* to) {
  size_t stored = 0;
  switch (compression_) {
    case Compression::none:
      return 0;
    case Compression::lz4:
      stored = static_cast<size_t>(LZ4_compress_default(raw.data(), to, static_cast<int>(raw.size()),
                                                        static_cast<int>(bound(raw.size()))));
      break;
    case Compression::snappy:
      stored = bound(raw.size());
      if (snappy_compress(raw.data(), raw.size(), to, &stored) != SNAPPY_OK) stored = 0;
      break;
    case Compression::zstd: {
      if (zstd_context_ == nullptr) zstd_context_ = ZSTD_createCCtx();
      ASHLAR_CHECK(zstd_context_ != nullptr);
      stored = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(zstd_context_), to, bound(raw.size()), raw.data(),
                                 raw.size(), kZstdLevel);
      if (ZSTD_isError(stored)) stored = 0;
      break;
    }
  }
  return stored <= raw.size() - raw.size() / 8 ? stored : 0;
}

uint64_t max_raw_bytes(Compression compression, uint64_t stored_bytes) {
  switch (compression) {
    case Compression::none:
      return stored_bytes;
    case Compression::lz4:  // a length byte adds at most 255
      return stored_bytes * 255 + 64;
    case Compression::snappy:  // the shortest copy, 2 bytes, yields at most 64
      return stored_bytes * 64 + 64;
    case Compression::zstd:  // a block of one repeated byte: 4 bytes stand for 128 KiB
      return stored_bytes * 32768 + 64;
  }
  return 0;
}

Status decompress(Compression compression, Bytes stored, char* to, size_t raw_bytes) {
  uint64_t made = 0;
  switch (compression) {
    case Compression::none:
      made = stored.size();
      if (made == raw_bytes) std::memcpy(to, stored.data(), raw_bytes);
      break;
    case Compression::lz4: {
      const int result = LZ4_decompress_safe(stored.data(), to, static_cast<int>(stored.size()),
                                             static_cast<int>(raw_bytes));
      made = result < 0 ? ~uint64_t{0} : static_cast<uint64_t>(result);
      break;
    }
    case Compression::snappy: {
      size_t length = 0;
      if (snappy_uncompressed_length(stored.data(), stored.size(), &length) != SNAPPY_OK ||
          length != raw_bytes || snappy_uncompress(stored.data(), stored.size(), to, &length) != SNAPPY_OK) {
        length = ~size_t{0};
      }
      made = length;
      break;
    }
    case Compression::zstd:
      made = ZSTD_decompressDCtx(zstd_reader.context(), to, raw_bytes, stored.data(), stored.size());
      break;
  }
  return made == raw_bytes ? ok_status() : mismatch("decompressed bytes", raw_bytes, made);
}

}  // namespace ashlar::run
