// Values that are known by two numbers, so that the model stores eight bytes for a value of any size.
//
//   tag even: a window of random bytes            (does not compress)
//   tag odd:  a window of 16-byte records, 6 random and 10 fixed bytes each (compresses)
//
// Two different tags give different bytes wherever the value is long enough to show it (16 bytes and more).
// Threads: immutable.
#pragma once

#include "base/types.h"

namespace ashlar::model {

inline constexpr size_t kMaxValueBytes = size_t{1} << 20;

// `size_bytes` up to kMaxValueBytes. The view lives for ever.
Bytes value_bytes(uint32_t tag, size_t size_bytes);

}  // namespace ashlar::model
