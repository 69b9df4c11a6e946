// Reads one run.
//
//   open:  header, footer --> properties, index and filter, all verified, kept in memory
//   get:   filter (one miss) --> index (8-byte prefixes) --> block (cache or file) --> fingerprints --> entry
//
// R1 Bytes that were not written for this database, this run and this place never become an answer: every section
//    and every block carries a checksum seeded with them and is verified when it is read from the file.
// R2 What is wrong with the bytes is Code::corruption naming file, offset, expected and found; a run written by a
//    newer version is unsupported_format. Neither stops the process, nor does any other content of the file.
// R3 Values are views of the block's memory (decompressed where it was compressed); a Pin keeps them alive, even
//    beyond the reader.
// Threads: any number. Readers, cursors apart (one thread at a time each).
// Not here: which runs to ask, what a tombstone means (lsm).
#pragma once

#include <memory>

#include "base/aes_hash.h"
#include "base/status.h"
#include "base/types.h"
#include "io/file.h"
#include "run/block_cache.h"
#include "run/cursor.h"
#include "run/options.h"
#include "run/pin.h"
#include "run/properties.h"
#include "run/source.h"
#include "run/verify.h"

namespace ashlar::run {

struct Found {
  bool found = false;
  uint64_t trailer = 0;  // may be that of a tombstone
  Bytes value;           // valid while `pin` lives
  Pin pin;
};

class Reader {
 public:
  // `cache` may be null and outlives the reader. Errors: corruption (wrong size, cut short, damaged, or a run of
  // another database or id), unsupported_format, io.
  static Result<std::shared_ptr<Reader>> open(std::unique_ptr<io::File> file, uint64_t expected_size_bytes,
                                              Uuid database, RunId id, BlockCache* cache);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() = default;

  // The one hash of a key for the filters and blocks of all runs.
  static uint64_t hash_key(Bytes stored_key) { return aes_hash(stored_key); }
  // False: the run holds no version of the key.
  bool may_contain(uint64_t key_hash) const { return source_.filter().may_contain(key_hash); }
  void prefetch_filter(uint64_t key_hash) const { source_.filter().prefetch(key_hash); }

  // The newest version of `stored_key` whose sequence is at most `at_most`. Asks the filter itself. On a hit in a
  // cached block nothing is allocated. `out` is overwritten. Errors: corruption, unsupported_format, io.
  Status get(Bytes stored_key, uint64_t key_hash, Sequence at_most, Found* out) const;

  std::unique_ptr<Cursor> cursor(CursorOptions options = {}) const { return make_cursor(source_, options); }

  // Reads everything and checks all of it: every checksum, the order of the entries, that index, filter and
  // fingerprints lead to every entry, that the properties are true. Bypasses the cache. Errors: as get.
  Status verify() const { return verify_run(source_); }

  const Properties& properties() const { return source_.properties(); }
  RunId id() const { return source_.id(); }
  const std::string& file_name() const { return source_.file_name(); }
  // Held for as long as the reader lives: index, filter, properties.
  uint64_t memory_bytes() const { return source_.memory_bytes(); }

 private:
  explicit Reader(Source source) : source_(std::move(source)) {}

  Source source_;
};

}  // namespace ashlar::run
