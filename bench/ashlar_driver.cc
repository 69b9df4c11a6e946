#include <ashlar/ashlar.h>
#include <fmt/format.h>

#include "ashlar_engine.h"

namespace ashlar::bench {
namespace {

void check(ashlar_code code, const char* what) {
  if (code != ASHLAR_OK)
    throw DriverError(fmt::format("{}: {}: {}", what, ashlar_code_name(code), ashlar_last_error()));
}

ashlar_preset preset_of(Promise promise) {
  switch (promise) {
    case Promise::kNothing:
      return ASHLAR_PRESET_FAST;
    case Promise::kProcessCrash:
      return ASHLAR_PRESET_DURABLE;
    case Promise::kPowerLoss:
      return ASHLAR_PRESET_PARANOID;
  }
  return ASHLAR_PRESET_DURABLE;
}

class AshlarDriver : public Driver {
 public:
  ~AshlarDriver() override {
    ashlar_batch_destroy(batch_);
    // Only after a failure that has already been reported is there still something to close.
    [[maybe_unused]] const ashlar_code code = ashlar_close(db_);
  }

  [[nodiscard]] std::string version() const override { return ashlar_version(); }

  [[nodiscard]] Kept kept(Promise promise) const override {
    return {Fit::kEqual, fmt::format("preset {}", preset_name(promise))};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    ashlar_options own;
    ashlar_options_init(&own, preset_of(options.promise));
    own.compression = ASHLAR_COMPRESSION_NONE;
    own.delta_bytes = options.write_buffer_bytes;
    own.block_cache_bytes = options.cache_bytes;
    check(ashlar_open(options.directory.c_str(), &own, &db_), "open");
    if (batch_ == nullptr) batch_ = ashlar_batch_create();
    settings_ =
        fmt::format("C interface, delta {} MiB, block cache {} MiB, no compression, sync interval {} ms",
                    own.delta_bytes >> 20, own.block_cache_bytes >> 20, own.sync_interval_ms);
  }

  void close() override { check(ashlar_close(std::exchange(db_, nullptr)), "close"); }

  void put(std::string_view key, std::string_view value) override {
    check(ashlar_put(db_, 0, key.data(), key.size(), value.data(), value.size(), 0), "put");
  }

  void write(std::span<const Entry> entries) override {
    ashlar_batch_clear(batch_);
    for (const Entry& entry : entries) {
      check(ashlar_batch_put(batch_, 0, entry.key.data(), entry.key.size(), entry.value.data(),
                             entry.value.size()),
            "batch put");
    }
    check(ashlar_write(db_, batch_, 0), "write");
  }

  void remove(std::string_view key) override {
    check(ashlar_remove(db_, 0, key.data(), key.size(), 0), "remove");
  }

  bool get(std::string_view key, ValueSink sink) override {
    ashlar_value value;
    const ashlar_code code = ashlar_get(db_, nullptr, 0, key.data(), key.size(), &value);
    if (code == ASHLAR_NOT_FOUND) return false;
    check(code, "get");
    sink(std::string_view(static_cast<const char*>(value.data), value.size));
    ashlar_value_release(&value);
    return true;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    ashlar_iterator* iterator = nullptr;
    check(ashlar_iterator_create(db_, nullptr, 0, nullptr, &iterator), "iterator");
    uint64_t seen = 0;
    int there = ashlar_iterator_seek(iterator, from.data(), from.size());
    while (there != 0 && seen < limit) {
      const ashlar_bytes key = ashlar_iterator_key(iterator);
      const ashlar_bytes value = ashlar_iterator_value(iterator);
      sink({static_cast<const char*>(key.data), key.size},
           {static_cast<const char*>(value.data), value.size});
      ++seen;
      there = ashlar_iterator_next(iterator);
    }
    const ashlar_code code = ashlar_iterator_status(iterator);
    ashlar_iterator_destroy(iterator);
    check(code, "scan");
    return seen;
  }

  void sync() override { check(ashlar_sync(db_), "sync"); }

  void drain() override { check(ashlar_wait_idle(db_), "wait idle"); }

 private:
  ashlar_db* db_ = nullptr;
  ashlar_batch* batch_ = nullptr;
  std::string settings_;
};

}  // namespace

std::vector<Engine> ashlar_engines() {
  return {{"ashlar", "WDO", [] { return std::make_unique<AshlarDriver>(); }}};
}

}  // namespace ashlar::bench
