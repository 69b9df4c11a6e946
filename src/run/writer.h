// Writes one run: entries in, an immutable file out. docs/FORMAT.md has the bytes.
//
//   add(key, trailer, value) --> block under construction --> write buffer --> file, in pieces of 1 MiB
//                            --> hash of each distinct key --> filter
//   finish()                 --> filter, index, properties, footer; file sync
//
// W1 Entries come in strictly ascending internal order (kv/entry.h); a breach stops the process.
// W2 Nothing is promised about the file before finish() returned ok. After any failure the writer is dead (every
//    later call returns the same failure) and the caller removes the file; so does whoever destroys it early.
// W3 A value too large for a block goes from the caller's memory to the file without a copy, unless compressed.
// Cost: no allocation per entry. Memory: about 1.5 MiB, 8 bytes per distinct key, and the index.
// Threads: one at a time.
// Not here: where to split outputs, which entries may be dropped (lsm), names and directory entries (io).
#pragma once

#include <memory>

#include "base/status.h"
#include "base/types.h"
#include "io/file.h"
#include "run/block_builder.h"
#include "run/compression.h"
#include "run/filter.h"
#include "run/index.h"
#include "run/options.h"
#include "run/output.h"
#include "run/properties.h"

namespace ashlar::run {

class Writer {
 public:
  // `file` is new and empty. Errors: invalid_argument (options out of range).
  static Result<std::unique_ptr<Writer>> create(std::unique_ptr<io::File> file, WriterOptions options,
                                                Uuid database, RunId id);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() = default;

  // The bytes are used during the call only. Errors: io, no_space.
  Status add(Bytes stored_key, uint64_t trailer, Bytes value);

  // How large the file would be if finished now; the block under construction counts uncompressed.
  uint64_t bytes_written() const;
  uint64_t entry_count() const { return properties_.entry_count; }

  // Makes the file complete and durable (its directory entry is the caller's). To be called once; add() may not
  // follow. Errors: io, no_space.
  Result<Properties> finish();

 private:
  Writer(std::unique_ptr<io::File> file, const WriterOptions& options, Uuid database, RunId id);
  void note_entry(Bytes stored_key, uint64_t trailer, Bytes value);
  Status finish_block();
  void note_block(uint64_t sum);
  Status add_large(Bytes stored_key, uint64_t trailer, Bytes value);
  Status write_sections();
  Status remember(Status status);

  const WriterOptions options_;
  const Uuid database_;
  const RunId id_;
  const uint64_t blocks_seed_;
  Output output_;
  Compressor compressor_;
  BlockBuilder block_;
  IndexBuilder index_;
  FilterBuilder filter_;
  Properties properties_;
  std::string last_key_;
  uint64_t last_trailer_ = 0;
  uint8_t last_fingerprint_ = 0;
  bool finished_ = false;
  Status failure_;
};

}  // namespace ashlar::run
