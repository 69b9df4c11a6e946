// LevelDB's accelerated CRC32C, answered by RocksDB's: the same polynomial, the same finalisation, three streams
// and PCLMUL. Without it LevelDB computes the checksum from tables, several times slower.
#include <cstddef>
#include <cstdint>

#include "util/crc32c.h"

namespace crc32c {
uint32_t Extend(uint32_t crc, const uint8_t* data, size_t size) {
  return rocksdb::crc32c::Extend(crc, reinterpret_cast<const char*>(data), size);
}
}  // namespace crc32c
