// What one writer of the kill -9 test leaves in the database, and how to tell from it what survived.
//
//   commit i of writer w, one batch over two keyspaces:
//     default   w/count          = i                       the newest commit, readable at a glance
//     default   w/old/<i>        = i     (w/old/<i - 32> removed)      a window of exactly 32 keys
//     slots     w/slot/<i % 64>  = filler(w, i)            64 values of all sizes, some larger than a segment
//   then one plain put:
//     default   w/plain          = i
//
//   survived(i) holds when count = i, the window is (i - 32, i], slot j % 64 is filler(w, j) for all of (i - 64, i], and
//   i - 1 <= plain <= i.
//
// Threads: a Writer belongs to one; the counters in Shared are written by one and read by another process.
#pragma once

#include <ashlar/ashlar.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ashlar::crash {

inline constexpr uint32_t kMaxWriters = 4;
inline constexpr uint64_t kWindow = 32;
inline constexpr uint64_t kSlots = 64;

// One page that the killed process and its judge share.
struct Shared {
  struct Counters {
    std::atomic<uint64_t> batch_started{0};
    std::atomic<uint64_t> batch_acknowledged{0};
    std::atomic<uint64_t> plain_started{0};
    std::atomic<uint64_t> plain_acknowledged{0};
  };
  Counters writers[kMaxWriters];
  std::atomic<uint32_t> opens{0};
  std::atomic<uint32_t> closes{0};
  std::atomic<uint32_t> failed{0};
  char failure[512] = {};
};

// Opens the database as both sides do; a small delta makes rotation, flush and compaction happen all the time.
ashlar_code open_database(const std::string& path, ashlar_preset preset, ashlar_db** db,
                          ashlar_keyspace* slots);

class Writer {
 public:
  Writer(ashlar_db* db, ashlar_keyspace slots, uint32_t number, Shared::Counters& counters);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { ashlar_batch_destroy(batch_); }
  // Commits the next number after the acknowledged one.
  ashlar_code commit_next(uint32_t flags);

 private:
  ashlar_db* db_;
  ashlar_keyspace slots_;
  std::string name_;
  uint32_t number_;
  Shared::Counters* counters_;
  ashlar_batch* batch_;
};

struct Survived {
  uint64_t batches = 0;  // the newest batch that is there
  uint64_t plain = 0;
  std::string problem;  // empty when everything fits
};
// Reads all that writer `number` left.
Survived survey(ashlar_db* db, ashlar_keyspace slots, uint32_t number);

}  // namespace ashlar::crash
