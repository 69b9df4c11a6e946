// Where segments come from and go to: files made ready ahead of need, finished ones used again.
//
//   prepare(id) --> [recycled file, renewed] or [spare.tmp reserved, header, sync, renamed to 000007.seg, then filled]
//   give_back() --> kept for the next prepare when it has the size in demand, else the file is removed
//
// A segment file under its .seg name always has its full size and a valid, durable header: anything shorter or
// without one is damage, not a crash.
// Threads: prepare from one thread at a time; give_back from any.
// Not here: who waits for the spare (store), what recovery keeps (recovery.h).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "io/directory.h"
#include "journal/segment.h"

namespace ashlar::journal {

class Pool {
 public:
  struct Options {
    Medium medium = Medium::mapped;
    uint64_t largest_bytes = uint64_t{64} << 20;
    bool constant_salt = false;  // planted bug: lives of a segment cannot be told apart
  };

  Pool(io::Directory& directory, Uuid database, Uuid boot_id, Options options);

  // A segment ready for appends, durable as far as an empty one can be. Where `filler` comes back set, only its beginning
  // is ready and the caller has the filler make the rest so. Errors: io, no_space, limit.
  Result<std::unique_ptr<Segment>> prepare(SegmentId id, uint64_t capacity_bytes,
                                           std::shared_ptr<Filler>* filler = nullptr);
  // Whether recovery still looks at the name that a recycled segment has so far.
  enum class OldName : uint8_t { in_force, below_floor };
  // Prepares this very segment for another life.
  Result<std::unique_ptr<Segment>> recycle(std::unique_ptr<Segment> segment, SegmentId id,
                                           OldName old = OldName::in_force);
  // The segment is not needed, and the manifest, or its being empty, says so.
  void give_back(std::unique_ptr<Segment> segment);
  // An empty segment that the manifest does not know to be unneeded: its file goes.
  void discard(std::unique_ptr<Segment> segment);
  // Bytes of files that are kept for reuse.
  uint64_t idle_bytes() const;

  // Opens an existing segment file for recovery: full size and identity are checked, nothing else.
  Result<std::unique_ptr<Segment>> open(const std::string& file_name);

  Medium medium() const noexcept { return options_.medium; }
  uint64_t salt(SegmentId id) const;

 private:
  Result<std::unique_ptr<Segment>> create(SegmentId id, uint64_t capacity_bytes,
                                          std::shared_ptr<Filler>* filler);
  Status write_new_file(io::File& file, SegmentId id, uint64_t capacity_bytes);
  std::unique_ptr<Segment> take_idle(uint64_t capacity_bytes);
  std::shared_ptr<io::Mapping> cursor_file();
  Result<std::unique_ptr<io::Mapping>> open_cursor_file();

  static constexpr size_t kMostIdle = 2;

  io::Directory& directory_;
  const Uuid database_;
  const Uuid boot_id_;
  const Options options_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Segment>> idle_;
  std::shared_ptr<io::Mapping> cursor_file_;
};

}  // namespace ashlar::journal
