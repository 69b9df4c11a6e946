// How to open a database: a preset, and the few things worth changing.
//
//   ash::Db::open("inventory", ash::paranoid().compression(ash::Compression::zstd))
//
//   fast()      acknowledged writes are lost unless flush() or close() succeeds
//   durable()   an acknowledged write survives the death of the process; a power cut takes about the last second
//   paranoid()  an acknowledged write survives power loss
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/error.hpp>
#include <chrono>
#include <cstdint>
#include <limits>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

enum class Compression : int {
  none = ASHLAR_COMPRESSION_NONE,
  lz4 = ASHLAR_COMPRESSION_LZ4,
  snappy = ASHLAR_COMPRESSION_SNAPPY,
  zstd = ASHLAR_COMPRESSION_ZSTD,
};

class Options {
 public:
  // durable()
  Options() : Options(ASHLAR_PRESET_DURABLE) {}
  explicit Options(ashlar_preset preset) { ashlar_options_init(&options_, preset); }

  // Of runs written from now on; existing ones keep theirs. Default lz4.
  Options& compression(Compression value) {
    options_.compression = static_cast<std::int32_t>(value);
    return *this;
  }
  // Default true.
  Options& create_if_missing(bool value) {
    options_.create_if_missing = value ? 1 : 0;
    return *this;
  }
  // Default false.
  Options& error_if_exists(bool value) {
    options_.error_if_exists = value ? 1 : 0;
    return *this;
  }
  // durable(): at most about what a power cut takes; default 1 s, 0 = never sync by itself. Longer than 49 days is
  // 49 days; less than 0 is 0.
  Options& sync_interval(std::chrono::milliseconds value) {
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t ms = value.count();
    options_.sync_interval_ms = static_cast<std::uint32_t>(ms < 0 ? 0 : ms > kMost ? kMost : ms);
    return *this;
  }
  // In-memory part, journal segment and index; default 64 MiB, 64 KiB to 1 GiB.
  Options& delta_bytes(std::uint64_t value) {
    options_.delta_bytes = value;
    return *this;
  }
  // Cache of run blocks; default 64 MiB, 0 = none.
  Options& block_cache_bytes(std::uint64_t value) {
    options_.block_cache_bytes = value;
    return *this;
  }

  const ashlar_options& c() const noexcept { return options_; }

 private:
  ashlar_options options_;
};

inline Options fast() { return Options(ASHLAR_PRESET_FAST); }
inline Options durable() { return Options(ASHLAR_PRESET_DURABLE); }
inline Options paranoid() { return Options(ASHLAR_PRESET_PARANOID); }

enum class WriteFlags : std::uint32_t {
  none = 0,
  sync = ASHLAR_SYNC,
};
// db.put(key, value, ash::sync): durable against power loss on return, whatever the preset.
inline constexpr WriteFlags sync = WriteFlags::sync;

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
