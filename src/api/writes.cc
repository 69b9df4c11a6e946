// Puts, removes and batches.
#include <algorithm>
#include <new>
#include <string>

#include "api/handles.h"

namespace ashlar::api {

namespace {

// insert_many commits what it has gathered when it reaches this.
constexpr size_t kInsertBatchBytes = size_t{1} << 20;

[[gnu::cold]] ashlar_code refuse_flags(uint32_t flags) {
  return fail(ASHLAR_INVALID_ARGUMENT,
              "flags holds a bit that this version does not know: " + std::to_string(flags));
}

inline ashlar_code check_flags(uint32_t flags) {
  return ASHLAR_LIKELY((flags & ~ASHLAR_SYNC) == 0) ? ASHLAR_OK : refuse_flags(flags);
}

inline store::WriteMode write_mode(uint32_t flags) {
  return (flags & ASHLAR_SYNC) != 0 ? store::WriteMode::sync : store::WriteMode::preset;
}

// Nothing is written where any pair is wrong.
ashlar_code check_pairs(const ashlar_bytes* keys, const ashlar_bytes* values, size_t count) {
  if (count == 0) return ASHLAR_OK;
  if (keys == nullptr || values == nullptr) return refuse_null(keys == nullptr ? "keys" : "values");
  for (size_t i = 0; i < count; ++i) {
    if (!is_bytes(keys[i].data, keys[i].size)) return refuse_bytes("keys[" + std::to_string(i) + "]");
    if (!is_bytes(values[i].data, values[i].size)) return refuse_bytes("values[" + std::to_string(i) + "]");
    if (const Status sizes = kv::check_sizes(keys[i].size, values[i].size); !sizes.ok()) {
      return fail(sizes.with_context("pair " + std::to_string(i)));
    }
  }
  return ASHLAR_OK;
}

Status insert_pairs(store::Store& store, KeyspaceId keyspace, const ashlar_bytes* keys,
                    const ashlar_bytes* values, size_t count, store::WriteMode mode, size_t* written) {
  kv::Batch batch;
  for (size_t i = 0; i < count; ++i) {
    ASHLAR_TRY(batch.put(keyspace, view(keys[i].data, keys[i].size), view(values[i].data, values[i].size)));
    if (batch.body().size() < kInsertBatchBytes && i + 1 < count) continue;
    ASHLAR_TRY(store.write(batch, mode));
    *written = i + 1;
    batch.clear();
  }
  return ok_status();
}

}  // namespace

}  // namespace ashlar::api

using namespace ashlar;
using namespace ashlar::api;

ashlar_code ashlar_put(ashlar_db* db, ashlar_keyspace keyspace, const void* key, size_t key_size,
                       const void* value, size_t value_size, uint32_t flags) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (!is_bytes(key, key_size)) return refuse_bytes("key");
    if (!is_bytes(value, value_size)) return refuse_bytes("value");
    if (const ashlar_code code = check_flags(flags); code != ASHLAR_OK) return code;
    return report(from_c(db)->store->put(KeyspaceId(keyspace), view(key, key_size), view(value, value_size),
                                         write_mode(flags)));
  });
}

ashlar_code ashlar_remove(ashlar_db* db, ashlar_keyspace keyspace, const void* key, size_t key_size,
                          uint32_t flags) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (!is_bytes(key, key_size)) return refuse_bytes("key");
    if (const ashlar_code code = check_flags(flags); code != ASHLAR_OK) return code;
    return report(from_c(db)->store->remove(KeyspaceId(keyspace), view(key, key_size), write_mode(flags)));
  });
}

ashlar_batch* ashlar_batch_create(void) {
  return no_throw([] { return reinterpret_cast<ashlar_batch*>(new kv::Batch); });
}

void ashlar_batch_destroy(ashlar_batch* batch) { delete from_c(batch); }

void ashlar_batch_clear(ashlar_batch* batch) {
  if (batch != nullptr) from_c(batch)->clear();
}

size_t ashlar_batch_count(const ashlar_batch* batch) { return batch == nullptr ? 0 : from_c(batch)->count(); }

ashlar_code ashlar_batch_put(ashlar_batch* batch, ashlar_keyspace keyspace, const void* key, size_t key_size,
                             const void* value, size_t value_size) {
  return no_throw([&] {
    if (batch == nullptr) return refuse_null("batch");
    if (!is_bytes(key, key_size)) return refuse_bytes("key");
    if (!is_bytes(value, value_size)) return refuse_bytes("value");
    return report(from_c(batch)->put(KeyspaceId(keyspace), view(key, key_size), view(value, value_size)));
  });
}

ashlar_code ashlar_batch_remove(ashlar_batch* batch, ashlar_keyspace keyspace, const void* key,
                                size_t key_size) {
  return no_throw([&] {
    if (batch == nullptr) return refuse_null("batch");
    if (!is_bytes(key, key_size)) return refuse_bytes("key");
    return report(from_c(batch)->remove(KeyspaceId(keyspace), view(key, key_size)));
  });
}

ashlar_code ashlar_write(ashlar_db* db, const ashlar_batch* batch, uint32_t flags) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (batch == nullptr) return refuse_null("batch");
    if (const ashlar_code code = check_flags(flags); code != ASHLAR_OK) return code;
    if (from_c(batch)->empty()) return ASHLAR_OK;
    return report(from_c(db)->store->write(*from_c(batch), write_mode(flags)));
  });
}

ashlar_code ashlar_insert_many(ashlar_db* db, ashlar_keyspace keyspace, const ashlar_bytes* keys,
                               const ashlar_bytes* values, size_t count, uint32_t flags, size_t* written) {
  return no_throw([&] {
    size_t done = 0;
    if (written != nullptr) *written = 0;
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_flags(flags); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_pairs(keys, values, count); code != ASHLAR_OK) return code;
    const Status status =
        insert_pairs(*from_c(db)->store, KeyspaceId(keyspace), keys, values, count, write_mode(flags), &done);
    if (written != nullptr) *written = done;
    return report(status);
  });
}
