#include "run/filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string>

#include "base/coding.h"
#include "run/format.h"
#include "run/options.h"

namespace ashlar::run {

namespace {

constexpr uint64_t kBlockBits = kFilterBlockBytes * 8;
constexpr uint32_t kMaxProbes = 16;
constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;

// The number of bits per key that the false positive rate asks for is a little smaller in a blocked filter than the
// classical ln 2 * bits, because crowded blocks count more than empty ones.
uint32_t best_probes(uint32_t bits_per_key) {
  uint32_t best = 1;
  double best_rate = 1;
  for (uint32_t probes = 1; probes <= kMaxProbes; ++probes) {
    const double rate = Filter::theoretical_false_positive_rate(bits_per_key, probes);
    // More probes cost time on every get: a gain below one part in fifty is not worth one.
    if (rate < best_rate * 0.98) {
      best = probes;
      best_rate = rate;
    }
  }
  return best;
}

// Remembered: the search costs about a millisecond, as much as a small run.
uint32_t probes_for(uint32_t bits_per_key) {
  static std::array<std::atomic<uint32_t>, kMaxFilterBitsPerKey + 1> known{};
  if (bits_per_key > kMaxFilterBitsPerKey) return best_probes(bits_per_key);
  uint32_t probes = known[bits_per_key].load(std::memory_order_relaxed);
  if (probes != 0) return probes;
  probes = best_probes(bits_per_key);
  known[bits_per_key].store(probes, std::memory_order_relaxed);
  return probes;
}

uint64_t blocks_for(uint64_t key_count, uint32_t bits_per_key) {
  const uint64_t blocks = (key_count * bits_per_key + kBlockBits - 1) / kBlockBits;
  return std::clamp<uint64_t>(blocks, 1, kMaxBlocks);
}

uint64_t block_of(uint64_t key_hash, uint64_t block_count) { return (key_hash >> 32) * block_count >> 32; }

// Calls `visit(byte, mask)` for each bit of the key in its block, until it returns false.
template <typename Visit>
bool for_each_bit(uint64_t key_hash, uint32_t probe_count, Visit visit) {
  auto mix = static_cast<uint32_t>(key_hash);
  for (uint32_t i = 0; i < probe_count; ++i) {
    const uint32_t bit = mix >> (32 - 9);
    if (!visit(bit / 8, static_cast<uint8_t>(1u << (bit % 8)))) return false;
    mix *= 0x9e3779b9u;
  }
  return true;
}
static_assert(kBlockBits == 1 << 9);

}  // namespace

double Filter::theoretical_false_positive_rate(double bits_per_key, uint32_t probe_count) {
  // Keys fall into blocks like a Poisson process; a block with n keys lets (1 - (1 - 1/512)^(k n))^k pass.
  const double mean = static_cast<double>(kBlockBits) / bits_per_key;
  const double limit = mean + 20 * std::sqrt(mean) + 20;
  double share = std::exp(-mean);
  double rate = 0;
  for (double n = 0; n < limit; n += 1) {
    const double set = 1 - std::pow(1 - 1.0 / static_cast<double>(kBlockBits), probe_count * n);
    rate += share * std::pow(set, probe_count);
    share *= mean / (n + 1);
  }
  return rate;
}

void FilterBuilder::grow() {
  chunks_.push_back(std::make_unique_for_overwrite<uint64_t[]>(kChunkHashes));
  next_ = chunks_.back().get();
  end_ = next_ + kChunkHashes;
}

uint64_t FilterBuilder::section_bytes() const {
  if (bits_per_key_ == 0 || key_count_ == 0) return 0;
  return kFilterHeadBytes + blocks_for(key_count_, bits_per_key_) * kFilterBlockBytes;
}

std::string FilterBuilder::finish() const {
  std::string section(static_cast<size_t>(section_bytes()), '\0');
  if (section.empty()) return section;
  const uint64_t block_count = blocks_for(key_count_, bits_per_key_);
  const uint32_t probe_count = probes_for(bits_per_key_);
  store_u64(section.data(), key_count_);
  store_u64(section.data() + 8, block_count);
  store_u32(section.data() + 16, probe_count);
  char* blocks = section.data() + kFilterHeadBytes;
  for (const auto& chunk : chunks_) {
    const bool last = chunk == chunks_.back();
    const uint64_t* end = last ? next_ : chunk.get() + kChunkHashes;
    for (const uint64_t* hash = chunk.get(); hash != end; ++hash) {
      char* block = blocks + block_of(*hash, block_count) * kFilterBlockBytes;
      for_each_bit(*hash, probe_count, [block](uint32_t byte, uint8_t mask) {
        block[byte] = static_cast<char>(static_cast<uint8_t>(block[byte]) | mask);
        return true;
      });
    }
  }
  return section;
}

Result<Filter> Filter::parse(Bytes section) {
  Filter filter;
  if (section.empty()) return filter;
  if (section.size() < kFilterHeadBytes) return mismatch("filter bytes", kFilterHeadBytes, section.size());
  filter.key_count_ = load_u64(section.data());
  filter.block_count_ = load_u64(section.data() + 8);
  filter.probe_count_ = load_u32(section.data() + 16);
  const uint64_t room = section.size() - kFilterHeadBytes;
  if (filter.block_count_ == 0 || filter.block_count_ > kMaxBlocks || room % kFilterBlockBytes != 0 ||
      filter.block_count_ != room / kFilterBlockBytes) {
    return mismatch("filter blocks", room / kFilterBlockBytes, filter.block_count_);
  }
  if (filter.probe_count_ == 0 || filter.probe_count_ > kMaxProbes) {
    return mismatch("filter probes", kMaxProbes, filter.probe_count_);
  }
  const Bytes reserved = section.substr(20, kFilterHeadBytes - 20);
  if (reserved.find_first_not_of('\0') != Bytes::npos) return mismatch("reserved filter bytes", 0, 1);
  filter.blocks_ = section.data() + kFilterHeadBytes;
  return filter;
}

bool Filter::may_contain(uint64_t key_hash) const {
  if (blocks_ == nullptr) return true;
  const char* block = blocks_ + block_of(key_hash, block_count_) * kFilterBlockBytes;
  return for_each_bit(key_hash, probe_count_, [block](uint32_t byte, uint8_t mask) {
    return (static_cast<uint8_t>(block[byte]) & mask) != 0;
  });
}

void Filter::prefetch(uint64_t key_hash) const {
  if (blocks_ != nullptr) __builtin_prefetch(blocks_ + block_of(key_hash, block_count_) * kFilterBlockBytes);
}

}  // namespace ashlar::run
