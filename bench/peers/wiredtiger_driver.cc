#include <fmt/format.h>
#include <wiredtiger.h>

#include "peers.h"

namespace ashlar::bench::peers {
namespace {

void check(int code, const char* what) {
  if (code != 0) throw DriverError(fmt::format("{}: {}", what, wiredtiger_strerror(code)));
}

WT_ITEM item_of(std::string_view text) {
  WT_ITEM item{};
  item.data = text.data();
  item.size = text.size();
  return item;
}

std::string_view view(const WT_ITEM& item) { return {static_cast<const char*>(item.data), item.size}; }

std::string log_setting(Promise promise) {
  switch (promise) {
    case Promise::kNothing:
      return "log=(enabled=false)";
    case Promise::kProcessCrash:
      return "log=(enabled=true),transaction_sync=(enabled=true,method=none)";
    case Promise::kPowerLoss:
      return "log=(enabled=true),transaction_sync=(enabled=true,method=fsync)";
  }
  return "";
}

class WiredTiger : public Driver {
 public:
  ~WiredTiger() override {
    if (connection_ != nullptr) connection_->close(connection_, nullptr);
  }

  [[nodiscard]] std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    static_cast<void>(wiredtiger_version(&major, &minor, &patch));
    return fmt::format("{}.{}.{} Debian", major, minor, patch);
  }

  [[nodiscard]] Kept kept(Promise promise) const override { return {Fit::kEqual, log_setting(promise)}; }

  [[nodiscard]] std::string settings() const override { return settings_; }

  void open(const DriverOptions& options) override {
    // A B-tree gathers writes in its page cache: it gets the bytes that the others spend on a memtable.
    const uint64_t cache_bytes = options.write_buffer_bytes + options.cache_bytes;
    settings_ = fmt::format("create,cache_size={},{}", cache_bytes, log_setting(options.promise));
    check(wiredtiger_open(options.directory.c_str(), nullptr, settings_.c_str(), &connection_), "open");
    check(connection_->open_session(connection_, nullptr, nullptr, &session_), "session");
    check(session_->create(session_, "table:bench", "key_format=u,value_format=u"), "create");
    check(session_->open_cursor(session_, "table:bench", nullptr, nullptr, &cursor_), "cursor");
  }

  void close() override { check(connection_->close(std::exchange(connection_, nullptr), nullptr), "close"); }

  void put(std::string_view key, std::string_view value) override {
    insert(key, value);
    check(cursor_->reset(cursor_), "reset");
  }

  void write(std::span<const Entry> entries) override {
    check(session_->begin_transaction(session_, nullptr), "begin");
    for (const Entry& entry : entries) insert(entry.key, entry.value);
    check(session_->commit_transaction(session_, nullptr), "commit");
  }

  void remove(std::string_view key) override {
    const WT_ITEM wanted = item_of(key);
    cursor_->set_key(cursor_, &wanted);
    const int code = cursor_->remove(cursor_);
    if (code != WT_NOTFOUND) check(code, "remove");
  }

  bool get(std::string_view key, ValueSink sink) override {
    const WT_ITEM wanted = item_of(key);
    cursor_->set_key(cursor_, &wanted);
    const int code = cursor_->search(cursor_);
    if (code == WT_NOTFOUND) return false;
    check(code, "get");
    WT_ITEM value{};
    check(cursor_->get_value(cursor_, &value), "get value");
    sink(view(value));
    check(cursor_->reset(cursor_), "reset");
    return true;
  }

  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override {
    int code = position_at_or_after(from);
    uint64_t seen = 0;
    while (code == 0 && seen < limit) {
      WT_ITEM key{};
      WT_ITEM value{};
      check(cursor_->get_key(cursor_, &key), "scan key");
      check(cursor_->get_value(cursor_, &value), "scan value");
      sink(view(key), view(value));
      ++seen;
      code = cursor_->next(cursor_);
    }
    if (code != WT_NOTFOUND) check(code, "scan");
    check(cursor_->reset(cursor_), "reset");
    return seen;
  }

  void sync() override { check(session_->checkpoint(session_, nullptr), "checkpoint"); }

  // A checkpoint writes every changed page of the cache and syncs it.
  void drain() override { sync(); }

 private:
  int position_at_or_after(std::string_view from) {
    // A freshly reset cursor stands before the first entry; an empty key is no key to search for.
    check(cursor_->reset(cursor_), "reset");
    if (from.empty()) return cursor_->next(cursor_);
    const WT_ITEM wanted = item_of(from);
    cursor_->set_key(cursor_, &wanted);
    int exact = 0;
    const int code = cursor_->search_near(cursor_, &exact);
    return code == 0 && exact < 0 ? cursor_->next(cursor_) : code;
  }

  void insert(std::string_view key, std::string_view value) {
    const WT_ITEM key_item = item_of(key);
    const WT_ITEM value_item = item_of(value);
    cursor_->set_key(cursor_, &key_item);
    cursor_->set_value(cursor_, &value_item);
    check(cursor_->insert(cursor_), "put");
  }

  WT_CONNECTION* connection_ = nullptr;
  WT_SESSION* session_ = nullptr;
  WT_CURSOR* cursor_ = nullptr;
  std::string settings_;
};

}  // namespace

std::vector<Engine> wiredtiger_engines() {
  return {{"wiredtiger", "WDO", [] { return std::make_unique<WiredTiger>(); }}};
}

}  // namespace ashlar::bench::peers
