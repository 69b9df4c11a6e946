#include "generate.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace ashlar::bench {
namespace {

Strings hashed_keys(size_t count, std::string_view ending) {
  Strings keys;
  for (size_t i = 0; i < count; ++i) keys.add(fmt::format("{:016x}{}", splitmix64(i ^ kSeed), ending));
  return keys;
}

}  // namespace

void Strings::add(std::string_view text) {
  bytes_.append(text);
  ends_.push_back(bytes_.size());
}

Strings sequential_keys(size_t count) {
  Strings keys;
  for (size_t i = 0; i < count; ++i) keys.add(fmt::format("{:020}", i));
  return keys;
}

Strings random_keys(size_t count) { return hashed_keys(count, "0000"); }

Strings absent_keys(size_t count) { return hashed_keys(count, "ffff"); }

std::string value_bytes(uint64_t seed) {
  std::string value(kValueSize, '\0');
  uint64_t state = seed;
  for (char& byte : value) {
    state = splitmix64(state);
    byte = static_cast<char>(state & 0xff);
  }
  return value;
}

Strings dbx_keys(size_t count) {
  Strings keys;
  for (size_t i = 0; i < count; ++i) keys.add(fmt::format("key_{}", i));
  return keys;
}

Strings dbx_values(size_t count) {
  Strings values;
  for (size_t i = 0; i < count; ++i) values.add(fmt::format("value_data_{}", i));
  return values;
}

std::vector<size_t> shuffled_order(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  uint64_t state = kSeed;
  for (size_t i = count; i > 1; --i) {
    state = splitmix64(state);
    std::swap(order[i - 1], order[state % i]);
  }
  return order;
}

}  // namespace ashlar::bench
