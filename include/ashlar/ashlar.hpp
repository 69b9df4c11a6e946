// Ashlar: an embedded database. One library, one directory on disk. This is the C++20 interface: header-only, over
// the C interface, which says limits, threads and durability in full (ashlar.h).
//
//   #include <ashlar/ashlar.hpp>
//   namespace ash = ashlar;
//
//   ash::Db db = ash::Db::open("inventory").value();        // durable(): survives kill -9
//   db.put("apple/green", "12").check();
//   if (auto v = db.get("apple/green").value()) use(*v);    // a view; pinned while v lives, no copy
//   ash::WriteBatch batch;
//   batch.put("apple/red", "7").remove("pear");
//   db.write(batch, ash::sync).check();                     // this one survives a power cut as well
//   for (auto [key, value] : db.prefix("apple/")) use(key, value);
//   ash::Snapshot before = db.snapshot();
//
// Who can what:
//   Reader     get, contains, scan, range, prefix, iterator          of one keyspace, now or at a snapshot
//   Writer     and put, insert, remove, insert_many
//   Db         a Writer of the default keyspace; opens, closes, writes batches, makes the others, looks after itself
//   Keyspace   a Writer of the keyspace it names                      a handle: copy it freely
//   Snapshot   a Reader of the default keyspace as it was             a handle: copy it freely
//
// I1 Errors are values (cpp/error.hpp); a scan's errors cannot be missed (cpp/scan.hpp); nothing throws unless asked.
// I2 A handle that was moved from, or whose Db was closed, fails with Code::closed. It never crashes.
// I3 Iterators and values outlive the Db: they go on showing what they showed, and keep its memory and its lock.
// Threads: Db, Keyspace, Snapshot and Reader may be used from any number at once, close() and moving excepted.
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/batch.hpp>
#include <ashlar/cpp/bytes.hpp>
#include <ashlar/cpp/error.hpp>
#include <ashlar/cpp/options.hpp>
#include <ashlar/cpp/scan.hpp>
#include <ashlar/cpp/source.hpp>
#include <ashlar/cpp/stats.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

class Reader {
 public:
  Reader() = default;
  explicit Reader(detail::Source source) noexcept : source_(std::move(source)) {}

  // Empty where there is no such key.
  Result<std::optional<Value>> get(Bytes key) const {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    std::optional<Value> value(std::in_place);
    const ashlar_code code =
        ashlar_get(db, source_.at(), source_.keyspace, key.data(), key.size(), value->c());
    if (code == ASHLAR_OK) return value;
    if (code == ASHLAR_NOT_FOUND) return std::optional<Value>();
    return detail::last_error(code);
  }
  Result<bool> contains(Bytes key) const {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    const ashlar_code code = ashlar_contains(db, source_.at(), source_.keyspace, key.data(), key.size());
    if (code == ASHLAR_OK) return true;
    if (code == ASHLAR_NOT_FOUND) return false;
    return detail::last_error(code);
  }

  // For loops; see cpp/scan.hpp. `lower` is included, `upper` excluded; an upper bound before the lower is an empty range.
  Scan scan() const { return scan(ScanOptions{}); }
  Scan scan(ScanOptions options) const {
    return Scan({source_, std::move(options), detail::Direction::forward});
  }
  Scan range(Bytes lower, Bytes upper) const {
    ScanOptions options;
    options.lower = std::string(lower);
    options.upper = std::string(upper);
    return scan(std::move(options));
  }
  Scan prefix(Bytes prefix) const {
    ScanOptions options;
    options.prefix = std::string(prefix);
    return scan(std::move(options));
  }
  // For moving about.
  Result<Iterator> iterator(const ScanOptions& options = {}) const {
    return detail::create_iterator(source_, options);
  }
  bool shares_database_with(const Reader& other) const noexcept {
    return source_.database == other.source_.database;
  }

 protected:
  detail::Source source_;
};

class Writer : public Reader {
 public:
  using Reader::Reader;

  // Sets or replaces.
  Status put(Bytes key, Bytes value, WriteFlags flags = WriteFlags::none) {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    return detail::to_status(ashlar_put(db, source_.keyspace, key.data(), key.size(), value.data(),
                                        value.size(), static_cast<std::uint32_t>(flags)));
  }
  Status insert(Bytes key, Bytes value, WriteFlags flags = WriteFlags::none) {
    return put(key, value, flags);
  }
  // ok as well where there was none.
  Status remove(Bytes key, WriteFlags flags = WriteFlags::none) {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    return detail::to_status(
        ashlar_remove(db, source_.keyspace, key.data(), key.size(), static_cast<std::uint32_t>(flags)));
  }

