#include "base/aes_hash.h"

#include <array>
#include <atomic>
#include <bit>

#include "base/check.h"
#include "base/coding.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define ASHLAR_HAS_AESENC 1
#else
#define ASHLAR_HAS_AESENC 0
#endif

namespace ashlar {

namespace {

// The state and the round keys as two little-endian halves. The keys are the first hexadecimal digits of pi.
struct Words {
  uint64_t low;
  uint64_t high;
};
constexpr Words kKeys[] = {
    {0x243f6a8885a308d3, 0x13198a2e03707344}, {0xa4093822299f31d0, 0x082efa98ec4e6c89},
    {0x452821e638d01377, 0xbe5466cf34e90c6c}, {0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917},
    {0x9216d5d98979fb1b, 0xd1310ba698dfb5ac}, {0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96},
};

// Inputs shorter than a block: overlapping loads reach every byte and, the length being part of the state, no two
// inputs give the same words. Nothing outside of the input is read.
Words load_short(const char* data, size_t size) {
  if (size >= 8) return {load_u64(data), load_u64(data + size - 8)};
  if (size >= 4) return {load_u32(data), load_u32(data + size - 4)};
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) word |= uint64_t{static_cast<uint8_t>(data[i])} << (8 * i);
  return {word, 0};
}

constexpr uint8_t times_two(uint8_t x) { return static_cast<uint8_t>(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

// The AES S-box (FIPS 197, 5.1.1): inverse in GF(2^8), then an affine map. p runs through the powers of 3, q through
// those of its inverse, so q is the inverse of p.
constexpr std::array<uint8_t, 256> make_sbox() {
  std::array<uint8_t, 256> sbox{};
  uint8_t p = 1;
  uint8_t q = 1;
  do {
    p = static_cast<uint8_t>(p ^ times_two(p));
    q = static_cast<uint8_t>(q ^ q << 1);
    q = static_cast<uint8_t>(q ^ q << 2);
    q = static_cast<uint8_t>(q ^ q << 4);
    if (q & 0x80) q = static_cast<uint8_t>(q ^ 0x09);
    sbox[p] = static_cast<uint8_t>(q ^ std::rotl(q, 1) ^ std::rotl(q, 2) ^ std::rotl(q, 3) ^ std::rotl(q, 4) ^
                                   0x63);
  } while (p != 1);
  sbox[0] = 0x63;
  return sbox;
}

// SubBytes and MixColumns of one byte in row 0 of a column; the other rows are rotations of it.
constexpr std::array<uint32_t, 256> make_round_table() {
  std::array<uint32_t, 256> table{};
  constexpr auto kSbox = make_sbox();
  for (size_t i = 0; i < table.size(); ++i) {
    const uint32_t once = kSbox[i];
    const uint32_t twice = times_two(kSbox[i]);
    table[i] = twice | once << 8 | once << 16 | (once ^ twice) << 24;
  }
  return table;
}
constexpr auto kRoundTable = make_round_table();

Words round_portable(Words state, Words key) {
  uint8_t bytes[16];
  store_u64(bytes, state.low);
  store_u64(bytes + 8, state.high);
  uint32_t columns[4];
  for (size_t c = 0; c < 4; ++c) {
    columns[c] = kRoundTable[bytes[4 * c]] ^ std::rotl(kRoundTable[bytes[4 * ((c + 1) % 4) + 1]], 8) ^
                 std::rotl(kRoundTable[bytes[4 * ((c + 2) % 4) + 2]], 16) ^
                 std::rotl(kRoundTable[bytes[4 * ((c + 3) % 4) + 3]], 24);
  }
  return {(columns[0] | uint64_t{columns[1]} << 32) ^ key.low,
          (columns[2] | uint64_t{columns[3]} << 32) ^ key.high};
}

Words absorb_portable(Words state, Words block) {
  state = {state.low ^ block.low, state.high ^ block.high};
  return round_portable(round_portable(state, kKeys[1]), kKeys[2]);
}

}  // namespace

uint64_t aes_hash_portable(Bytes bytes) noexcept {
  const char* data = bytes.data();
  const size_t size = bytes.size();
  Words state = {kKeys[0].low ^ size, kKeys[0].high};
  if (size < 16) {
    state = absorb_portable(state, load_short(data, size));
  } else {
    for (size_t i = 0; i + 16 < size; i += 16) {
      state = absorb_portable(state, {load_u64(data + i), load_u64(data + i + 8)});
    }
    state = absorb_portable(state, {load_u64(data + size - 16), load_u64(data + size - 8)});
  }
  for (size_t k = 3; k < 6; ++k) state = round_portable(state, kKeys[k]);
  return state.low;
}

#if ASHLAR_HAS_AESENC

bool aes_hash_has_hardware() noexcept { return __builtin_cpu_supports("aes") != 0; }

namespace {

inline __m128i as_vector(Words words) {
  return _mm_set_epi64x(static_cast<int64_t>(words.high), static_cast<int64_t>(words.low));
}

__attribute__((target("aes"))) inline __m128i absorb_hardware(__m128i state, __m128i block) {
  state = _mm_aesenc_si128(_mm_xor_si128(state, block), as_vector(kKeys[1]));
  return _mm_aesenc_si128(state, as_vector(kKeys[2]));
}

}  // namespace

__attribute__((target("aes"))) uint64_t aes_hash_hardware(Bytes bytes) noexcept {
  const char* data = bytes.data();
  const size_t size = bytes.size();
  __m128i state = as_vector({kKeys[0].low ^ size, kKeys[0].high});
  if (size < 16) {
    state = absorb_hardware(state, as_vector(load_short(data, size)));
  } else {
    for (size_t i = 0; i + 16 < size; i += 16) {
      state = absorb_hardware(state, _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + i)));
    }
    state = absorb_hardware(state, _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + size - 16)));
  }
  for (size_t k = 3; k < 6; ++k) state = _mm_aesenc_si128(state, as_vector(kKeys[k]));
  return static_cast<uint64_t>(_mm_cvtsi128_si64(state));
}

#else

bool aes_hash_has_hardware() noexcept { return false; }
uint64_t aes_hash_hardware(Bytes) noexcept { check_failed("no AES instructions", __FILE__, __LINE__); }

#endif

namespace {

// Zero until static initialisation has come here: the portable way, which is as right as the other.
std::atomic<bool> use_hardware{aes_hash_has_hardware()};

}  // namespace

void set_aes_hash_way(AesHashWay way) noexcept {
  use_hardware.store(way == AesHashWay::fastest && aes_hash_has_hardware(), std::memory_order_relaxed);
}

uint64_t aes_hash(Bytes bytes) noexcept {
  return use_hardware.load(std::memory_order_relaxed) ? aes_hash_hardware(bytes) : aes_hash_portable(bytes);
}

}  // namespace ashlar
