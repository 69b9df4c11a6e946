#include "api/options.h"

#include <algorithm>
#include <string>

#include "api/error.h"
#include "api/handles.h"
#include "api/versioned.h"

namespace ashlar::api {

namespace {

// 0.1.0 was the first; this number stays when fields are added.
constexpr size_t kFirstOptionsBytes = 40;
static_assert(offsetof(ashlar_options, block_cache_bytes) + sizeof(uint64_t) == kFirstOptionsBytes);

static_assert(static_cast<int>(store::Preset::fast) == ASHLAR_PRESET_FAST &&
              static_cast<int>(store::Preset::durable) == ASHLAR_PRESET_DURABLE &&
              static_cast<int>(store::Preset::paranoid) == ASHLAR_PRESET_PARANOID);
static_assert(static_cast<int>(run::Compression::none) == ASHLAR_COMPRESSION_NONE &&
              static_cast<int>(run::Compression::lz4) == ASHLAR_COMPRESSION_LZ4 &&
              static_cast<int>(run::Compression::snappy) == ASHLAR_COMPRESSION_SNAPPY &&
              static_cast<int>(run::Compression::zstd) == ASHLAR_COMPRESSION_ZSTD);

// More than this is a mistake in the caller's arithmetic, not a cache.
constexpr uint64_t kMaxBlockCacheBytes = uint64_t{1} << 44;

Status check_range(std::string_view field, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return ok_status();
  return invalid_argument("options." + std::string(field) + " is " + std::to_string(value) + "; it must be " +
                          std::to_string(least) + " to " + std::to_string(most));
}

Status check_choice(std::string_view field, int32_t value, int32_t last, std::string_view meaning) {
  if (value >= 0 && value <= last) return ok_status();
  return invalid_argument("options." + std::string(field) + " is " + std::to_string(value) +
                          "; it must be 0 to " + std::to_string(last) + " (" + std::string(meaning) + ")");
}

void set_defaults(ashlar_options* options, int32_t preset) {
  const store::Options defaults;
  *options = ashlar_options{};
  options->struct_size = sizeof(ashlar_options);
  options->preset = preset;
  options->compression = static_cast<int32_t>(defaults.compression);
  options->create_if_missing = defaults.create_if_missing ? 1 : 0;
  options->error_if_exists = defaults.error_if_exists ? 1 : 0;
  options->sync_interval_ms = defaults.sync_interval_ms;
  options->delta_bytes = defaults.delta_bytes;
  options->block_cache_bytes = defaults.block_cache_bytes;
}

}  // namespace

Result<store::Options> read_options(const ashlar_options* options) {
  ashlar_options chosen;
  set_defaults(&chosen, ASHLAR_PRESET_DURABLE);
  if (options != nullptr) ASHLAR_TRY(read_versioned("options", options, kFirstOptionsBytes, &chosen));

  ASHLAR_TRY(check_choice("preset", chosen.preset, ASHLAR_PRESET_PARANOID, "fast, durable, paranoid"));
  ASHLAR_TRY(
      check_choice("compression", chosen.compression, ASHLAR_COMPRESSION_ZSTD, "none, lz4, snappy, zstd"));
  ASHLAR_TRY(check_choice("create_if_missing", chosen.create_if_missing, 1, "no, yes"));
  ASHLAR_TRY(check_choice("error_if_exists", chosen.error_if_exists, 1, "no, yes"));
  ASHLAR_TRY(check_range("delta_bytes", chosen.delta_bytes, store::kMinDeltaBytes, store::kMaxDeltaBytes));
  ASHLAR_TRY(check_range("block_cache_bytes", chosen.block_cache_bytes, 0, kMaxBlockCacheBytes));

  store::Options result;
  result.preset = static_cast<store::Preset>(chosen.preset);
  result.compression = static_cast<run::Compression>(chosen.compression);
  result.create_if_missing = chosen.create_if_missing != 0;
  result.error_if_exists = chosen.error_if_exists != 0;
  result.sync_interval_ms = chosen.sync_interval_ms;
  result.delta_bytes = chosen.delta_bytes;
  result.block_cache_bytes = chosen.block_cache_bytes;
  result.first_segment_bytes = std::min(result.first_segment_bytes, chosen.delta_bytes);
  return result;
}

}  // namespace ashlar::api

void ashlar_options_init(ashlar_options* options, ashlar_preset preset) {
  if (options != nullptr) ashlar::api::set_defaults(options, preset);
}
