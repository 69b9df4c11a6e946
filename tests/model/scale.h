// How much of its full volume a seeded suite does: ASHLAR_TEST_SCALE, in percent, 100 where it is not set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace ashlar::model {

// At least one, however small the scale.
inline uint64_t scaled(uint64_t full) {
  const char* text = std::getenv("ASHLAR_TEST_SCALE");
  const uint64_t percent = text == nullptr ? 100 : std::strtoull(text, nullptr, 10);
  return std::max<uint64_t>(1, full * percent / 100);
}

}  // namespace ashlar::model
