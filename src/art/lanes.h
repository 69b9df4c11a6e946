// The key bytes of a Linear node: up to 16 of them, unsorted, searched all at once.
//
//   lane     0   1   2   3  ...  15
//          ['g' 'a' 'x' 'g' ... 'g']      lanes not in use repeat lane 0
//
// Because unused lanes repeat lane 0, and the lowest matching lane is taken, no search needs to know how many lanes are
// in use, and a lane becomes visible by the one store that sets its byte.
//
// Threads: one writer (set), any readers. The bytes are two atomic words. SSE2 reads both with one instruction: x86
// promises that each aligned half is read whole, and the load is written in assembly because C++ has no name for it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ashlar::art {

struct alignas(16) Lanes {
  static constexpr size_t kCount = 16;
  std::atomic<uint64_t> words[2];

  void fill(uint8_t byte) {
    for (auto& word : words) word.store(byte * 0x0101010101010101u, std::memory_order_relaxed);
  }
  // Release: a reader that sees the byte sees what was stored in the lane's child before.
  void set(size_t lane, uint8_t byte) {
    auto& word = words[lane / 8];
    const size_t shift = lane % 8 * 8;
    const uint64_t old = word.load(std::memory_order_relaxed);
    word.store((old & ~(uint64_t{0xff} << shift)) | uint64_t{byte} << shift, std::memory_order_release);
  }
  uint8_t get(size_t lane) const {
    return static_cast<uint8_t>(words[lane / 8].load(std::memory_order_relaxed) >> (lane % 8 * 8));
  }
};

// A copy of the lanes, taken once. Bytes are passed as int so that -1 and 256 can stand for "before" and "after all".
class PortableLanes {
 public:
  explicit PortableLanes(const Lanes& lanes)
      : words_{lanes.words[0].load(std::memory_order_acquire),
               lanes.words[1].load(std::memory_order_acquire)} {}

  // The lowest lane that holds `byte`, or -1.
  int lane_of(uint8_t byte) const {
    for (int i = 0; i < 2; ++i) {
      const uint64_t difference = words_[i] ^ (byte * kOnes);
      const uint64_t zeros =
          (difference - kOnes) & ~difference & (kOnes << 7);  // the lowest set bit is exact
      if (zeros != 0) return i * 8 + std::countr_zero(zeros) / 8;
    }
    return -1;
  }
  // The lowest byte above `limit`, or -1.
  int lowest_above(int limit) const {
    int best = 256;
    for (int lane = 0; lane < 16; ++lane) {
      if (const int byte = at(lane); byte > limit && byte < best) best = byte;
    }
    return best == 256 ? -1 : best;
  }
  // The highest byte below `limit`, or -1.
  int highest_below(int limit) const {
    int best = -1;
    for (int lane = 0; lane < 16; ++lane) {
      if (const int byte = at(lane); byte < limit && byte > best) best = byte;
    }
    return best;
  }

 private:
  static constexpr uint64_t kOnes = 0x0101010101010101u;
  int at(int lane) const { return static_cast<int>(words_[lane / 8] >> (lane % 8 * 8) & 0xff); }
  uint64_t words_[2];
};

#if defined(__SSE2__)

class SseLanes {
 public:
  explicit SseLanes(const Lanes& lanes) {
    const auto& memory = *reinterpret_cast<const __m128i*>(&lanes);
#if defined(__AVX__)
    asm volatile("vmovdqa %1, %0" : "=x"(bytes_) : "m"(memory));
#else
    asm volatile("movdqa %1, %0" : "=x"(bytes_) : "m"(memory));
#endif
  }

  int lane_of(uint8_t byte) const {
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(static_cast<char>(byte))));
    return mask == 0 ? -1 : std::countr_zero(static_cast<unsigned>(mask));
  }
  int lowest_above(int limit) const {
    if (limit >= 255) return -1;
    // from - byte, saturated, is 0 where byte >= from.
    const __m128i from = _mm_set1_epi8(static_cast<char>(limit + 1));
    const __m128i inside = _mm_cmpeq_epi8(_mm_subs_epu8(from, bytes_), _mm_setzero_si128());
    if (_mm_movemask_epi8(inside) == 0) return -1;
    __m128i least = _mm_or_si128(bytes_, _mm_xor_si128(inside, _mm_set1_epi8(-1)));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 8));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 1));
    return _mm_cvtsi128_si32(least) & 0xff;
  }
  int highest_below(int limit) const {
    if (limit <= 0) return -1;
    const __m128i upto = _mm_set1_epi8(static_cast<char>(limit - 1));
    const __m128i inside = _mm_cmpeq_epi8(_mm_subs_epu8(bytes_, upto), _mm_setzero_si128());
    if (_mm_movemask_epi8(inside) == 0) return -1;
    __m128i most = _mm_and_si128(bytes_, inside);
    most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
    return _mm_cvtsi128_si32(most) & 0xff;
  }

 private:
  __m128i bytes_;
};

using LaneView = SseLanes;
#else
using LaneView = PortableLanes;
#endif

}  // namespace ashlar::art
