#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef ASHLAR_XXHASH_DISPATCH
// The library's own choice of instruction set at run time; not in its static archive, hence not always there.
extern "C" uint64_t XXH3_64bits_withSeed_dispatch(const void* input, size_t size, uint64_t seed);
#endif

namespace ashlar {

uint64_t checksum(Bytes bytes, uint64_t seed) noexcept {
#ifdef ASHLAR_XXHASH_DISPATCH
  // Up to here XXH3 uses no wide vectors, and the inlined code saves the call.
  constexpr size_t kLongestScalar = 240;
  if (bytes.size() > kLongestScalar) return XXH3_64bits_withSeed_dispatch(bytes.data(), bytes.size(), seed);
#endif
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t checksum_seed(Uuid uuid, uint64_t id, uint64_t purpose) noexcept {
  const uint64_t words[4] = {uuid.high, uuid.low, id, purpose};
  return XXH3_64bits(words, sizeof words);
}

}  // namespace ashlar
