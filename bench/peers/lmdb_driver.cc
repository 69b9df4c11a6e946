#include <fmt/format.h>
#include <lmdb.h>

#include "peers.h"

namespace ashlar::bench::peers {
namespace {

constexpr size_t kMapBytes = size_t{4} << 30;

void check(int code, const char* what) {
  if (code != MDB_SUCCESS) throw DriverError(fmt::format("{}: {}", what, mdb_strerror(code)));
}

MDB_val value_of(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }

std::string_view view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

class Lmdb : public Driver {
 public:
  explicit Lmdb(unsigned extra_flags) : extra_flags_(extra_flags) {}
  ~Lmdb() override { release(); }

  [[nodiscard]] std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    mdb_version(&major, &minor, &patch);
    return fmt::format("{}.{}.{} " ASHLAR_BENCH_LMDB_BUILD, major, minor, patch);
  }

  [[nodiscard]] Kept kept(Promise promise) const override {
    if (promise == Promise::kPowerLoss) return {Fit::kEqual, "synced commits"};
    return {promise == Promise::kNothing ? Fit::kStronger : Fit::kEqual,
            "MDB_NOSYNC: every commit is in the page cache"};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    const unsigned unsynced = options.promise == Promise::kPowerLoss ? 0 : MDB_NOSYNC;
    check(mdb_env_create(&env_), "create");
    check(mdb_env_set_mapsize(env_, kMapBytes), "map size");
    check(mdb_env_open(env_, options.directory.c_str(), unsynced | extra_flags_ | MDB_NORDAHEAD, 0644),
          "open");
    MDB_txn* txn = nullptr;
    check(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    check(mdb_dbi_open(txn, nullptr, MDB_CREATE, &dbi_), "database");
    check(mdb_txn_commit(txn), "commit");
    check(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &read_), "begin read");
    mdb_txn_reset(read_);
    settings_ = fmt::format(
        "map {} GiB, {}{}MDB_NORDAHEAD, one transaction per commit, read transaction renewed per get",
        kMapBytes >> 30, unsynced != 0 ? "MDB_NOSYNC, " : "",
        (extra_flags_ & MDB_WRITEMAP) != 0 ? "MDB_WRITEMAP, " : "");
  }

  void close() override { release(); }

  void put(std::string_view key, std::string_view value) override {
    const Entry entry{key, value};
    write({&entry, 1});
  }

  void write(std::span<const Entry> entries) override {
    MDB_txn* txn = nullptr;
    check(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    for (const Entry& entry : entries) {
      MDB_val key = value_of(entry.key);
      MDB_val value = value_of(entry.value);
      abort_unless(txn, mdb_put(txn, dbi_, &key, &value, 0), "put");
    }
    check(mdb_txn_commit(txn), "commit");
  }

  void remove(std::string_view key) override {
    MDB_txn* txn = nullptr;
    check(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    MDB_val wanted = value_of(key);
    const int code = mdb_del(txn, dbi_, &wanted, nullptr);
    if (code != MDB_NOTFOUND) abort_unless(txn, code, "remove");
    check(mdb_txn_commit(txn), "commit");
  }

  bool get(std::string_view key, ValueSink sink) override {
    check(mdb_txn_renew(read_), "renew");
    MDB_val wanted = value_of(key);
    MDB_val value;
    const int code = mdb_get(read_, dbi_, &wanted, &value);
    if (code == MDB_SUCCESS) sink(view(value));
    mdb_txn_reset(read_);
    if (code == MDB_NOTFOUND) return false;
    check(code, "get");
    return true;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    check(mdb_txn_renew(read_), "renew");
    MDB_cursor* cursor = nullptr;
    int code = mdb_cursor_open(read_, dbi_, &cursor);
    uint64_t seen = 0;
    if (code == MDB_SUCCESS) {
      MDB_val key = value_of(from);
      MDB_val value;
      MDB_cursor_op move = from.empty() ? MDB_FIRST : MDB_SET_RANGE;
      while (seen < limit && (code = mdb_cursor_get(cursor, &key, &value, move)) == MDB_SUCCESS) {
        sink(view(key), view(value));
        ++seen;
        move = MDB_NEXT;
      }
      mdb_cursor_close(cursor);
    }
    mdb_txn_reset(read_);
    if (code != MDB_NOTFOUND) check(code, "scan");
    return seen;
  }

  void sync() override { check(mdb_env_sync(env_, 1), "sync"); }

  // Nothing is merged behind the caller's back; what is put off is the sync.
  void drain() override { sync(); }

 private:
  static void abort_unless(MDB_txn* txn, int code, const char* what) {
    if (code == MDB_SUCCESS) return;
    mdb_txn_abort(txn);
    check(code, what);
  }

  void release() {
    if (read_ != nullptr) mdb_txn_abort(std::exchange(read_, nullptr));
    if (env_ != nullptr) mdb_env_close(std::exchange(env_, nullptr));
  }

  unsigned extra_flags_;
  MDB_env* env_ = nullptr;
  MDB_txn* read_ = nullptr;
  MDB_dbi dbi_ = 0;
  std::string settings_;
};

}  // namespace

std::vector<Engine> lmdb_engines() {
  return {{"lmdb", "WDO", [] { return std::make_unique<Lmdb>(0u); }},
          {"lmdb_writemap", "WDO", [] { return std::make_unique<Lmdb>(unsigned{MDB_WRITEMAP}); }}};
}

}  // namespace ashlar::bench::peers
