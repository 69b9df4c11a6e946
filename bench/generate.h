// The keys and values of the tables, made before any clock starts.
//
//   sequential key i   decimal, zero padded to 20 characters          "00000000000000000042"
//   random key i       16 hexadecimal digits of splitmix64(i ^ seed), then "0000"
//   value              400 bytes: state = splitmix64(state), low byte of each state, from the given seed
//   dbx entry i        "key_{i}" -> "value_data_{i}"
//
// Invariants
// G1 The same arguments give the same bytes on every machine and in every run.
// G2 Keys of one set are distinct: splitmix64 is a bijection.
//
// The three TurboKV generators follow its published ingest benchmark, so that figures can be laid beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::bench {

inline constexpr uint64_t kSeed = 0x545552424f4b5604;
inline constexpr size_t kKeySize = 20;
inline constexpr size_t kValueSize = 400;

[[nodiscard]] constexpr uint64_t splitmix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Many strings in one block of memory, so that reading them in order costs the same for every engine.
class Strings {
 public:
  void add(std::string_view text);
  [[nodiscard]] size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

[[nodiscard]] Strings sequential_keys(size_t count);
[[nodiscard]] Strings random_keys(size_t count);
// Random keys that are in no set of random_keys: they end in "ffff".
[[nodiscard]] Strings absent_keys(size_t count);
[[nodiscard]] std::string value_bytes(uint64_t seed);

[[nodiscard]] Strings dbx_keys(size_t count);
[[nodiscard]] Strings dbx_values(size_t count);

// 0 .. count-1 in a fixed random order.
[[nodiscard]] std::vector<size_t> shuffled_order(size_t count);

}  // namespace ashlar::bench
