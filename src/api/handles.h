// What the opaque pointers of the C interface point to, and what every call checks first.
//
//   ashlar_db*        Database   the store, this open's number, the process it belongs to
//   ashlar_snapshot*  Snapshot   a store::Snapshot and the number of the open it came from
//   ashlar_iterator*  Iterator   a store::Iterator
//   ashlar_batch*     kv::Batch
//   ashlar_value.pin_ lsm::PinnedValue, placed there; it is moved by copying bytes
//
// I1 A null handle is INVALID_ARGUMENT, a handle inherited through fork() is CLOSED; neither is ever followed.
// I2 In a fork child nothing inherited is destroyed either: another thread may have held a lock inside at the fork,
//    and the parent's files are not the child's to touch. What is released there is only forgotten.
// I3 Nothing throws across the interface. The library has no exceptions of its own; where the standard library's
//    allocator throws, no_throw ends the process instead of letting it pass through frames that hold locks.
// Threads: as said in ashlar.h.
#pragma once

#include <memory>
#include <utility>

#include "api/error.h"
#include "ashlar/ashlar.h"
#include "io/fork_guard.h"
#include "kv/batch.h"
#include "store/store.h"

namespace ashlar::api {

struct Database {
  std::unique_ptr<store::Store> store;
  uint64_t open_number = 0;
  io::ForkGuard guard;
};

struct Snapshot {
  std::unique_ptr<store::Snapshot> snapshot;
  uint64_t open_number = 0;
  io::ForkGuard guard;
};

struct Iterator {
  std::unique_ptr<store::Iterator> iterator;
  bool stands = false;   // on an entry, since the last move
  bool misused = false;  // the last move was called wrongly
  io::ForkGuard guard;
};

inline Database* from_c(ashlar_db* db) { return reinterpret_cast<Database*>(db); }
inline const Snapshot* from_c(const ashlar_snapshot* snapshot) {
  return reinterpret_cast<const Snapshot*>(snapshot);
}
inline Iterator* from_c(ashlar_iterator* iterator) { return reinterpret_cast<Iterator*>(iterator); }
inline const Iterator* from_c(const ashlar_iterator* iterator) {
  return reinterpret_cast<const Iterator*>(iterator);
}
inline kv::Batch* from_c(ashlar_batch* batch) { return reinterpret_cast<kv::Batch*>(batch); }
inline const kv::Batch* from_c(const ashlar_batch* batch) {
  return reinterpret_cast<const kv::Batch*>(batch);
}

// Runs the body of one call. This folder is compiled with exceptions, so that noexcept means something here.
template <typename Body>
auto no_throw(Body&& body) noexcept {
  return std::forward<Body>(body)();
}

[[gnu::cold]] ashlar_code refuse_database(const ashlar_db* db);
[[gnu::cold]] ashlar_code refuse_null(std::string_view what);

// OK, or why `db` cannot be used.
inline ashlar_code check(ashlar_db* db) {
  if (ASHLAR_LIKELY(db != nullptr && !from_c(db)->guard.forked())) return ASHLAR_OK;
  return refuse_database(db);
}

// OK, or why a snapshot cannot be used with `db`, which is in order. NULL is the present.
[[gnu::cold]] ashlar_code refuse_foreign_snapshot();
inline ashlar_code check(ashlar_db* db, const ashlar_snapshot* snapshot) {
  const bool fits = snapshot == nullptr || from_c(snapshot)->open_number == from_c(db)->open_number;
  return ASHLAR_LIKELY(fits) ? ASHLAR_OK : refuse_foreign_snapshot();
}

inline const store::Snapshot* store_snapshot(const ashlar_snapshot* snapshot) {
  return snapshot == nullptr ? nullptr : from_c(snapshot)->snapshot.get();
}

// A NULL pointer is the empty key or value, as long as the size says so too.
inline bool is_bytes(const void* data, size_t size_bytes) { return data != nullptr || size_bytes == 0; }
inline Bytes view(const void* data, size_t size_bytes) {
  return data == nullptr ? Bytes("") : Bytes(static_cast<const char*>(data), size_bytes);
}
[[gnu::cold]] ashlar_code refuse_bytes(std::string_view what);

}  // namespace ashlar::api
