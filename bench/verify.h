// Whether an engine holds exactly what it acknowledged. Runs after the clock has stopped.
//
// Invariants
// V1 A fingerprint does not depend on the order in which entries are added, and depends on every byte of every key and
//    value, on which value belongs to which key, and on how many entries there are.
// V2 `verify` finds a lost, an added, a changed, a repeated and a misplaced entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "driver.h"
#include "generate.h"

namespace ashlar::bench {

struct Fingerprint {
  uint64_t count = 0;
  uint64_t sum = 0;

  void add(std::string_view key, std::string_view value);
  bool operator==(const Fingerprint&) const = default;
};

// The hash of one value as the read workloads compute it inside the clock, the same work for every engine.
[[nodiscard]] uint64_t hash_of(std::string_view bytes);

// The first `present` keys, each with the value that `value` names.
struct Expected {
  const Strings& keys;
  size_t present;
  FunctionRef<std::string_view(size_t index)> value;
};

// Scans everything and gets about a thousand keys spread over the set; nullopt where all is as expected, else what is wrong.
[[nodiscard]] std::optional<std::string> verify(Driver& driver, const Expected& expected);

}  // namespace ashlar::bench
