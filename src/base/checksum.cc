#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef ASHLAR_XXHASH_DISPATCH
// The library's own choice of instruction set at run time; not in its static archive, hence not always there.
extern "C" uint64_t XXH3_64bits_withSeed_dispatch(const void* input, size_t size, uint64_t seed);
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#endif

namespace ashlar {

#ifdef ASHLAR_XXHASH_DISPATCH
namespace {

// The library's AVX-512 variant returns with the upper halves of the vector registers in use. From then on every
// instruction of the older kind waits for all loads before it: the flush took three times as long.
#if defined(__x86_64__)
[[gnu::target("avx")]] void zero_upper_halves() noexcept { _mm256_zeroupper(); }
const bool kHasUpperHalves = __builtin_cpu_supports("avx");
#else
void zero_upper_halves() noexcept {}
constexpr bool kHasUpperHalves = false;
#endif

}  // namespace
#endif

uint64_t checksum(Bytes bytes, uint64_t seed) noexcept {
#ifdef ASHLAR_XXHASH_DISPATCH
  // Up to here XXH3 uses no wide vectors, and the inlined code saves the call.
  constexpr size_t kLongestScalar = 240;
  if (bytes.size() > kLongestScalar) {
    const uint64_t sum = XXH3_64bits_withSeed_dispatch(bytes.data(), bytes.size(), seed);
    if (kHasUpperHalves) zero_upper_halves();
    return sum;
  }
#endif
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t checksum_seed(Uuid uuid, uint64_t id, uint64_t purpose) noexcept {
  const uint64_t words[4] = {uuid.high, uuid.low, id, purpose};
  return XXH3_64bits(words, sizeof words);
}

}  // namespace ashlar
