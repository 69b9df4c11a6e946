// Little-endian fixed-width and LEB128 variable-width integers in byte strings.
//
// Writers append to a std::string or store through a pointer the caller has sized. Readers take a Bytes&
// and eat from its front; they return false, and leave the view untouched, when the bytes do not suffice or
// do not encode a number (more than 10 bytes, overflow). Nothing here allocates but the string appends.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/types.h"

namespace ashlar {

static_assert(std::endian::native == std::endian::little, "big-endian hosts need byte swaps here");

inline void store_u16(void* at, uint16_t value) { std::memcpy(at, &value, sizeof value); }
inline void store_u32(void* at, uint32_t value) { std::memcpy(at, &value, sizeof value); }
inline void store_u64(void* at, uint64_t value) { std::memcpy(at, &value, sizeof value); }
inline uint16_t load_u16(const void* at) {
  uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline uint32_t load_u32(const void* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline uint64_t load_u64(const void* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline void append_u32(std::string& out, uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void append_u64(std::string& out, uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline constexpr size_t kMaxVarintBytes = 10;

constexpr size_t varint_size(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes at `at` (at least varint_size(value) bytes) and returns the first byte after it.
inline char* store_varint(char* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(static_cast<uint8_t>(value) | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

inline void append_varint(std::string& out, uint64_t value) {
  char buffer[kMaxVarintBytes];
  out.append(buffer, static_cast<size_t>(store_varint(buffer, value) - buffer));
}

// Decodes one varint in [at, end); nullptr when it is cut short or too large.
inline const char* load_varint(const char* at, const char* end, uint64_t* value) {
  if (at < end && static_cast<uint8_t>(*at) < 0x80) {
    *value = static_cast<uint8_t>(*at);
    return at + 1;
  }
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    if (shift == 63 && byte > 1) return nullptr;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

inline bool read_varint(Bytes& in, uint64_t* value) {
  const char* next = load_varint(in.data(), in.data() + in.size(), value);
  if (next == nullptr) return false;
  in.remove_prefix(static_cast<size_t>(next - in.data()));
  return true;
}

inline bool read_u32(Bytes& in, uint32_t* value) {
  if (in.size() < sizeof *value) return false;
  *value = load_u32(in.data());
  in.remove_prefix(sizeof *value);
  return true;
}

inline bool read_u64(Bytes& in, uint64_t* value) {
  if (in.size() < sizeof *value) return false;
  *value = load_u64(in.data());
  in.remove_prefix(sizeof *value);
  return true;
}

// Length-prefixed bytes: varint size, then the bytes. The view read points into `in`.
inline void append_sized(std::string& out, Bytes bytes) {
  append_varint(out, bytes.size());
  out.append(bytes);
}

inline bool read_sized(Bytes& in, Bytes* bytes) {
  Bytes rest = in;
  uint64_t size = 0;
  if (!read_varint(rest, &size) || size > rest.size()) return false;
  *bytes = rest.substr(0, static_cast<size_t>(size));
  rest.remove_prefix(static_cast<size_t>(size));
  in = rest;
  return true;
}

}  // namespace ashlar
