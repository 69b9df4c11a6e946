// One block of entries: its bytes, how to search them, and the memory that holds them.
//
//   payload = [entry count, 4][offset width, 1][log2 of the restart interval, 1][zero, 2]
//             [fingerprint of each key, 1 byte]  [offset of each entry, and of the end; 2 or 4 bytes each]  [entry]...
//   entry   = [shared, varint][rest size, varint][trailer, 8][rest of the key][value, up to the next entry]
//
// Every 16th entry is a restart: its key is whole (shared = 0). The others share `shared` bytes with the restart before
// them, not with their neighbour: any entry can be compared, and a key rebuilt, without decoding those in between.
// The tables come first: in memory they follow the Block, so that one miss brings both, and the second brings the entry.
//
// K1 A BlockView is made by parse() alone, which proves every offset and size; all other functions trust them.
// K2 Keys have at least the 4 bytes of their keyspace, kinds are known ones (kv/entry.h).
// K3 Up to kSlackBytes after the payload may be read (never used): the memory behind it belongs to the same buffer.
// Order is not proven here: a wrong one leads to a wrong position, never out of the block. Reader::verify proves it.
// Threads: a view is immutable.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/coding.h"
#include "base/status.h"
#include "base/types.h"
#include "kv/entry.h"
#include "run/pin.h"

namespace ashlar::run {

inline constexpr uint32_t kRestartLog2 = 4;
inline constexpr uint32_t kMaxRestartLog2 = 16;
inline constexpr size_t kPayloadHeadBytes = 8;
inline constexpr size_t kSlackBytes = 32;

// What stands before the entries.
constexpr uint64_t table_bytes(uint64_t count, uint64_t offset_width) {
  return kPayloadHeadBytes + count + (count + 1) * offset_width;
}

// The byte of a key's hash that the block keeps. The filter uses the same hash, so a key that got past a filter of its
// own run is judged by it alone.
constexpr uint8_t fingerprint_of(uint64_t key_hash) { return static_cast<uint8_t>(key_hash >> 24); }

struct Entry {
  uint32_t shared = 0;
  Bytes rest;
  uint64_t trailer = 0;
  Bytes value;
};

class BlockView {
 public:
  BlockView() = default;
  // Errors (without file name): corruption, unsupported_format for an unknown kind.
  static Result<BlockView> parse(Bytes payload);

  uint32_t count() const { return count_; }
  Entry entry(uint32_t i) const {
    const char* entries = payload_ + entries_at_;
    const char* at = entries + offset(i);
    Entry entry;
    uint64_t shared = static_cast<uint8_t>(at[0]);
    uint64_t rest = static_cast<uint8_t>(at[1]);
    if (ASHLAR_LIKELY((shared | rest) < 0x80)) {
      at += 2;
    } else {
      at = load_varint(at, at + kMaxVarintBytes, &shared);
      at = load_varint(at, at + kMaxVarintBytes, &rest);
    }
    entry.shared = static_cast<uint32_t>(shared);
    entry.trailer = load_u64(at);
    at += sizeof entry.trailer;
    entry.rest = Bytes(at, rest);
    at += rest;
    entry.value = Bytes(at, static_cast<size_t>(entries + offset(i + 1) - at));
    return entry;
  }
  uint32_t restart_of(uint32_t i) const { return i >> restart_log2_ << restart_log2_; }
  bool is_restart(uint32_t i) const { return restart_of(i) == i; }
  Bytes restart_key(uint32_t i) const { return entry(restart_of(i)).rest; }
  std::string key(uint32_t i) const;

  uint8_t fingerprint(uint32_t i) const { return static_cast<uint8_t>(fingerprints()[i]); }

  // First entry at or after (key, trailer); count() when all are before it.
  uint32_t lower_bound(Bytes key, uint64_t trailer) const;

  struct Search {
    uint32_t position = 0;  // the newest version at or below the asked trailer, if found
    bool found = false;
    bool key_ends_block = false;  // every version here is too new, and more may follow in the next block
    uint64_t trailer = 0;
    Bytes value;
  };
  // By fingerprint: about one comparison, wherever the key lies.
  Search find(Bytes key, uint64_t key_hash, uint64_t seek_trailer) const;

 private:
  const char* fingerprints() const { return payload_ + kPayloadHeadBytes; }
  // From the first entry on.
  uint32_t offset(uint32_t i) const {
    const char* offsets = fingerprints() + count_;
    return wide_ ? load_u32(offsets + size_t{i} * 4) : load_u16(offsets + size_t{i} * 2);
  }
  bool key_equals(const Entry& entry, uint32_t i, Bytes key) const;
  uint32_t next_with_fingerprint(uint32_t from, uint8_t fingerprint) const;
  Search newest_from(uint32_t first, Entry entry, Bytes key, uint64_t seek_trailer) const;
  Status check_entries(uint32_t entries_bytes) const;

  const char* payload_ = nullptr;
  uint32_t entries_at_ = 0;
  uint32_t count_ = 0;
  bool wide_ = false;
  uint8_t restart_log2_ = 0;
};

// Memory with a reference count, and what the cache knows about it, in one allocation: [Block][data][slack].
class alignas(64) Block {
 public:
  // One reference, the returned pin's.
  static Pin create(size_t data_bytes);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  size_t data_bytes() const { return data_bytes_; }
  Bytes bytes() const { return {data(), data_bytes_}; }
  // What the allocation costs the process.
  size_t memory_bytes() const { return memory_bytes_; }

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  // Exact only where nobody else can add one: under the mutex of the cache shard that holds the block.
  bool is_referenced_once() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

  // The cache's own fields, guarded by the mutex of the shard that holds the block. What a look-up touches comes
  // first, so that it fits one cache line with the view and the count.
  struct CacheLink {
    Block* next_in_bucket = nullptr;
    RunId run;
    uint64_t offset = 0;
    uint32_t frequency = 0;
    bool in_main = false;
  };
  struct QueueLink {
    Block* newer = nullptr;
    Block* older = nullptr;
  };
  CacheLink link;
  BlockView view;  // of the one block in here; empty where the memory holds several

 private:
  Block(size_t data_bytes, size_t memory_bytes) : data_bytes_(data_bytes), memory_bytes_(memory_bytes) {}
  ~Block() = default;
  void destroy() noexcept;

  std::atomic<uint32_t> references_{1};

 public:
  QueueLink queue;

 private:
  size_t data_bytes_;
  size_t memory_bytes_;
};

inline Pin Pin::share() const noexcept {
  if (block_ != nullptr) block_->add_reference();
  return Pin(block_);
}

inline void Pin::release() noexcept { std::exchange(block_, nullptr)->drop_reference(); }

}  // namespace ashlar::run
