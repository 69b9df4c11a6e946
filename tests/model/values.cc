#include "model/values.h"

#include <string>

#include "base/check.h"
#include "base/prng.h"

namespace ashlar::model {

namespace {

constexpr size_t kWindows = size_t{1} << 20;
constexpr size_t kPoolBytes = kWindows + kMaxValueBytes;

std::string random_pool() {
  Prng prng(0x76616c756573);
  std::string pool(kPoolBytes, '\0');
  for (char& c : pool) c = static_cast<char>(prng.next() >> 56);
  return pool;
}

std::string text_pool() {
  static constexpr Bytes kFixed = " is known.";
  static constexpr Bytes kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  Prng prng(0x74657874);
  std::string pool;
  pool.reserve(kPoolBytes);
  while (pool.size() < kPoolBytes) {
    for (int i = 0; i < 6; ++i) pool.push_back(kLetters[prng.below(kLetters.size())]);
    pool.append(kFixed);
  }
  return pool;
}

}  // namespace

Bytes value_bytes(uint32_t tag, size_t size_bytes) {
  static const std::string random = random_pool();
  static const std::string text = text_pool();
  ASHLAR_CHECK(size_bytes <= kMaxValueBytes);
  const std::string& pool = tag % 2 == 0 ? random : text;
  // An odd step walks over all windows before it repeats one.
  const size_t window = (size_t{tag / 2} * 7919) % kWindows;
  return Bytes(pool).substr(window, size_bytes);
}

}  // namespace ashlar::model
