// Table C: what one call of Ashlar's C interface costs in the steady state. Nothing stands between the clock and the
// call but the loop; the time includes no clock reading per call.
#include <ashlar/ashlar.h>
#include <fmt/format.h>

#include "allocations.h"
#include "ashlar_engine.h"
#include "generate.h"
#include "scratch.h"
#include "stopwatch.h"

namespace ashlar::bench {
namespace {

constexpr size_t kKeys = 100'000;  // one delta holds them all
constexpr size_t kLeastKeys = 200;
constexpr size_t kBatch = 100;
constexpr size_t kWarmup = 1'000;  // first touches of pools and caches are not the steady state

void check(ashlar_code code, const char* what) {
  if (code != ASHLAR_OK)
    throw DriverError(fmt::format("{}: {}: {}", what, ashlar_code_name(code), ashlar_last_error()));
}

class Calls {
 public:
  Calls(Session& session, const std::filesystem::path& directory, size_t count)
      : session_(session),
        count_(count),
        keys_(random_keys(count)),
        absent_(absent_keys(count)),
        order_(shuffled_order(count)),
        value_(value_bytes(kSeed)) {
    ashlar_options options;
    ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
    options.compression = ASHLAR_COMPRESSION_NONE;
    options.block_cache_bytes = uint64_t{256} << 20;  // a hit in a run is a hit in its cache as well
    check(ashlar_open(directory.c_str(), &options, &db_), "open");
    batch_ = ashlar_batch_create();
    settings_ = fmt::format(
        "durable, delta {} MiB, block cache 256 MiB, no compression, {} keys of {} B, values of {} B",
        options.delta_bytes >> 20, count, kKeySize, kValueSize);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() {
    ashlar_batch_destroy(batch_);
    // Only after a failure that has already been reported is there still something to close.
    [[maybe_unused]] const ashlar_code code = ashlar_close(db_);
  }

  void run() {
    // The segments of a young database are small; grown ones are what lasts.
    put_all();
    check(ashlar_wait_idle(db_), "wait idle");

    measure("put", count_, 1, [&](size_t i) { put(order_[i]); });
    measure("get_hit_delta", count_, 1, [&](size_t i) { get(keys_[order_[i]], true); });
    measure("get_miss_delta_and_run", count_, 1, [&](size_t i) { get(absent_[order_[i]], false); });
    scan("scan_row_delta_and_run");

    check(ashlar_compact(db_), "compact");
    check(ashlar_wait_idle(db_), "wait idle");
    for (size_t i = 0; i < count_; ++i) get(keys_[i], true);  // into the cache
    measure("get_hit_run", count_, 1, [&](size_t i) { get(keys_[order_[i]], true); });
    measure("get_miss_run", count_, 1, [&](size_t i) { get(absent_[order_[i]], false); });
    scan("scan_row_run");

    measure("batch_100_put", count_ / kBatch, kBatch, [&](size_t i) { write(i * kBatch); });
    check(ashlar_close(std::exchange(db_, nullptr)), "close");
  }

 private:
  void put(size_t i) {
    const std::string_view key = keys_[i];
    check(ashlar_put(db_, 0, key.data(), key.size(), value_.data(), value_.size(), 0), "put");
  }

  void put_all() {
    for (size_t i = 0; i < count_; ++i) put(i);
  }

  void get(std::string_view key, bool there) {
    ashlar_value value;
    const ashlar_code code = ashlar_get(db_, nullptr, 0, key.data(), key.size(), &value);
    if (code != (there ? ASHLAR_OK : ASHLAR_NOT_FOUND))
      throw DriverError(fmt::format("get {}: {}", key, ashlar_code_name(code)));
    if (there && value.size != value_.size())
      throw DriverError(fmt::format("get {}: {} bytes", key, value.size));
    ashlar_value_release(&value);
  }

  void write(size_t first) {
    ashlar_batch_clear(batch_);
    for (size_t i = first; i < first + kBatch; ++i) {
      const std::string_view key = keys_[i];
      check(ashlar_batch_put(batch_, 0, key.data(), key.size(), value_.data(), value_.size()), "batch put");
    }
    check(ashlar_write(db_, batch_, 0), "write");
  }

  void scan(std::string_view name) {
    ashlar_iterator* iterator = nullptr;
    check(ashlar_iterator_create(db_, nullptr, 0, nullptr, &iterator), "iterator");
    size_t rows = ashlar_iterator_first(iterator) != 0 ? 1 : 0;
    uint64_t bytes = 0;
    measure(name, count_, 1, [&](size_t) {
      bytes += ashlar_iterator_key(iterator).size + ashlar_iterator_value(iterator).size;
      rows += ashlar_iterator_next(iterator) != 0 ? 1 : 0;
    });
    const ashlar_code code = ashlar_iterator_status(iterator);
    ashlar_iterator_destroy(iterator);
    check(code, "scan");
    if (rows != count_ || bytes != count_ * (kKeySize + kValueSize)) {
      throw DriverError(fmt::format("{}: {} rows and {} bytes", name, rows, bytes));
    }
  }

  // `items` per call, so that a batch is quoted per key. The calls before the warm-up's end are made but not counted.
  template <class Call>
  void measure(std::string_view name, size_t calls, size_t items, Call&& call) {
    const size_t warmup = std::min(kWarmup / items, calls / 2);
    for (size_t i = 0; i < warmup; ++i) call(i);
    start_counting_allocations();
    const uint64_t ns = time_once([&] {
      for (size_t i = warmup; i < calls; ++i) call(i);
    });
    const Allocations allocations = stop_counting_allocations();
    const double counted = static_cast<double>((calls - warmup) * items);
    Row& row = session_.results().row("C", name, "ashlar");
    row.version = ashlar_version();
    row.preset = preset_name(Promise::kProcessCrash);
    row.settings = settings_;
    row.kept.how = "preset durable";
    row.add("ns_per_call", "ns", static_cast<double>(ns) / counted);
    if (!can_count_allocations()) {
      row.remark("allocations are not counted in this build");
      return;
    }
    row.add("allocations_per_call", "1", static_cast<double>(allocations.caller) / counted);
    row.add("allocations_per_call_process", "1", static_cast<double>(allocations.process) / counted);
  }

  Session& session_;
  size_t count_;
  Strings keys_;
  Strings absent_;
  std::vector<size_t> order_;
  std::string value_;
  std::string settings_;
  ashlar_db* db_ = nullptr;
  ashlar_batch* batch_ = nullptr;
};

}  // namespace

void run_table_c(Session& session) {
  const size_t count = session.scaled(kKeys, kLeastKeys);
  for (int round = 0; round < session.settings().rounds; ++round) {
    const FreshDirectory directory(session.settings().directory, "ashlar");
    settle_machine();
    try {
      Calls(session, directory.path(), count).run();
    } catch (const std::exception& error) {
      session.results().row("C", "put", "ashlar").problems.push_back(error.what());
    }
  }
}

}  // namespace ashlar::bench
