#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ashlar {

uint64_t checksum(Bytes bytes, uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t checksum_seed(Uuid uuid, uint64_t id, uint64_t purpose) noexcept {
  const uint64_t words[4] = {uuid.high, uuid.low, id, purpose};
  return XXH3_64bits(words, sizeof words);
}

}  // namespace ashlar
