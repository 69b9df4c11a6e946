#include <fmt/format.h>

#include "peers.h"
#include "rust_peers.h"

namespace ashlar::bench::peers {
namespace {

void check(int outcome, const char* what) {
  if (outcome < 0) throw DriverError(fmt::format("{}: {}", what, ashpeer_error()));
}

const uint8_t* bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

std::string_view view(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

class RustDriver : public Driver {
 public:
  explicit RustDriver(std::string name) : name_(std::move(name)) {}
  ~RustDriver() override {
    if (handle_ != nullptr) ashpeer_close(handle_);
  }

  [[nodiscard]] std::string version() const override { return ashpeer_version(name_.c_str()); }

  [[nodiscard]] Kept kept(Promise promise) const override {
    const char* text = "";
    const int fit = ashpeer_fit(name_.c_str(), static_cast<uint32_t>(promise), &text);
    return {static_cast<Fit>(fit), text};
  }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    const ashpeer_options own{static_cast<uint32_t>(options.promise), options.write_buffer_bytes,
                              options.cache_bytes};
    handle_ = ashpeer_open(name_.c_str(), options.directory.c_str(), &own);
    if (handle_ == nullptr) check(-1, "open");
    settings_ = ashpeer_settings(handle_);
  }

  void close() override { check(ashpeer_close(std::exchange(handle_, nullptr)), "close"); }

  void put(std::string_view key, std::string_view value) override {
    check(ashpeer_put(handle_, bytes(key), key.size(), bytes(value), value.size()), "put");
  }

  void write(std::span<const Entry> entries) override {
    batch_.clear();
    for (const Entry& e : entries)
      batch_.push_back({bytes(e.key), e.key.size(), bytes(e.value), e.value.size()});
    check(ashpeer_write(handle_, batch_.data(), batch_.size()), "write");
  }

  void remove(std::string_view key) override {
    check(ashpeer_remove(handle_, bytes(key), key.size()), "remove");
  }

  bool get(std::string_view key, ValueSink sink) override {
    const auto pass_on = [](void* context, const uint8_t* value, size_t size) {
      (*static_cast<ValueSink*>(context))(view(value, size));
    };
    const int found = ashpeer_get(handle_, bytes(key), key.size(), pass_on, &sink);
    check(found, "get");
    return found == 1;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    const auto pass_on = [](void* context, const uint8_t* key, size_t key_size, const uint8_t* value,
                            size_t size) {
      (*static_cast<EntrySink*>(context))(view(key, key_size), view(value, size));
    };
    const int64_t seen = ashpeer_scan(handle_, bytes(from), from.size(), limit, pass_on, &sink);
    if (seen < 0) check(-1, "scan");
    return static_cast<uint64_t>(seen);
  }

  void sync() override { check(ashpeer_sync(handle_), "sync"); }
  void drain() override { check(ashpeer_drain(handle_), "drain"); }

 private:
  std::string name_;
  std::string settings_;
  ashpeer_handle* handle_ = nullptr;
  std::vector<ashpeer_entry> batch_;
};

// The "published" variants repeat another table's settings and belong to table W alone; sled_buffered keeps less than
// any row asks for and runs only when asked for by name.
std::string tables_of(std::string_view name) {
  if (name == "sled_buffered") return "";
  return name.ends_with("_published") ? "W" : "WDO";
}

}  // namespace

std::vector<Engine> rust_engines() {
  std::vector<Engine> engines;
  for (size_t i = 0; i < ashpeer_count(); ++i) {
    const std::string name = ashpeer_name(i);
    engines.push_back({name, tables_of(name), [name] { return std::make_unique<RustDriver>(name); }});
  }
  return engines;
}

}  // namespace ashlar::bench::peers
