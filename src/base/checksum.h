// The one checksum of every file: XXH3, 64 bits, seeded.
//
// The seed ties bytes to their place: the same bytes do not verify in another file, another segment life or
// another database. 64 bits: an accidental change passes with probability 2^-64. Not a defence against a
// forger. Source: xxHash specification 0.1.1, libxxhash 0.8.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace ashlar {

uint64_t checksum(Bytes bytes, uint64_t seed) noexcept;

// Seed for file number `id` of database `uuid`; `purpose` keeps kinds of files apart.
uint64_t checksum_seed(Uuid uuid, uint64_t id, uint64_t purpose) noexcept;

}  // namespace ashlar
