#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "peers.h"

namespace ashlar::bench::peers {
namespace {

enum class Place { kFile, kMemory };

// Small rows are quickest in the primary key's own tree. A row of 400 bytes makes that tree deep: then a table with an
// index beside it wins where keys are random, and the other where they are not. Both take part.
enum class Layout { kRowid, kWithoutRowid };

// One prepared statement; bindings borrow the caller's bytes until reset.
class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void prepare(sqlite3* db, const char* sql) {
    sqlite3_finalize(std::exchange(statement_, nullptr));
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) {
      throw DriverError(fmt::format("{}: {}", sql, sqlite3_errmsg(db)));
    }
  }
  void finalize() { sqlite3_finalize(std::exchange(statement_, nullptr)); }

  void bind(int index, std::string_view bytes) {
    // A null pointer would bind NULL instead of the empty blob.
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    sqlite3_bind_blob64(statement_, index, data, bytes.size(), SQLITE_STATIC);
  }
  void bind(int index, int64_t number) { sqlite3_bind_int64(statement_, index, number); }

  // Whether there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    throw DriverError(fmt::format("step: {}", sqlite3_errmsg(sqlite3_db_handle(statement_))));
  }
  void reset() { sqlite3_reset(statement_); }
  void run() {
    step();
    reset();
  }

  [[nodiscard]] std::string_view bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data), static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }
  [[nodiscard]] int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class Sqlite : public Driver {
 public:
  Sqlite(Place place, Layout layout) : place_(place), layout_(layout) {}
  ~Sqlite() override { release(); }

  [[nodiscard]] std::string version() const override {
    return fmt::format("{} " ASHLAR_BENCH_SQLITE_BUILD, sqlite3_libversion());
  }

  [[nodiscard]] Kept kept(Promise promise) const override {
    if (place_ == Place::kMemory)
      return {promise == Promise::kNothing ? Fit::kEqual : Fit::kWeaker, ":memory:"};
    switch (promise) {
      case Promise::kNothing:
        return {Fit::kEqual, "journal_mode=MEMORY, synchronous=OFF"};
      case Promise::kProcessCrash:
        return {Fit::kEqual, "journal_mode=WAL, synchronous=OFF"};
      case Promise::kPowerLoss:
        return {Fit::kEqual, "journal_mode=WAL, synchronous=FULL"};
    }
    return {};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    file_ = place_ == Place::kMemory ? ":memory:" : (options.directory / "bench.sqlite").string();
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(file_.c_str(), &db_, flags, nullptr) != SQLITE_OK) throw DriverError("open " + file_);
    const uint64_t cache_bytes = options.write_buffer_bytes + options.cache_bytes;
    const std::string pragmas = fmt::format(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-{}; PRAGMA journal_mode={}; PRAGMA "
        "synchronous={}; "
        "PRAGMA wal_autocheckpoint={};",
        cache_bytes >> 10, options.promise == Promise::kNothing ? "MEMORY" : "WAL",
        options.promise == Promise::kPowerLoss ? "FULL" : "OFF", options.write_buffer_bytes / 4096);
    run(pragmas);
    const std::string layout = layout_ == Layout::kWithoutRowid ? " WITHOUT ROWID" : "";
    run("CREATE TABLE IF NOT EXISTS kv(key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL)" + layout + ";");
    begin_.prepare(db_, "BEGIN");
    commit_.prepare(db_, "COMMIT");
    // Several times faster on an existing key than REPLACE, which deletes the row first.
    put_.prepare(
        db_,
        "INSERT INTO kv(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value");
    remove_.prepare(db_, "DELETE FROM kv WHERE key = ?1");
    get_.prepare(db_, "SELECT value FROM kv WHERE key = ?1");
    scan_.prepare(db_, "SELECT key, value FROM kv WHERE key >= ?1 ORDER BY key LIMIT ?2");
    count_.prepare(db_, "SELECT COUNT(*) FROM kv");
    settings_ = "prepared statements, table" + layout + ", " + pragmas;
  }

  void close() override { release(); }

  void put(std::string_view key, std::string_view value) override {
    put_.bind(1, key);
    put_.bind(2, value);
    put_.run();
  }

  void write(std::span<const Entry> entries) override {
    begin_.run();
    for (const Entry& entry : entries) put(entry.key, entry.value);
    commit_.run();
  }

  void remove(std::string_view key) override {
    remove_.bind(1, key);
    remove_.run();
  }

  bool get(std::string_view key, ValueSink sink) override {
    get_.bind(1, key);
    const bool found = get_.step();
    if (found) sink(get_.bytes(0));
    get_.reset();
    return found;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    scan_.bind(1, from);
    scan_.bind(2, limit == kNoLimit ? -1 : static_cast<int64_t>(limit));
    uint64_t seen = 0;
    for (; scan_.step(); ++seen) sink(scan_.bytes(0), scan_.bytes(1));
    scan_.reset();
    return seen;
  }

  std::optional<uint64_t> count_natively() override {
    count_.step();
    const auto count = static_cast<uint64_t>(count_.number(0));
    count_.reset();
    return count;
  }

  // synchronous=OFF leaves out the syncs of a checkpoint too; the file is synced here.
  void sync() override {
    if (place_ == Place::kMemory) return;
    run("PRAGMA wal_checkpoint(TRUNCATE);");
    const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::fdatasync(fd) != 0) throw DriverError("sync " + file_);
    ::close(fd);
  }

  void drain() override { sync(); }

 private:
  void run(const std::string& sql) {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw DriverError(fmt::format("{}: {}", sql, sqlite3_errmsg(db_)));
    }
  }

  void release() {
    for (Statement* statement : {&begin_, &commit_, &put_, &remove_, &get_, &scan_, &count_})
      statement->finalize();
    if (db_ != nullptr) sqlite3_close(std::exchange(db_, nullptr));
  }

  Place place_;
  Layout layout_;
  std::string file_;
  std::string settings_;
  sqlite3* db_ = nullptr;
  Statement begin_, commit_, put_, remove_, get_, scan_, count_;
};

}  // namespace

std::vector<Engine> sqlite_engines() {
  return {
      {"sqlite", "WDO", [] { return std::make_unique<Sqlite>(Place::kFile, Layout::kRowid); }},
      {"sqlite_without_rowid", "WD",
       [] { return std::make_unique<Sqlite>(Place::kFile, Layout::kWithoutRowid); }},
      {"sqlite_memory", "D", [] { return std::make_unique<Sqlite>(Place::kMemory, Layout::kWithoutRowid); }}};
}

}  // namespace ashlar::bench::peers
