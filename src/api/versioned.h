// Structs that callers of other versions pass: the first member is the size the caller was compiled with.
//
//   [struct_size u32][fields of the first version][fields added later ...]
//
// I1 Fields are only ever added at the end, so the sizes of two versions say all about their difference.
// I2 An older caller's missing fields keep the defaults that `out` was filled with.
// I3 A newer caller may set to non-zero only what this version knows: a request that is not understood is refused,
//    never dropped.
// I4 A size below the first version's or beyond kMaxStructBytes is no size: the struct was not initialised.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/status.h"

namespace ashlar::api {

inline constexpr uint32_t kMaxStructBytes = 4096;

inline Status check_struct_size(std::string_view name, uint32_t size_bytes, size_t first_version_bytes) {
  if (size_bytes >= first_version_bytes && size_bytes <= kMaxStructBytes) return ok_status();
  return invalid_argument(std::string(name) + ".struct_size is " + std::to_string(size_bytes) +
                          "; set it to the size of the struct, which is at least " +
                          std::to_string(first_version_bytes));
}

// Copies the caller's struct over the defaults in *out; struct_size becomes ours. `Struct` is trivially copyable.
template <typename Struct>
Status read_versioned(std::string_view name, const Struct* in, size_t first_version_bytes, Struct* out) {
  const uint32_t size_bytes = in->struct_size;
  ASHLAR_TRY(check_struct_size(name, size_bytes, first_version_bytes));
  const char* const bytes = reinterpret_cast<const char*>(in);
  for (size_t i = sizeof(Struct); i < size_bytes; ++i) {
    if (bytes[i] != 0) {
      return invalid_argument(std::string(name) + " has a field at byte " + std::to_string(i) +
                              " that this version of the library does not know");
    }
  }
  std::memcpy(out, in, std::min<size_t>(size_bytes, sizeof(Struct)));
  out->struct_size = sizeof(Struct);
  return ok_status();
}

// Copies *in to the caller's struct, which keeps its size; fields that only the caller knows become zero.
template <typename Struct>
Status write_versioned(std::string_view name, const Struct& in, size_t first_version_bytes, Struct* out) {
  const uint32_t size_bytes = out->struct_size;
  ASHLAR_TRY(check_struct_size(name, size_bytes, first_version_bytes));
  char* const bytes = reinterpret_cast<char*>(out);
  std::memcpy(bytes, &in, std::min<size_t>(size_bytes, sizeof(Struct)));
  if (size_bytes > sizeof(Struct)) std::memset(bytes + sizeof(Struct), 0, size_bytes - sizeof(Struct));
  out->struct_size = size_bytes;
  return ok_status();
}

}  // namespace ashlar::api
