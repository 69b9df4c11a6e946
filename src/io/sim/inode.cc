#include "io/sim/inode.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"

namespace ashlar::io::sim {

namespace {
// Mappings start on a page, as real ones do.
constexpr std::align_val_t kAlignment{4096};
constexpr uint64_t kLatest = UINT64_MAX;

uint64_t sectors_of(uint64_t size_bytes) {
  return (size_bytes + Inode::kSectorBytes - 1) / Inode::kSectorBytes;
}
}  // namespace

// The capacity is exact where it can be, so that AddressSanitizer sees a store beyond the end of a mapping.
char* Inode::allocate(uint64_t capacity_bytes) {
  auto* memory = static_cast<char*>(::operator new[](std::max<uint64_t>(capacity_bytes, 1), kAlignment));
  std::memset(memory, 0, capacity_bytes);
  cache_ = std::shared_ptr<char[]>(memory, [](char* old) { ::operator delete[](old, kAlignment); });
  capacity_bytes_ = capacity_bytes;
  return memory;
}

void Inode::grow(uint64_t capacity_bytes) {
  ASHLAR_CHECK(mappings_ == 0);  // the simulated disk cannot move what is mapped
  const std::shared_ptr<char[]> old = cache_;
  const uint64_t used_bytes = size_bytes_;
  char* memory = allocate(capacity_bytes);
  if (used_bytes != 0) std::memcpy(memory, old.get(), used_bytes);
}

std::shared_ptr<Inode> Inode::clone() const {
  auto copy = std::make_shared<Inode>(number_);
  copy->allocate(capacity_bytes_);
  if (capacity_bytes_ != 0) std::memcpy(copy->cache_.get(), cache_.get(), capacity_bytes_);
  copy->size_bytes_ = size_bytes_;
  copy->mapped_bytes_ = mapped_bytes_;
  copy->dirtied_at_ = dirtied_at_;
  copy->dirty_sectors_ = dirty_sectors_;
  copy->durable_size_bytes_ = durable_size_bytes_;
  copy->durable_ = durable_;
  copy->lost_ = lost_;
  return copy;
}

size_t Inode::read(uint64_t offset, void* buffer, size_t size_bytes) const {
  if (offset >= size_bytes_ || size_bytes == 0) return 0;
  const size_t count = std::min<uint64_t>(size_bytes, size_bytes_ - offset);
  std::memcpy(buffer, cache_.get() + offset, count);
  return count;
}

void Inode::mark(uint64_t first_byte, uint64_t end_byte, uint64_t time) {
  const uint64_t end_sector = sectors_of(end_byte);
  if (dirtied_at_.size() < end_sector) dirtied_at_.resize(end_sector, 0);
  for (uint64_t sector = first_byte / kSectorBytes; sector < end_sector; ++sector) {
    if (dirtied_at_[sector] == 0) dirty_sectors_.push_back(sector);
    dirtied_at_[sector] = time;
    if (!lost_.empty()) lost_.erase(sector);
  }
}

void Inode::write(uint64_t offset, Bytes bytes, uint64_t time) {
  if (bytes.empty()) return;
  const uint64_t end = offset + bytes.size();
  if (end > capacity_bytes_) grow(std::max<uint64_t>({end, capacity_bytes_ * 2, 4096}));
  std::memcpy(cache_.get() + offset, bytes.data(), bytes.size());
  // A gap before the write is zeros already (I2), durable or not: only its sectors' existence is new.
  mark(std::min(offset, size_bytes_), end, time);
  size_bytes_ = std::max(size_bytes_, end);
}

void Inode::resize(uint64_t size_bytes, uint64_t time) {
  if (size_bytes < size_bytes_) {
    ASHLAR_CHECK(mappings_ == 0);
    std::memset(cache_.get() + size_bytes, 0, size_bytes_ - size_bytes);
    mark(size_bytes, size_bytes_, time);
    mapped_bytes_ = std::min(mapped_bytes_, size_bytes);
  } else if (size_bytes > capacity_bytes_) {
    grow(size_bytes);
  }
  size_bytes_ = size_bytes;
}

void Inode::fill_zeros(uint64_t size_bytes, uint64_t time) {
  ASHLAR_CHECK(mappings_ == 0);
  const uint64_t touched_bytes = std::max(size_bytes, size_bytes_);
  allocate(size_bytes);
  size_bytes_ = size_bytes;
  mark(0, touched_bytes, time);
  mapped_bytes_ = 0;  // everything is marked: nothing is left to compare
}

std::shared_ptr<char[]> Inode::map(uint64_t size_bytes) {
  ASHLAR_CHECK(size_bytes > 0 && size_bytes <= size_bytes_);
  ++mappings_;
  mapped_bytes_ = std::max(mapped_bytes_, size_bytes);
  return cache_;
}

void Inode::unmap() {
  ASHLAR_CHECK(mappings_ > 0);
  --mappings_;
}

void Inode::end_process() {
  handles_ = 0;
  if (mappings_ == 0) return;
  mappings_ = 0;
  grow(capacity_bytes_);  // the file moves on to memory of its own
}

void Inode::cover_durable(uint64_t size_bytes) {
  if (durable_.size() < size_bytes) durable_.resize(size_bytes, '\0');
}

// Whole sectors only: what the cache no longer has of one is zeros, not what the platter had there before.
void Inode::copy_sector(uint64_t sector) {
  const uint64_t start = sector * kSectorBytes;
  const uint64_t cached = start < capacity_bytes_ ? std::min(kSectorBytes, capacity_bytes_ - start) : 0;
  if (cached != 0) {
    cover_durable(start + cached);
    std::memcpy(durable_.data() + start, cache_.get() + start, cached);
  }
  const uint64_t end = std::min<uint64_t>(start + kSectorBytes, durable_.size());
  if (start + cached < end) std::memset(durable_.data() + start + cached, 0, end - start - cached);
}

bool Inode::differs(uint64_t sector) const {
  const uint64_t start = sector * kSectorBytes;
  const uint64_t count = std::min(kSectorBytes, mapped_bytes_ - start);
  return std::memcmp(durable_.data() + start, cache_.get() + start, count) != 0;
}

bool Inode::counts_as_clean(uint64_t sector) const {
  const auto lost = lost_.find(sector);
  if (lost == lost_.end()) return false;
  const uint64_t start = sector * kSectorBytes;
  const uint64_t count = std::min(kSectorBytes, capacity_bytes_ - start);
  return std::memcmp(lost->second.data(), cache_.get() + start, count) == 0;
}

std::vector<uint64_t> Inode::stored_sectors(uint64_t first_sector, uint64_t end_sector) {
  std::vector<uint64_t> stored;
  end_sector = std::min(end_sector, sectors_of(mapped_bytes_));
  if (first_sector >= end_sector) return stored;
  cover_durable(mapped_bytes_);
  constexpr uint64_t kPieceSectors = 8;
  for (uint64_t piece = first_sector; piece < end_sector; piece += kPieceSectors) {
    const uint64_t piece_end = std::min(piece + kPieceSectors, end_sector);
    const uint64_t start = piece * kSectorBytes;
    const uint64_t count = std::min(piece_end * kSectorBytes, mapped_bytes_) - start;
    if (std::memcmp(durable_.data() + start, cache_.get() + start, count) == 0) continue;
    for (uint64_t sector = piece; sector < piece_end; ++sector) {
      const bool marked = sector < dirtied_at_.size() && dirtied_at_[sector] != 0;
      if (!marked && differs(sector) && (lost_.empty() || !counts_as_clean(sector))) stored.push_back(sector);
    }
  }
  return stored;
}

void Inode::all_clean() {
  for (const uint64_t sector : dirty_sectors_) dirtied_at_[sector] = 0;
  dirty_sectors_.clear();
  if (mappings_ == 0) mapped_bytes_ = 0;
}

void Inode::make_durable(uint64_t sector) {
  copy_sector(sector);
  lost_.erase(sector);
}

void Inode::sync() {
  for (const uint64_t sector : dirty_sectors_) copy_sector(sector);
  for (const uint64_t sector : stored_sectors(0, UINT64_MAX)) make_durable(sector);
  durable_size_bytes_ = size_bytes_;
  if (durable_.size() > size_bytes_) durable_.resize(size_bytes_);
  all_clean();
}

void Inode::sync_range(uint64_t offset, uint64_t length_bytes) {
  const uint64_t first_sector = offset / kSectorBytes;
  const uint64_t end_sector = sectors_of(offset + length_bytes);
  for (const uint64_t sector : stored_sectors(first_sector, end_sector)) make_durable(sector);
  const auto synced = [&](uint64_t sector) {
    if (sector < first_sector || sector >= end_sector) return false;
    copy_sector(sector);
    dirtied_at_[sector] = 0;
    return true;
  };
  std::erase_if(dirty_sectors_, synced);
  durable_size_bytes_ = std::max(durable_size_bytes_, std::min(size_bytes_, offset + length_bytes));
}

void Inode::sync_some(Prng& prng) {
  std::vector<UnsyncedSector> sectors;
  collect_unsynced(sectors);
  for (const UnsyncedSector& unsynced : sectors) {
    if (prng.one_in(2)) make_durable(unsynced.sector);
  }
  if (prng.one_in(2)) durable_size_bytes_ = size_bytes_;
}

void Inode::fail_sync(Prng& prng) {
  std::vector<UnsyncedSector> sectors;
  collect_unsynced(sectors);
  for (const UnsyncedSector& unsynced : sectors) {
    const uint64_t sector = unsynced.sector;
    if (prng.one_in(2)) {
      make_durable(sector);
      continue;
    }
    const uint64_t start = sector * kSectorBytes;
    if (start >= capacity_bytes_) continue;
    std::array<char, kSectorBytes> bytes = {};
    std::memcpy(bytes.data(), cache_.get() + start, std::min(kSectorBytes, capacity_bytes_ - start));
    lost_[sector] = bytes;
  }
  if (prng.one_in(2)) durable_size_bytes_ = size_bytes_;
  all_clean();
}

void Inode::write_back_one(Prng& prng) {
  if (prng.one_in(8)) durable_size_bytes_ = size_bytes_;
  if (!dirty_sectors_.empty() && (mapped_bytes_ == 0 || prng.one_in(2))) {
    uint64_t& chosen = dirty_sectors_[prng.below(dirty_sectors_.size())];
    copy_sector(chosen);
    dirtied_at_[chosen] = 0;
    chosen = dirty_sectors_.back();
    dirty_sectors_.pop_back();
  } else if (mapped_bytes_ != 0) {
    const uint64_t sector = prng.below(sectors_of(mapped_bytes_));
    for (const uint64_t stored : stored_sectors(sector, sector + 1)) make_durable(stored);
  }
}

void Inode::collect_unsynced(std::vector<UnsyncedSector>& sectors) {
  for (const uint64_t sector : dirty_sectors_) sectors.push_back({dirtied_at_[sector], this, sector});
  for (const uint64_t sector : stored_sectors(0, UINT64_MAX)) sectors.push_back({kLatest, this, sector});
}

void Inode::power_off() {
  mappings_ = 0;
  mapped_bytes_ = 0;
  lost_.clear();
  all_clean();
  durable_.resize(durable_size_bytes_, '\0');
  size_bytes_ = durable_size_bytes_;
  char* memory = allocate(size_bytes_);
  if (size_bytes_ != 0) std::memcpy(memory, durable_.data(), size_bytes_);
}

}  // namespace ashlar::io::sim
