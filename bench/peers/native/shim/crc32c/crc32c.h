// The interface of google/crc32c that LevelDB compiles against when HAVE_CRC32C is set.
// leveldb_crc32c.cc answers it, so that LevelDB runs with the processor's CRC32C instruction.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crc32c {
uint32_t Extend(uint32_t crc, const uint8_t* data, size_t size);
}