  // Puts the pairs of any input range in bounded memory, in order, as a series of atomic batches of about 1 MiB. On an error
  // `*written` tells how many, from the front, are in.
  template <std::ranges::input_range Pairs>
  Status insert_many(Pairs&& pairs, WriteFlags flags = WriteFlags::none, std::size_t* written = nullptr) {
    constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
    std::size_t done = 0;
    std::size_t gathered_bytes = 0;
    WriteBatch batch;
    Status status;
    if (written != nullptr) *written = 0;
    const auto commit = [&] {
      status = write_batch(batch, flags);
      if (status.ok()) done += batch.count();
      if (written != nullptr) *written = done;
      batch.clear();
      gathered_bytes = 0;
      return status.ok();
    };
    for (auto&& pair : pairs) {
      const auto& [key, value] = pair;
      const Bytes key_bytes(key);
      const Bytes value_bytes(value);
      batch.put_in(source_.keyspace, key_bytes, value_bytes);
      gathered_bytes += key_bytes.size() + value_bytes.size();
      if ((gathered_bytes >= kBatchBytes || !batch.status().ok()) && !commit()) return status;
    }
    commit();
    return status;
  }

 protected:
  Status write_batch(const WriteBatch& batch, WriteFlags flags) {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    if (!batch.status().ok()) return batch.status();
    if (batch.c() == nullptr) return Status();
    return detail::to_status(ashlar_write(db, batch.c(), static_cast<std::uint32_t>(flags)));
  }
};

// An independent ordered map inside the database. From Db::keyspace().
class Keyspace : public Writer {
 public:
  Keyspace() = default;
  Keyspace(detail::Source source, std::string name) : Writer(std::move(source)), name_(std::move(name)) {}
  const std::string& name() const noexcept { return name_; }
  ashlar_keyspace id() const noexcept { return source_.keyspace; }

 private:
  std::string name_;
};

inline WriteBatch& WriteBatch::put(const Keyspace& keyspace, Bytes key, Bytes value) {
  return put_in(keyspace.id(), key, value);
}
inline WriteBatch& WriteBatch::insert(const Keyspace& keyspace, Bytes key, Bytes value) {
  return put_in(keyspace.id(), key, value);
}
inline WriteBatch& WriteBatch::remove(const Keyspace& keyspace, Bytes key) {
  return remove_in(keyspace.id(), key);
}

// The database as it was when the snapshot was taken. Holds back the space of what is overwritten. Where taking it
// failed, status() and every read tell why.
class Snapshot : public Reader {
 public:
  using Reader::Reader;

  Status status() const { return source_.db() != nullptr ? Status() : Status(source_.refusal()); }
  // Mutations committed before it; 0 where it failed.
  std::uint64_t sequence() const noexcept { return ashlar_snapshot_sequence(source_.at()); }
  // Another keyspace at the same moment.
  Reader keyspace(const Keyspace& keyspace) const;
  // Gives up this handle's hold; copies keep theirs.
  void release() { source_ = {}; }
};

class Db : public Writer {
 public:
  // A closed handle.
  Db() = default;
  Db(Db&&) noexcept = default;
  Db& operator=(Db&& other) noexcept {
    if (this != &other) {
      close_quietly();
      source_ = std::move(other.source_);
    }
    return *this;
  }
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;
  // Closes; close() is how to learn whether all went well.
  ~Db() { close_quietly(); }

  // Opens the directory, creating it unless create_if_missing(false). Errors: busy, corruption, unsupported_format,
  // invalid_argument, io, no_space.
  static Result<Db> open(const std::string& directory, const Options& options = durable()) {
    ashlar_db* db = nullptr;
    const ashlar_code code = ashlar_open(directory.c_str(), &options.c(), &db);
    if (code != ASHLAR_OK) return detail::last_error(code);
    return Db(db);
  }
  bool is_open() const noexcept { return source_.db() != nullptr; }
  // Makes everything acknowledged durable against power loss and lets go of the directory. The handle is closed
  // whatever the status says. Closing a closed handle is Code::closed.
  Status close() {
    if (source_.db() == nullptr) return source_.refusal();
    return detail::to_status(source_.database->close());
  }

  // All of it or nothing. The batch is unchanged and may be written again.
  Status write(const WriteBatch& batch, WriteFlags flags = WriteFlags::none) {
    return write_batch(batch, flags);
  }
  // All keyspaces at this moment.
  Snapshot snapshot() const;

  // Finds or creates; durable on return.
  Result<Keyspace> keyspace(Bytes name);
  // Empty where there is none.
  Result<std::optional<Keyspace>> find_keyspace(Bytes name) const;
  // Drops it with everything in it; the handle and its copies fail afterwards. Snapshots made before still see it.
  Status drop(const Keyspace& keyspace);
  // In order of creation, the default one first.
  Result<std::vector<Keyspace>> keyspaces() const;

