// Opening, closing, keyspaces and upkeep.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "api/handles.h"
#include "api/options.h"
#include "api/versioned.h"

namespace ashlar::api {

namespace {

constexpr size_t kMaxKeyspaceNameBytes = 255;
// 0.1.0 was the first; this number stays when fields are added.
constexpr size_t kFirstStatsBytes = 312;
static_assert(offsetof(ashlar_stats, recovery_ns) + sizeof(uint64_t) == kFirstStatsBytes);
static_assert(ASHLAR_LEVELS == store::kLevels);

std::atomic<uint64_t> opens{0};

ashlar_code check_name(const char* name, size_t size_bytes, const ashlar_keyspace* keyspace) {
  if (keyspace == nullptr) return refuse_null("the place for the keyspace");
  if (!is_bytes(name, size_bytes)) return refuse_bytes("the keyspace name");
  if (size_bytes >= 1 && size_bytes <= kMaxKeyspaceNameBytes) return ASHLAR_OK;
  return fail(ASHLAR_INVALID_ARGUMENT,
              "a keyspace name has 1 to 255 bytes; this one has " + std::to_string(size_bytes));
}

// The calls that take nothing but the database.
ashlar_code upkeep(ashlar_db* db, Status (store::Store::*operation)()) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    return report((from_c(db)->store.get()->*operation)());
  });
}

ashlar_stats to_c(const store::Stats& in) {
  ashlar_stats out = {};
  out.keyspaces = in.keyspaces;
  out.last_sequence = in.last_sequence;
  out.oldest_snapshot = in.oldest_snapshot;
  out.snapshots = in.snapshots;
  out.delta_bytes = in.delta_bytes;
  out.sealed_deltas = in.sealed_deltas;
  out.journal_bytes = in.journal_bytes;
  out.run_files = in.run_files;
  out.run_bytes = in.run_bytes;
  out.run_entries = in.run_entries;
  out.run_tombstones = in.run_tombstones;
  std::copy(in.level_files.begin(), in.level_files.end(), out.level_files);
  std::copy(in.level_bytes.begin(), in.level_bytes.end(), out.level_bytes);
  out.cache_bytes = in.cache_bytes;
  out.cache_hits = in.cache_hits;
  out.cache_misses = in.cache_misses;
  out.bytes_committed = in.bytes_committed;
  out.bytes_flushed = in.bytes_flushed;
  out.bytes_compacted = in.bytes_compacted;
  out.flushes = in.flushes;
  out.compactions = in.compactions;
  out.write_stalls = in.write_stalls;
  out.write_stall_ns = in.write_stall_ns;
  out.journal_syncs = in.journal_syncs;
  out.recovered_frames = in.recovered_frames;
  out.recovery_dropped_bytes = in.recovery_dropped_bytes;
  out.recovery_ns = in.recovery_ns;
  return out;
}

}  // namespace

}  // namespace ashlar::api

using namespace ashlar;
using namespace ashlar::api;

ashlar_code ashlar_open(const char* path, const ashlar_options* options, ashlar_db** db) {
  return no_throw([&] {
    if (db == nullptr) return refuse_null("the place for the database handle");
    *db = nullptr;
    if (path == nullptr) return refuse_null("path");
    if (*path == '\0') return fail(ASHLAR_INVALID_ARGUMENT, "path is empty");
    Result<store::Options> chosen = read_options(options);
    if (!chosen.ok()) return fail(chosen.status());
    // Made before the store's threads are: a fork in between must not find a younger guard.
    auto database = std::make_unique<Database>();
    auto opened = store::Store::open(io::posix_environment(), path, *chosen);
    if (!opened.ok()) return fail(opened.status());
    database->store = std::move(opened).value();
    database->open_number = opens.fetch_add(1, std::memory_order_relaxed) + 1;
    *db = reinterpret_cast<ashlar_db*>(database.release());
    return ASHLAR_OK;
  });
}

ashlar_code ashlar_close(ashlar_db* db) {
  return no_throw([&] {
    if (db == nullptr) return ASHLAR_OK;
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    const std::unique_ptr<Database> database(from_c(db));
    return report(database->store->close());
  });
}

ashlar_code ashlar_keyspace_create(ashlar_db* db, const char* name, size_t name_size,
                                   ashlar_keyspace* keyspace) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_name(name, name_size, keyspace); code != ASHLAR_OK) return code;
    const auto id = from_c(db)->store->create_keyspace(view(name, name_size));
    if (!id.ok()) return fail(id.status());
    *keyspace = id.value().value;
    return ASHLAR_OK;
  });
}

ashlar_code ashlar_keyspace_find(ashlar_db* db, const char* name, size_t name_size,
                                 ashlar_keyspace* keyspace) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_name(name, name_size, keyspace); code != ASHLAR_OK) return code;
    const auto id = from_c(db)->store->find_keyspace(view(name, name_size));
    if (!id.ok()) return fail(id.status());
    if (!id.value().has_value()) return ASHLAR_NOT_FOUND;
    *keyspace = id.value()->value;
    return ASHLAR_OK;
  });
}

ashlar_code ashlar_keyspace_drop(ashlar_db* db, ashlar_keyspace keyspace) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (keyspace == 0) return fail(ASHLAR_INVALID_ARGUMENT, "the default keyspace cannot be dropped");
    return report(from_c(db)->store->drop_keyspace(KeyspaceId(keyspace)));
  });
}

ashlar_code ashlar_keyspace_list(ashlar_db* db,
                                 void (*each)(void* context, ashlar_keyspace keyspace, const char* name,
                                              size_t name_size),
                                 void* context) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (each == nullptr) return refuse_null("the function to call for each keyspace");
    const auto keyspaces = from_c(db)->store->keyspaces();
    if (!keyspaces.ok()) return fail(keyspaces.status());
    for (const store::KeyspaceInfo& info : keyspaces.value()) {
      each(context, info.id.value, info.name.c_str(), info.name.size());
    }
    return ASHLAR_OK;
  });
}

ashlar_code ashlar_sync(ashlar_db* db) { return upkeep(db, &store::Store::sync); }
ashlar_code ashlar_flush(ashlar_db* db) { return upkeep(db, &store::Store::flush); }
ashlar_code ashlar_compact(ashlar_db* db) { return upkeep(db, &store::Store::compact); }
ashlar_code ashlar_wait_idle(ashlar_db* db) { return upkeep(db, &store::Store::wait_idle); }
ashlar_code ashlar_verify(ashlar_db* db) { return upkeep(db, &store::Store::verify); }

ashlar_code ashlar_get_stats(ashlar_db* db, ashlar_stats* stats) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (stats == nullptr) return refuse_null("stats");
    if (const Status size = check_struct_size("stats", stats->struct_size, kFirstStatsBytes); !size.ok()) {
      return fail(size);
    }
    const auto now = from_c(db)->store->stats();
    if (!now.ok()) return fail(now.status());
    return report(write_versioned("stats", to_c(now.value()), kFirstStatsBytes, stats));
  });
}

void ashlar_background_error(ashlar_db* db, char* text, size_t text_size) {
  no_throw([&] {
    if (text == nullptr || text_size == 0) return;
    text[0] = '\0';
    if (check(db) != ASHLAR_OK) return;
    const std::string error = from_c(db)->store->background_error();
    const size_t size = std::min(error.size(), text_size - 1);
    std::memcpy(text, error.data(), size);
    text[size] = '\0';
  });
}
