// Hash of a byte string by rounds of AES: the same 64 bits on every machine, a few nanoseconds per short key where the
// processor has AES instructions (asked at run time), some tens where it has not.
//
//   state = key_0 ^ length;  each 16 bytes: state = round(round(state ^ bytes, key_1), key_2);  three rounds to finish
//   round = AESENC: ShiftRows, SubBytes, MixColumns, AddRoundKey (FIPS 197, 5.1)
//
// Part of the run format (filters, fingerprints): its output never changes. For keys, not against a forger: it has no
// secret. For checksums see base/checksum.h. Threads: any.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace ashlar {

uint64_t aes_hash(Bytes bytes) noexcept;

// The two ways to the same bits; tests compare them. The hardware one needs aes_hash_has_hardware().
uint64_t aes_hash_portable(Bytes bytes) noexcept;
uint64_t aes_hash_hardware(Bytes bytes) noexcept;
bool aes_hash_has_hardware() noexcept;

// Makes aes_hash() take the portable way from now on, or the fastest again. For tests and measurements.
enum class AesHashWay : uint8_t { fastest, portable };
void set_aes_hash_way(AesHashWay way) noexcept;

}  // namespace ashlar
