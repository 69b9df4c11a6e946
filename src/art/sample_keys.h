// Key sets in the shapes that have broken radix trees, for tests and the benchmark. Deterministic.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/prng.h"

namespace ashlar::art {

inline std::string decimal_key(uint64_t n) {
  char text[32];
  std::snprintf(text, sizeof text, "%020llu", static_cast<unsigned long long>(n));
  return text;
}

inline std::string hex_key(uint64_t n) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx0000", static_cast<unsigned long long>(n));
  return text;
}

inline std::string path_key(uint64_t n) {
  char text[96];
  std::snprintf(text, sizeof text, "tenant/%04llu/user/%08llx/settings/display/theme-%02llu",
                static_cast<unsigned long long>(n % 37),
                static_cast<unsigned long long>(n * 2654435761u % 4096),
                static_cast<unsigned long long>(n / 7 % 90));
  return text;
}

inline std::string random_bytes(Prng& prng, size_t size, uint64_t alphabet = 256) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(prng.below(alphabet));
  return bytes;
}

struct KeySet {
  const char* name;
  std::vector<std::string> keys;  // in the order of insertion; may repeat
};

// About `count` keys in each set.
inline std::vector<KeySet> sample_key_sets(size_t count, uint64_t seed) {
  Prng prng(seed);
  std::vector<KeySet> sets;
  const auto add = [&](const char* name, auto make) {
    KeySet set{name, {}};
    for (size_t i = 0; i < count; ++i) set.keys.push_back(make(i));
    sets.push_back(std::move(set));
  };
  add("sequential decimal", [&](size_t i) { return decimal_key(i); });
  add("falling decimal", [&](size_t i) { return decimal_key(count - i); });
  add("random hex", [&](size_t) { return hex_key(prng.next()); });
  add("random bytes", [&](size_t) { return random_bytes(prng, 8); });
  add("random short bytes", [&](size_t) { return random_bytes(prng, prng.below(4)); });
  add("two letters", [&](size_t) { return random_bytes(prng, prng.below(14), 2); });
  add("paths", [&](size_t i) { return path_key(i); });
  add("prefixes longer than a node stores", [&](size_t) {
    return std::string(prng.below(3) * 11, 'p') + std::string(prng.below(30), 'q') + random_bytes(prng, 2, 3);
  });
  add("each the prefix of the next", [&](size_t i) { return std::string(i % 700, 'a'); });
  add("runs of NUL",
      [&](size_t) { return std::string(prng.below(20), '\0') + random_bytes(prng, prng.below(3), 3); });
  add("all bytes at every level", [&](size_t i) {
    std::string key;
    for (size_t level = 0; level < 3; ++level)
      key.push_back(static_cast<char>(prng.below(i % 2 == 0 ? 256 : 20)));
    return key;
  });
  add("long", [&](size_t i) {
    std::string key(i % 16 == 0 ? 65536 : 300, 'x');
    key[prng.below(key.size())] = static_cast<char>(prng.below(256));
    key.resize(key.size() - prng.below(3));
    return key;
  });
  return sets;
}

}  // namespace ashlar::art
