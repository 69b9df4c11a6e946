// Writes one run: entries in, an immutable file out. docs/FORMAT.md has the bytes.
//
//   add(key, trailer, value) --> block under construction, inside the write buffer --> file, in pieces of 1 MiB
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
#include "run/options.h"
#include "run/properties.h"

namespace ashlar::run {

class Writer {
 public:
  // `file` is new and empty. Errors: invalid_argument (options out of range).
  static Result<std::unique_ptr<Writer>> create(std::unique_ptr<io::File> file, WriterOptions options,
                                                Uuid database, RunId id);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  // The bytes are used during the call only. Errors: io, no_space.
  Status add(Bytes stored_key, uint64_t trailer, Bytes value);

  // What the file would be large if finished now, within a block; compression of the last 1 MiB included.
  uint64_t bytes_written() const;
  uint64_t entry_count() const;

  // Makes the file complete and durable (its directory entry is the caller's). To be called once; add() may not
  // follow. Errors: io, no_space.
  Result<Properties> finish();

 private:
  class Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ashlar::run
