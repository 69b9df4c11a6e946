// Point reads, pinned values and snapshots.
#include <new>

#include "api/handles.h"

namespace ashlar::api {

namespace {

using lsm::PinnedValue;

static_assert(sizeof(PinnedValue) <= sizeof(ashlar_value::pin_) &&
              alignof(PinnedValue) <= alignof(ashlar_value));

// A key too long to have been written is refused as it was when it was written.
inline ashlar_code check_key(const void* key, size_t key_size) {
  if (!is_bytes(key, key_size)) return refuse_bytes("key");
  return ASHLAR_LIKELY(key_size <= kv::kMaxKeyBytes) ? ASHLAR_OK : fail(kv::check_sizes(key_size, 0));
}

}  // namespace

}  // namespace ashlar::api

using namespace ashlar;
using namespace ashlar::api;

ashlar_code ashlar_get(ashlar_db* db, const ashlar_snapshot* snapshot, ashlar_keyspace keyspace,
                       const void* key, size_t key_size, ashlar_value* value) {
  return no_throw([&] {
    if (value == nullptr) return refuse_null("the place for the value");
    *value = ashlar_value{};
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check(db, snapshot); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_key(key, key_size); code != ASHLAR_OK) return code;
    bool found = false;
    auto* const pin = new (value->pin_) PinnedValue;
    const Status status = from_c(db)->store->get(store_snapshot(snapshot), KeyspaceId(keyspace),
                                                 view(key, key_size), pin, &found);
    if (ASHLAR_LIKELY(status.ok() && found)) {
      const Bytes bytes = pin->bytes();
      value->data = bytes.data() == nullptr ? "" : bytes.data();
      value->size = bytes.size();
      return ASHLAR_OK;
    }
    pin->~PinnedValue();
    *value = ashlar_value{};
    return status.ok() ? ASHLAR_NOT_FOUND : fail(status);
  });
}

void ashlar_value_release(ashlar_value* value) {
  no_throw([&] {
    if (value == nullptr || value->data == nullptr) return;
    std::launder(reinterpret_cast<PinnedValue*>(value->pin_))->~PinnedValue();
    *value = ashlar_value{};
  });
}

ashlar_code ashlar_contains(ashlar_db* db, const ashlar_snapshot* snapshot, ashlar_keyspace keyspace,
                            const void* key, size_t key_size) {
  return no_throw([&] {
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check(db, snapshot); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check_key(key, key_size); code != ASHLAR_OK) return code;
    bool found = false;
    PinnedValue pin;
    const Status status = from_c(db)->store->get(store_snapshot(snapshot), KeyspaceId(keyspace),
                                                 view(key, key_size), &pin, &found);
    if (!status.ok()) return fail(status);
    return found ? ASHLAR_OK : ASHLAR_NOT_FOUND;
  });
}

ashlar_code ashlar_snapshot_create(ashlar_db* db, ashlar_snapshot** snapshot) {
  return no_throw([&] {
    if (snapshot == nullptr) return refuse_null("the place for the snapshot");
    *snapshot = nullptr;
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    auto taken = from_c(db)->store->snapshot();
    if (!taken.ok()) return fail(taken.status());
    auto handle = std::make_unique<Snapshot>();
    handle->snapshot = std::move(taken).value();
    handle->open_number = from_c(db)->open_number;
    *snapshot = reinterpret_cast<ashlar_snapshot*>(handle.release());
    return ASHLAR_OK;
  });
}

void ashlar_snapshot_release(ashlar_snapshot* snapshot) {
  no_throw([&] {
    if (snapshot != nullptr && !from_c(snapshot)->guard.forked()) delete from_c(snapshot);
  });
}

uint64_t ashlar_snapshot_sequence(const ashlar_snapshot* snapshot) {
  return snapshot == nullptr ? 0 : from_c(snapshot)->snapshot->sequence().value;
}
