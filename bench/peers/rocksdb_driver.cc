#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include "peers.h"

namespace ashlar::bench::peers {
namespace {

void check(const rocksdb::Status& status, const char* what) {
  if (!status.ok()) throw DriverError(fmt::format("{}: {}", what, status.ToString()));
}

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

rocksdb::Options make_options(const DriverOptions& options) {
  rocksdb::Options own;
  own.create_if_missing = true;
  own.write_buffer_size = options.write_buffer_bytes;
  own.max_write_buffer_number = 4;  // a full memtable is flushed beside the writer instead of stopping it
  own.IncreaseParallelism(2);       // the machine's two processors
  own.compression = rocksdb::kNoCompression;
  own.bottommost_compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  if (options.cache_bytes == 0) {
    table.no_block_cache = true;
  } else {
    table.block_cache = rocksdb::NewLRUCache(options.cache_bytes);
  }
  own.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return own;
}

class RocksDb : public Driver {
 public:
  [[nodiscard]] std::string version() const override {
    return fmt::format("{}.{}.{} " ASHLAR_BENCH_ROCKSDB_BUILD, ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
  }

  [[nodiscard]] Kept kept(Promise promise) const override {
    switch (promise) {
      case Promise::kNothing:
        return {Fit::kEqual, "no write-ahead log"};
      case Promise::kProcessCrash:
        return {Fit::kEqual, "write-ahead log, sync off"};
      case Promise::kPowerLoss:
        return {Fit::kEqual, "write-ahead log, sync on"};
    }
    return {};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
#if ROCKSDB_MAJOR >= 10
    check(rocksdb::DB::Open(make_options(options), options.directory.string(), &db_), "open");
#else
    rocksdb::DB* db = nullptr;
    check(rocksdb::DB::Open(make_options(options), options.directory.string(), &db), "open");
    db_.reset(db);
#endif
    write_options_.disableWAL = options.promise == Promise::kNothing;
    write_options_.sync = options.promise == Promise::kPowerLoss;
    settings_ = fmt::format(
        "4 memtables of {} MiB, block cache {} MiB, Bloom filter 10 bits, no compression, parallelism 2",
        options.write_buffer_bytes >> 20, options.cache_bytes >> 20);
  }

  void close() override {
    // Without a log a close would lose what is in memory.
    if (write_options_.disableWAL) check(db_->Flush(rocksdb::FlushOptions()), "flush");
    check(db_->Close(), "close");
    db_.reset();
  }

  void put(std::string_view key, std::string_view value) override {
    check(db_->Put(write_options_, slice(key), slice(value)), "put");
  }

  void write(std::span<const Entry> entries) override {
    batch_.Clear();
    for (const Entry& entry : entries) check(batch_.Put(slice(entry.key), slice(entry.value)), "batch put");
    check(db_->Write(write_options_, &batch_), "write");
  }

  void remove(std::string_view key) override { check(db_->Delete(write_options_, slice(key)), "remove"); }

  bool get(std::string_view key, ValueSink sink) override {
    rocksdb::PinnableSlice value;
    const rocksdb::Status status = db_->Get(read_options_, db_->DefaultColumnFamily(), slice(key), &value);
    if (status.IsNotFound()) return false;
    check(status, "get");
    sink(view(value));
    return true;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read_options_));
    uint64_t seen = 0;
    for (it->Seek(slice(from)); it->Valid() && seen < limit; it->Next(), ++seen)
      sink(view(it->key()), view(it->value()));
    check(it->status(), "scan");
    return seen;
  }

  void sync() override {
    if (write_options_.disableWAL) {
      check(db_->Flush(rocksdb::FlushOptions()), "flush");
    } else {
      check(db_->SyncWAL(), "sync");
    }
  }

  void drain() override {
    check(db_->Flush(rocksdb::FlushOptions()), "flush");
#if ROCKSDB_MAJOR >= 8
    check(db_->WaitForCompact(rocksdb::WaitForCompactOptions()), "wait for compaction");
#else
    wait_until_zero("rocksdb.num-running-compactions");
    wait_until_zero("rocksdb.compaction-pending");
    wait_until_zero("rocksdb.num-running-compactions");
#endif
  }

 private:
#if ROCKSDB_MAJOR < 8
  void wait_until_zero(const char* property) {
    uint64_t value = 1;
    while (db_->GetIntProperty(property, &value) && value != 0) ::usleep(1000);
  }
#endif

  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteOptions write_options_;
  rocksdb::ReadOptions read_options_;
  rocksdb::WriteBatch batch_;
  std::string settings_;
};

}  // namespace

std::vector<Engine> rocksdb_engines() {
  return {{"rocksdb", "WDO", [] { return std::make_unique<RocksDb>(); }}};
}

}  // namespace ashlar::bench::peers
