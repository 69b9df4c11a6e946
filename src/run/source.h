// An open run file: its verified sections in memory, and its blocks on demand.
//
//   open:        header, footer, properties, index, filter      (five reads, each verified before it is believed)
//   load_block:  cache, or file --> verify --> decompress --> view --> cache
//
// Shared by everything that reads a run: gets, cursors, verification. Immutable once open, so any thread may use it.
// Not here: searching (reader), taking blocks in sequence (block_stream).
#pragma once

#include <memory>

#include "base/status.h"
#include "base/types.h"
#include "io/file.h"
#include "run/block.h"
#include "run/block_cache.h"
#include "run/filter.h"
#include "run/format.h"
#include "run/index.h"
#include "run/options.h"
#include "run/properties.h"

namespace ashlar::run {

// A block ready to be searched. `view` points into the memory that `pin` holds.
struct LoadedBlock {
  Pin pin;
  BlockView view;
  uint64_t checksum = 0;  // as stored; 0 when the block came from the cache
};

class Source {
 public:
  // Errors: as Reader::open.
  static Result<Source> open(std::unique_ptr<io::File> file, uint64_t expected_size_bytes, Uuid database,
                             RunId id, BlockCache* cache);

  // Through the cache. Errors: corruption, unsupported_format, io.
  Status load_block(size_t block, Pin* out) const;
  // From the file, into memory of its own, fit for the cache.
  Status read_block(size_t block, LoadedBlock* out) const;
  Pin find_cached(size_t block) const;
  Pin offer_to_cache(size_t block, Pin pin) const;

  // The blocks [first, last) as they lie in the file, in one piece of memory: that of `out` where it is large enough and
  // nobody else holds it.
  Status read_blocks(size_t first, size_t last, Pin* out) const;
  // Verifies `stored`, block number `block` as it lies in the file, whose memory `owner` holds, and makes a view of it:
  // in place, or of a decompressed copy.
  Status decode_in_place(size_t block, Bytes stored, const Pin& owner, LoadedBlock* out) const;
  // The same into memory of its own, fit for the cache.
  Status decode_copy(size_t block, Bytes stored, LoadedBlock* out) const;

  // Reads the header, the footer and the sections again and compares their checksums with those seen at open.
  Status verify_sections() const;

  const Index& index() const { return index_; }
  const Filter& filter() const { return filter_; }
  const Properties& properties() const { return properties_; }
  const std::string& file_name() const { return file_->name(); }
  RunId id() const { return id_; }
  uint64_t memory_bytes() const;

  // The status, with the file and the offset put before its text.
  Status at(uint64_t offset, const Status& status) const;

 private:
  Source() = default;
  Status read_exactly(uint64_t offset, char* to, size_t size_bytes) const;
  Status check_header() const;
  Status load_footer(Footer* footer, uint64_t* identity) const;
  Status load_section(uint64_t begin, uint64_t end, Purpose purpose, uint64_t expected, Pin* out) const;
  Status load_properties(uint64_t identity);
  Status load_sections();
  Status check_agreement() const;
  Status verify_block(size_t block, Bytes stored, BlockHead* head) const;
  Status decompress_block(Bytes stored, const BlockHead& head, Pin* out) const;
  Status parse_view(size_t block, Bytes payload, BlockView* view) const;

  std::unique_ptr<io::File> file_;
  uint64_t file_bytes_ = 0;
  Uuid database_;
  RunId id_;
  BlockCache* cache_ = nullptr;
  uint64_t blocks_seed_ = 0;
  Footer footer_;
  Properties properties_;
  Pin index_memory_;
  Pin filter_memory_;
  Index index_;
  Filter filter_;
};

}  // namespace ashlar::run