  // Makes everything acknowledged durable against power loss.
  Status sync() { return upkeep(ashlar_sync); }
  // Moves everything in memory into sorted runs.
  Status flush() { return upkeep(ashlar_flush); }
  // Flushes, then merges all runs, dropping what no snapshot can see.
  Status compact() { return upkeep(ashlar_compact); }
  // Flushes, then waits until no background work is due.
  Status wait_idle() { return upkeep(ashlar_wait_idle); }
  // Reads every byte and checks every checksum, order and count.
  Status verify() { return upkeep(ashlar_verify); }
  Result<Stats> stats() const;
  // The last failure of background work; "" where the last attempt succeeded.
  std::string background_error() const;

 private:
  explicit Db(ashlar_db* db) { source_.database = std::make_shared<detail::DatabaseHandle>(db); }
  void close_quietly() {
    if (source_.database != nullptr && source_.database->close() != ASHLAR_OK) return;
  }
  Status upkeep(ashlar_code (*operation)(ashlar_db*)) {
    ashlar_db* const db = source_.db();
    if (db == nullptr) return source_.refusal();
    return detail::to_status(operation(db));
  }
  detail::Source in_keyspace(ashlar_keyspace keyspace) const {
    detail::Source source = source_;
    source.keyspace = keyspace;
    return source;
  }
};

inline Reader Snapshot::keyspace(const Keyspace& keyspace) const {
  detail::Source source = source_;
  source.keyspace = keyspace.id();
  if (source.failure == nullptr && !shares_database_with(keyspace)) {
    source.failure = std::make_shared<const Error>(
        Error{Code::invalid_argument, "keyspace '" + keyspace.name() + "' belongs to another database"});
  }
  return Reader(std::move(source));
}

inline Snapshot Db::snapshot() const {
  detail::Source source = source_;
  ashlar_db* const db = source_.db();
  if (db == nullptr) return Snapshot(std::move(source));
  ashlar_snapshot* snapshot = nullptr;
  const ashlar_code code = ashlar_snapshot_create(db, &snapshot);
  if (code == ASHLAR_OK) {
    source.snapshot = std::make_shared<detail::SnapshotHandle>(snapshot);
  } else {
    source.failure = std::make_shared<const Error>(detail::last_error(code));
  }
  return Snapshot(std::move(source));
}

inline Result<Keyspace> Db::keyspace(Bytes name) {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal();
  ashlar_keyspace id = 0;
  const ashlar_code code = ashlar_keyspace_create(db, name.data(), name.size(), &id);
  if (code != ASHLAR_OK) return detail::last_error(code);
  return Keyspace(in_keyspace(id), std::string(name));
}

inline Result<std::optional<Keyspace>> Db::find_keyspace(Bytes name) const {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal();
  ashlar_keyspace id = 0;
  const ashlar_code code = ashlar_keyspace_find(db, name.data(), name.size(), &id);
  if (code == ASHLAR_NOT_FOUND) return std::optional<Keyspace>();
  if (code != ASHLAR_OK) return detail::last_error(code);
  return std::optional<Keyspace>(Keyspace(in_keyspace(id), std::string(name)));
}

inline Status Db::drop(const Keyspace& keyspace) {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal();
  if (!shares_database_with(keyspace)) {
    return Error{Code::invalid_argument, "keyspace '" + keyspace.name() + "' belongs to another database"};
  }
  return detail::to_status(ashlar_keyspace_drop(db, keyspace.id()));
}

inline Result<std::vector<Keyspace>> Db::keyspaces() const {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal();
  std::vector<std::pair<ashlar_keyspace, std::string>> found;
  const auto note = [](void* context, ashlar_keyspace id, const char* name, std::size_t size) {
    static_cast<decltype(found)*>(context)->emplace_back(id, std::string(name, size));
  };
  const ashlar_code code = ashlar_keyspace_list(db, note, &found);
  if (code != ASHLAR_OK) return detail::last_error(code);
  std::vector<Keyspace> keyspaces;
  for (auto& [id, name] : found) keyspaces.emplace_back(in_keyspace(id), std::move(name));
  return keyspaces;
}

inline Result<Stats> Db::stats() const {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal();
  Stats stats = {};
  stats.struct_size = sizeof(ashlar_stats);
  const ashlar_code code = ashlar_get_stats(db, &stats);
  if (code != ASHLAR_OK) return detail::last_error(code);
  return stats;
}

inline std::string Db::background_error() const {
  ashlar_db* const db = source_.db();
  if (db == nullptr) return source_.refusal().message;
  char text[1024];
  ashlar_background_error(db, text, sizeof text);
  return text;
}

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
