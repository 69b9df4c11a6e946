// One file of the simulated disk, twice: as processes see it and as a power cut would leave it.
//
//   cache     [ a ][ b'][ c ][ d']   size 2048    what reads return and mappings point to
//   durable   [ a ][ b ][ c ]        size 1536    what is on the platter
//                    ^         ^
//              unsynced sectors (512 bytes) and an unsynced size: each may reach the platter at any moment, or never
//
// I1 A sector that is not marked dirty and lies outside every mapping since the last sync is equal in both.
// I2 Bytes beyond the size are zero in the cache; bytes beyond the end of `durable_` count as zero.
// I3 A failed sync leaves sectors that differ but count as clean: nothing writes them until they change again.
// Costs: writes mark sectors; only sync, crash and clone compare what was mapped. Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "base/types.h"

namespace ashlar::io::sim {

class Inode {
 public:
  static constexpr uint64_t kSectorBytes = 512;

  struct UnsyncedSector {
    uint64_t time;  // of the last write; stores through a mapping come last, in order of place
    Inode* inode;
    uint64_t sector;
  };

  explicit Inode(uint64_t number) : number_(number) {}
  Inode(const Inode&) = delete;
  Inode& operator=(const Inode&) = delete;
  // Both versions, without the mappings.
  std::shared_ptr<Inode> clone() const;
  uint64_t number() const { return number_; }

  // As processes see it. `time` orders the writes of the whole disk.
  uint64_t size_bytes() const { return size_bytes_; }
  Bytes bytes() const { return Bytes(cache_.get(), size_bytes_); }
  size_t read(uint64_t offset, void* buffer, size_t size_bytes) const;
  void write(uint64_t offset, Bytes bytes, uint64_t time);
  void resize(uint64_t size_bytes, uint64_t time);
  void fill_zeros(uint64_t size_bytes, uint64_t time);
  // The memory stays where it is until unmap(); growing or cutting the file meanwhile breaks the caller's promise.
  std::shared_ptr<char[]> map(uint64_t size_bytes);
  void unmap();
  void flip_bit(uint64_t bit) { cache_[bit / 8] = static_cast<char>(cache_[bit / 8] ^ (1 << (bit % 8))); }
  void add_handle() { ++handles_; }
  void drop_handle() { --handles_; }
  bool mapped() const { return mappings_ != 0; }
  bool open() const { return handles_ != 0 || mappings_ != 0; }
  // A process that ends lets go of its mappings: its memory no longer reaches the file.
  void end_process();

  // As a power cut would leave it.
  uint64_t durable_size_bytes() const { return durable_size_bytes_; }
  void set_durable_size(uint64_t size_bytes) { durable_size_bytes_ = size_bytes; }
  void sync();
  void sync_range(uint64_t offset, uint64_t length_bytes);
  // A sync that was cut off: any subset of what it had to do.
  void sync_some(Prng& prng);
  // A sync that failed: any subset was written, all of it counts as clean.
  void fail_sync(Prng& prng);
  void write_back_one(Prng& prng);
  void collect_unsynced(std::vector<UnsyncedSector>& sectors);
  void make_durable(uint64_t sector);
  // The cache becomes what was durable.
  void power_off();

 private:
  char* allocate(uint64_t capacity_bytes);
  void grow(uint64_t capacity_bytes);
  void mark(uint64_t first_byte, uint64_t end_byte, uint64_t time);
  void copy_sector(uint64_t sector);
  bool differs(uint64_t sector) const;
  bool counts_as_clean(uint64_t sector) const;
  void cover_durable(uint64_t size_bytes);
  // Sectors stored to through a mapping since they were last durable.
  std::vector<uint64_t> stored_sectors(uint64_t first_sector, uint64_t end_sector);
  void all_clean();

  uint64_t number_;
  uint64_t size_bytes_ = 0;
  uint64_t capacity_bytes_ = 0;
  std::shared_ptr<char[]> cache_;
  int handles_ = 0;
  int mappings_ = 0;
  uint64_t mapped_bytes_ = 0;            // compared at the next sync; lives on after unmap()
  std::vector<uint64_t> dirtied_at_;     // per sector; 0 = clean
  std::vector<uint64_t> dirty_sectors_;  // exactly those whose dirtied_at_ is not 0

  uint64_t durable_size_bytes_ = 0;
  std::string durable_;
  std::map<uint64_t, std::array<char, kSectorBytes>> lost_;  // I3: sector, and its bytes when the sync failed
};

}  // namespace ashlar::io::sim
