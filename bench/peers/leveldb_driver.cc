#include <fmt/format.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/options.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include "peers.h"

namespace ashlar::bench::peers {
namespace {

void check(const leveldb::Status& status, const char* what) {
  if (!status.ok()) throw DriverError(fmt::format("{}: {}", what, status.ToString()));
}

leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

std::string_view view(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

class LevelDb : public Driver {
 public:
  [[nodiscard]] std::string version() const override {
    return fmt::format("{}.{} " ASHLAR_BENCH_LEVELDB_BUILD, leveldb::kMajorVersion, leveldb::kMinorVersion);
  }

  [[nodiscard]] Kept kept(Promise promise) const override {
    switch (promise) {
      case Promise::kNothing:
        return {Fit::kStronger, "write-ahead log, sync off: its log cannot be switched off"};
      case Promise::kProcessCrash:
        return {Fit::kEqual, "write-ahead log, sync off"};
      case Promise::kPowerLoss:
        return {Fit::kEqual, "write-ahead log, sync on"};
    }
    return {};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    leveldb::Options own;
    own.create_if_missing = true;
    own.write_buffer_size = options.write_buffer_bytes;
    own.compression = leveldb::kNoCompression;
    cache_.reset(leveldb::NewLRUCache(options.cache_bytes));
    filter_.reset(leveldb::NewBloomFilterPolicy(10));
    own.block_cache = cache_.get();
    own.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    check(leveldb::DB::Open(own, options.directory.string(), &db), "open");
    db_.reset(db);
    write_options_.sync = options.promise == Promise::kPowerLoss;
    settings_ = fmt::format("memtable {} MiB, block cache {} MiB, Bloom filter 10 bits, no compression",
                            options.write_buffer_bytes >> 20, options.cache_bytes >> 20);
  }

  void close() override { db_.reset(); }

  void put(std::string_view key, std::string_view value) override {
    check(db_->Put(write_options_, slice(key), slice(value)), "put");
  }

  void write(std::span<const Entry> entries) override {
    batch_.Clear();
    for (const Entry& entry : entries) batch_.Put(slice(entry.key), slice(entry.value));
    check(db_->Write(write_options_, &batch_), "write");
  }

  void remove(std::string_view key) override { check(db_->Delete(write_options_, slice(key)), "remove"); }

  bool get(std::string_view key, ValueSink sink) override {
    const leveldb::Status status = db_->Get(read_options_, slice(key), &value_);
    if (status.IsNotFound()) return false;
    check(status, "get");
    sink(value_);
    return true;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read_options_));
    uint64_t seen = 0;
    for (it->Seek(slice(from)); it->Valid() && seen < limit; it->Next(), ++seen)
      sink(view(it->key()), view(it->value()));
    check(it->status(), "scan");
    return seen;
  }

  // An empty batch with sync on syncs the log behind everything before it.
  void sync() override {
    leveldb::WriteOptions synced;
    synced.sync = true;
    leveldb::WriteBatch empty;
    check(db_->Write(synced, &empty), "sync");
  }

  // There is no flush call. CompactRange flushes the memtable first; over a range that holds no key that is all it
  // does. Then level 0 is left until the engine's own trigger (four files) no longer holds.
  void drain() override {
    const std::string beyond(64, '\xff');
    const leveldb::Slice from(beyond);
    db_->CompactRange(&from, &from);
    std::string files = "4";
    while (db_->GetProperty("leveldb.num-files-at-level0", &files) && std::stoi(files) >= 4) ::usleep(1000);
  }

 private:
  // The database goes before the cache and the filter that it borrows.
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteOptions write_options_;
  leveldb::ReadOptions read_options_;
  leveldb::WriteBatch batch_;
  std::string value_;
  std::string settings_;
};

}  // namespace

std::vector<Engine> leveldb_engines() {
  return {{"leveldb", "WDO", [] { return std::make_unique<LevelDb>(); }}};
}

}  // namespace ashlar::bench::peers
