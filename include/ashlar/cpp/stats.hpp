// What a database says about itself: the fields of ashlar_stats, and the same as JSON.
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/error.hpp>
#include <cstdint>
#include <string>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

struct Stats : ashlar_stats {
  // One line; the names are those of ashlar_stats.
  std::string to_json() const;
};

inline std::string Stats::to_json() const {
  std::string json = "{";
  const auto name = [&](const char* field) {
    if (json.size() > 1) json += ",";
    json.append("\"").append(field).append("\":");
  };
  const auto number = [&](const char* field, std::uint64_t value) {
    name(field);
    json += std::to_string(value);
  };
  const auto numbers = [&](const char* field, const std::uint64_t(&values)[ASHLAR_LEVELS]) {
    name(field);
    char before = '[';
    for (const std::uint64_t value : values) {
      json += before;
      json += std::to_string(value);
      before = ',';
    }
    json += ']';
  };
  number("keyspaces", keyspaces);
  number("last_sequence", last_sequence);
  number("oldest_snapshot", oldest_snapshot);
  number("snapshots", snapshots);
  number("delta_bytes", delta_bytes);
  number("sealed_deltas", sealed_deltas);
  number("journal_bytes", journal_bytes);
  number("run_files", run_files);
  number("run_bytes", run_bytes);
  number("run_entries", run_entries);
  number("run_tombstones", run_tombstones);
  numbers("level_files", level_files);
  numbers("level_bytes", level_bytes);
  number("cache_bytes", cache_bytes);
  number("cache_hits", cache_hits);
  number("cache_misses", cache_misses);
  number("bytes_committed", bytes_committed);
  number("bytes_flushed", bytes_flushed);
  number("bytes_compacted", bytes_compacted);
  number("flushes", flushes);
  number("compactions", compactions);
  number("write_stalls", write_stalls);
  number("write_stall_ns", write_stall_ns);
  number("journal_syncs", journal_syncs);
  number("recovered_frames", recovered_frames);
  number("recovery_dropped_bytes", recovery_dropped_bytes);
  number("recovery_ns", recovery_ns);
  return json + "}";
}

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
