// Ordered scans.
#include <string>

#include "api/handles.h"
#include "api/versioned.h"

namespace ashlar::api {

namespace {

// 0.1.0 was the first; this number stays when fields are added.
constexpr size_t kFirstScanBytes = 56;
static_assert(offsetof(ashlar_scan, prefix) + sizeof(ashlar_bytes) == kFirstScanBytes);

Result<store::ScanOptions> read_scan(const ashlar_scan* scan) {
  store::ScanOptions options;
  if (scan == nullptr) return options;
  ashlar_scan chosen = {};
  ASHLAR_TRY(read_versioned("scan", scan, kFirstScanBytes, &chosen));
  const struct {
    const char* name;
    const ashlar_bytes& bytes;
  } bounds[] = {{"lower", chosen.lower}, {"upper", chosen.upper}, {"prefix", chosen.prefix}};
  for (const auto& bound : bounds) {
    if (is_bytes(bound.bytes.data, bound.bytes.size)) continue;
    return invalid_argument("scan." + std::string(bound.name) + " is NULL, but its size is not 0");
  }
  if (chosen.keys_only != 0 && chosen.keys_only != 1) {
    return invalid_argument("scan.keys_only is " + std::to_string(chosen.keys_only) + "; it must be 0 or 1");
  }
  options.keys_only = chosen.keys_only != 0;
  options.lower = view(chosen.lower.data, chosen.lower.size);
  options.has_upper = chosen.upper.data != nullptr;
  options.upper = view(chosen.upper.data, chosen.upper.size);
  if (chosen.prefix.data == nullptr) return options;
  return store::with_prefix(std::move(options), view(chosen.prefix.data, chosen.prefix.size));
}

ashlar_code refuse_iterator(const ashlar_iterator* iterator) {
  if (iterator == nullptr) return refuse_null("the iterator");
  return fail(ASHLAR_CLOSED, "the iterator was made by another process: a handle does not survive fork()");
}

inline bool usable(const ashlar_iterator* iterator) {
  return ASHLAR_LIKELY(iterator != nullptr && !from_c(iterator)->guard.forked());
}

inline bool stands(const ashlar_iterator* iterator) { return usable(iterator) && from_c(iterator)->stands; }

// A move of an iterator that cannot be used leads nowhere; ashlar_iterator_status says why.
template <typename Move>
int move_iterator(ashlar_iterator* iterator, Move&& move) {
  return no_throw([&] {
    if (!usable(iterator)) return 0;
    Iterator& handle = *from_c(iterator);
    handle.misused = false;
    handle.stands = move(*handle.iterator);
    return handle.stands ? 1 : 0;
  });
}

// next() and previous(): no effect on an iterator that stands nowhere.
template <typename Move>
int step_iterator(ashlar_iterator* iterator, Move&& move) {
  return no_throw([&] {
    if (!stands(iterator)) return 0;
    Iterator& handle = *from_c(iterator);
    handle.stands = move(*handle.iterator);
    return handle.stands ? 1 : 0;
  });
}

template <typename Move>
int seek_iterator(ashlar_iterator* iterator, const void* key, size_t key_size, Move&& move) {
  if (ASHLAR_LIKELY(is_bytes(key, key_size))) return move_iterator(iterator, move);
  if (usable(iterator)) {
    from_c(iterator)->stands = false;
    from_c(iterator)->misused = true;
  }
  return 0;
}

ashlar_bytes to_c(Bytes bytes) { return {bytes.data() == nullptr ? "" : bytes.data(), bytes.size()}; }

}  // namespace

}  // namespace ashlar::api

using namespace ashlar;
using namespace ashlar::api;

ashlar_code ashlar_iterator_create(ashlar_db* db, const ashlar_snapshot* snapshot, ashlar_keyspace keyspace,
                                   const ashlar_scan* scan, ashlar_iterator** iterator) {
  return no_throw([&] {
    if (iterator == nullptr) return refuse_null("the place for the iterator");
    *iterator = nullptr;
    if (const ashlar_code code = check(db); code != ASHLAR_OK) return code;
    if (const ashlar_code code = check(db, snapshot); code != ASHLAR_OK) return code;
    const Result<store::ScanOptions> options = read_scan(scan);
    if (!options.ok()) return fail(options.status());
    auto made = from_c(db)->store->iterate(store_snapshot(snapshot), KeyspaceId(keyspace), options.value());
    if (!made.ok()) return fail(made.status());
    auto handle = std::make_unique<Iterator>();
    handle->iterator = std::move(made).value();
    *iterator = reinterpret_cast<ashlar_iterator*>(handle.release());
    return ASHLAR_OK;
  });
}

void ashlar_iterator_destroy(ashlar_iterator* iterator) {
  no_throw([&] {
    if (usable(iterator)) delete from_c(iterator);
  });
}

int ashlar_iterator_first(ashlar_iterator* iterator) {
  return move_iterator(iterator, [](store::Iterator& it) { return it.first(); });
}

int ashlar_iterator_last(ashlar_iterator* iterator) {
  return move_iterator(iterator, [](store::Iterator& it) { return it.last(); });
}

int ashlar_iterator_seek(ashlar_iterator* iterator, const void* key, size_t key_size) {
  return seek_iterator(iterator, key, key_size,
                       [&](store::Iterator& it) { return it.seek(view(key, key_size)); });
}

int ashlar_iterator_seek_for_previous(ashlar_iterator* iterator, const void* key, size_t key_size) {
  return seek_iterator(iterator, key, key_size,
                       [&](store::Iterator& it) { return it.seek_for_previous(view(key, key_size)); });
}

int ashlar_iterator_next(ashlar_iterator* iterator) {
  return step_iterator(iterator, [](store::Iterator& it) { return it.next(); });
}

int ashlar_iterator_previous(ashlar_iterator* iterator) {
  return step_iterator(iterator, [](store::Iterator& it) { return it.previous(); });
}

int ashlar_iterator_valid(const ashlar_iterator* iterator) { return stands(iterator) ? 1 : 0; }

ashlar_bytes ashlar_iterator_key(const ashlar_iterator* iterator) {
  if (!stands(iterator)) return to_c(Bytes());
  return to_c(from_c(iterator)->iterator->key());
}

ashlar_bytes ashlar_iterator_value(const ashlar_iterator* iterator) {
  if (!stands(iterator)) return to_c(Bytes());
  return to_c(from_c(iterator)->iterator->value());
}

ashlar_code ashlar_iterator_status(const ashlar_iterator* iterator) {
  return no_throw([&] {
    if (!usable(iterator)) return refuse_iterator(iterator);
    if (from_c(iterator)->misused) return refuse_bytes("key");
    return report(from_c(iterator)->iterator->status());
  });
}
