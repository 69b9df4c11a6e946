// What a key-value pair is inside the engine: a key, a trailer, a value.
//
//   stored key  =  [keyspace id, 4 bytes big-endian][user key bytes]      order: memcmp
//   trailer     =  sequence << 8 | kind                                   order: newest first
//
// Entries are ordered by stored key ascending, then by trailer descending, so the newest version of a key comes
// first. No two entries have the same key and the same sequence.
// Kinds are part of the file formats: numbers never change their meaning.
#pragma once

#include <cstring>
#include <string>

#include "base/coding.h"
#include "base/types.h"

namespace ashlar::kv {

enum class Kind : uint8_t {
  put = 1,
  remove = 2,  // tombstone: hides every older version
  // 3 range tombstone, 4 merge operand, 5 value in the region: reserved, refused as unsupported_format for now
};

constexpr bool is_known_kind(uint8_t kind) { return kind == 1 || kind == 2; }

constexpr uint64_t make_trailer(Sequence sequence, Kind kind) {
  return sequence.value << 8 | static_cast<uint64_t>(kind);
}
constexpr Sequence trailer_sequence(uint64_t trailer) { return Sequence(trailer >> 8); }
constexpr Kind trailer_kind(uint64_t trailer) { return static_cast<Kind>(trailer & 0xff); }
// Sorts before every entry of the same key whose sequence is <= `sequence`, and after the newer ones.
constexpr uint64_t seek_trailer(Sequence sequence) { return sequence.value << 8 | 0xff; }

inline constexpr size_t kKeyspacePrefixBytes = 4;

inline void store_keyspace_prefix(char* at, KeyspaceId keyspace) {
  store_u32(at, __builtin_bswap32(keyspace.value));
}
inline KeyspaceId keyspace_of(Bytes stored_key) {
  return KeyspaceId(__builtin_bswap32(load_u32(stored_key.data())));
}
inline Bytes user_key_of(Bytes stored_key) { return stored_key.substr(kKeyspacePrefixBytes); }

inline void set_stored_key(std::string& out, KeyspaceId keyspace, Bytes user_key) {
  char prefix[kKeyspacePrefixBytes];
  store_keyspace_prefix(prefix, keyspace);
  out.assign(prefix, sizeof prefix);
  out.append(user_key);
}

// Negative, zero, positive like memcmp; a proper prefix sorts first.
inline int compare_keys(Bytes a, Bytes b) { return a.compare(b); }

// Internal order of (key, trailer): key ascending, trailer descending.
inline int compare_entries(Bytes a_key, uint64_t a_trailer, Bytes b_key, uint64_t b_trailer) {
  const int by_key = a_key.compare(b_key);
  if (by_key != 0) return by_key;
  return a_trailer > b_trailer ? -1 : (a_trailer < b_trailer ? 1 : 0);
}

// Limits of the format, the same everywhere and checked where bytes enter.
inline constexpr size_t kMaxKeyBytes = size_t{1} << 20;          // 1 MiB
inline constexpr uint64_t kMaxValueBytes = (uint64_t{1} << 30);  // 1 GiB until values go to the region
inline constexpr uint64_t kMaxBatchBytes = (uint64_t{1} << 31);  // 2 GiB: one frame, one segment of its own

}  // namespace ashlar::kv
