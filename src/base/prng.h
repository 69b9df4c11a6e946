// Seeded pseudo-random numbers: the same seed gives the same stream on every machine.
// SplitMix64 (Steele, Lea, Flood 2014) seeds xoshiro256** (Blackman, Vigna 2018). Not for secrets.
#pragma once

#include <cstdint>

namespace ashlar {

// Advances `state` and returns the next output of SplitMix64.
inline uint64_t split_mix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Prng {
 public:
  explicit Prng(uint64_t seed) {
    for (auto& word : state_) word = split_mix(seed);
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); bound > 0. Bias below 2^-32 for bounds under 2^32 (Lemire's multiply-shift).
  uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;  // no standard type is as wide
    return static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // True once in `n` draws on average.
  bool one_in(uint64_t n) { return below(n) == 0; }
  // Uniform in [low, high].
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4];
};

}  // namespace ashlar
