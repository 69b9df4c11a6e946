// One segment: the contiguous memory that commits are encoded into, and the file behind it.
//
//   data()  [header][frame][frame]...............]  capacity
//                                 ^ tail(): the next frame begins here
//
// mapped:  the memory is the file (shared mapping); appending is storing. sync() makes it durable.
// written: the memory is anonymous; persist() writes whole blocks of it to the file and syncs. The cursor is in a mapping of
//          another file (format.h); without that one there is no cursor.
// memory:  no file.
//
// J1  Append only moves forward; nothing before tail() is ever changed, except by reopen_at during recovery and erase_from
//     after a failure, both before anything later was acknowledged.
// Threads: one appender. Readers of bytes before a published tail run beside it. sync() may run beside appends: it covers
// what was appended before it began.
// Not here: what a frame means (format.h), rotation (pool.h), grouping (txn).
#pragma once

#include <atomic>
#include <memory>

#include "base/anonymous_memory.h"
#include "io/file.h"
#include "journal/filler.h"
#include "journal/format.h"

namespace ashlar::journal {

class Segment {
 public:
  // A segment without a file.
  static Result<std::unique_ptr<Segment>> in_memory(SegmentId id, Uuid database, uint64_t capacity_bytes);
  // Takes a file of exactly identity.capacity_bytes that carries this identity in its header.
  // `salt` is salt_of(database, id), but for the canary tests. `cursor_file` is for written segments, and may be null.
  static Result<std::unique_ptr<Segment>> over_file(const Identity& identity, uint64_t salt,
                                                    std::shared_ptr<io::File> file,
                                                    std::shared_ptr<io::Mapping> cursor_file);
  ~Segment() { stop_filling(); }

  SegmentId id() const noexcept { return identity_.id; }
  Medium medium() const noexcept { return identity_.medium; }
  uint64_t capacity_bytes() const noexcept { return identity_.capacity_bytes; }
  uint64_t salt() const noexcept { return salt_; }
  const std::string& file_name() const noexcept { return file_name_; }
  Bytes bytes() const noexcept { return Bytes(data_, capacity_bytes()); }

  // Appender ---------------------------------------------------------------------------------------------------
  uint64_t tail() const noexcept { return tail_.load(std::memory_order_relaxed); }
  bool fits(uint64_t size_bytes) const noexcept { return tail() + size_bytes <= identity_.capacity_bytes; }
  // Fits, and the memory there has been filled. Looks at the filler only when its last answer does not suffice.
  bool is_ready(uint64_t size_bytes) noexcept {
    const uint64_t end = tail() + size_bytes;
    return end <= ready_bytes_ || (end <= identity_.capacity_bytes && look_at_filler(end));
  }
  // No filler will make more of it ready.
  bool is_filled() const noexcept { return filler_ == nullptr || filler_->is_over(); }
  Status fill_status() const { return filler_ == nullptr ? ok_status() : filler_->status(); }
  char* tail_data() const noexcept { return data_ + tail(); }
  // Seals the frame whose body of `body_bytes` stands at tail_data() + kFrameHeaderBytes and moves the tail.
  void append_frame(uint32_t body_bytes, uint32_t mutations, Sequence first, Sequence durable, uint8_t flags);
  // States that everything before the tail is acknowledged. One store.
  void store_cursor() noexcept;
  // States that nothing was ever appended behind the tail. The same.
  void store_closed() noexcept;
  // written: writes the blocks of [from, tail), syncs and stores the cursor. Errors: io, no_space; then erase_from.
  Status persist(uint64_t from);
  // Takes back frames that were not acknowledged. `erased` tells whether the file is known not to hold them.
  void erase_from(uint64_t from, bool* erased);

  // Makes everything appended before the call durable. From any thread.
  Status sync();

  // Filling ----------------------------------------------------------------------------------------------------
  // Only `from` bytes are ready; the filler returned makes the rest so.
  std::shared_ptr<Filler> fill_from(uint64_t from);
  void stop_filling() noexcept {
    if (filler_ != nullptr) filler_->stop();
  }
  // Recovery: under which boot it was last appended to, and how far; nullopt where the record does not verify.
  std::optional<Life> life() const;
  // Recovery: brings the file's bytes into memory (mapped: they are there).
  Status load();
  // Recovery: appending goes on at `offset`. `erase_rest` makes everything behind it zeros, durably, first: needed
  // where frames of this very life stand there; stale ones of other lives are harmless (J2).
  Status reopen_at(uint64_t offset, bool erase_rest);
  // Recovery: what was found may lie in pages that an earlier process failed to sync. The system counts those as clean, so
  // the next sync() writes the bytes once more before it means anything.
  void distrust_pages() noexcept { rewrite_to_ = tail(); }
  // Recovery and preparation: states the boot under which appends now happen; durable on return.
  Status begin_life(Uuid boot_id);
  // Gives the segment a new identity: every frame it holds is stale afterwards (J2). Not yet durable: begin_life is.
  void renew(SegmentId id, uint64_t salt, const std::string& file_name);

 private:
  Segment(const Identity& identity, char* data)
      : identity_(identity), data_(data), ready_bytes_(identity.capacity_bytes) {}
  bool look_at_filler(uint64_t end) noexcept;
  // Mapped: in the header. Written: in the cursor file, shared by all, where they speak of the segment whose salt fits.
  char* marks() const noexcept;
  void store_mark(uint64_t offset, uint64_t value) noexcept;
  Status rewrite();

  Identity identity_;
  char* data_;
  uint64_t salt_ = 0;
  std::atomic<uint64_t> tail_{kHeaderBytes};  // written by the appender only
  uint64_t ready_bytes_;                      // appender: as the filler said last
  uint64_t rewrite_to_ = 0;                   // sync(): what recovery found ends here
  std::shared_ptr<Filler> filler_;
  std::string file_name_;
  std::shared_ptr<io::File> file_;
  std::unique_ptr<io::Mapping> mapping_;
  std::shared_ptr<io::Mapping> cursor_file_;
  AnonymousMemory memory_;
};

// "000007.seg"
std::string segment_file_name(SegmentId id);
// The id in a segment's file name, or nullopt for any other name.
std::optional<SegmentId> parse_segment_file_name(const std::string& name);

}  // namespace ashlar::journal
