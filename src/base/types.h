// Strong types for the numbers that must never be mixed up, and the byte views used everywhere.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ashlar {

// Bytes of a key or a value. May hold NULs and may be empty.
using Bytes = std::string_view;

template <typename Tag>
struct StrongId {
  uint64_t value = 0;
  constexpr StrongId() = default;
  constexpr explicit StrongId(uint64_t v) : value(v) {}
  constexpr auto operator<=>(const StrongId&) const = default;
  constexpr StrongId next() const { return StrongId(value + 1); }
};

// Position of one mutation in the one total order of the database. The first mutation is 1; 0 means "none".
using Sequence = StrongId<struct SequenceTag>;
using SegmentId = StrongId<struct SegmentTag>;
using RunId = StrongId<struct RunTag>;

// A keyspace (column family, partition). Ids are never reused. 0 is the default keyspace.
struct KeyspaceId {
  uint32_t value = 0;
  constexpr KeyspaceId() = default;
  constexpr explicit KeyspaceId(uint32_t v) : value(v) {}
  constexpr auto operator<=>(const KeyspaceId&) const = default;
};

inline constexpr Sequence kMaxSequence{(uint64_t{1} << 56) - 1};

// 128 random bits that name one database for ever.
struct Uuid {
  uint64_t high = 0;
  uint64_t low = 0;
  constexpr auto operator<=>(const Uuid&) const = default;
};

}  // namespace ashlar
