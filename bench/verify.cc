#include "verify.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

namespace ashlar::bench {
namespace {

constexpr size_t kSampledGets = 1000;

std::optional<std::string> verify_scan(Driver& driver, const Expected& expected) {
  Fingerprint wanted;
  for (size_t i = 0; i < expected.present; ++i) wanted.add(expected.keys[i], expected.value(i));

  Fingerprint seen;
  std::string previous;
  uint64_t misplaced = 0;
  driver.scan({}, kNoLimit, [&](std::string_view key, std::string_view value) {
    if (seen.count > 0 && key <= previous) ++misplaced;
    previous.assign(key);
    seen.add(key, value);
  });
  if (seen.count != wanted.count) {
    return fmt::format("scan: {} entries, expected {}", seen.count, wanted.count);
  }
  if (misplaced > 0) return fmt::format("scan: {} keys not above the one before", misplaced);
  if (seen.sum != wanted.sum) {
    return fmt::format("scan: checksum {:016x}, expected {:016x}", seen.sum, wanted.sum);
  }
  return std::nullopt;
}

std::optional<std::string> verify_gets(Driver& driver, const Expected& expected) {
  const size_t step = std::max<size_t>(1, expected.present / kSampledGets);
  for (size_t i = 0; i < expected.present; i += step) {
    bool same = false;
    const bool found =
        driver.get(expected.keys[i], [&](std::string_view value) { same = value == expected.value(i); });
    if (!found) return fmt::format("get {}: not found", expected.keys[i]);
    if (!same) return fmt::format("get {}: another value", expected.keys[i]);
  }
  return std::nullopt;
}

}  // namespace

void Fingerprint::add(std::string_view key, std::string_view value) {
  // Seeding with the key's hash ties the value to its key; the size keeps an empty value apart from no entry.
  const uint64_t key_hash = XXH3_64bits(key.data(), key.size());
  sum += XXH3_64bits_withSeed(value.data(), value.size(), key_hash + value.size());
  ++count;
}

uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::optional<std::string> verify(Driver& driver, const Expected& expected) {
  if (auto problem = verify_scan(driver, expected)) return problem;
  return verify_gets(driver, expected);
}

}  // namespace ashlar::bench
