// Walking over keys in order: Scan for loops, Iterator for moving about.
//
//   for (auto [key, value] : db.prefix("apple/")) use(key, value);
//   for (auto key : db.range("a", "b").reverse().keys()) use(key);
//
// What a loop does about an error (a damaged block, a closed database):
//   E1 The error ends the loop; what was delivered before it is right. It is never skipped over.
//   E2 Look with status() after the loop, for which the scan needs a name:
//        auto apples = db.prefix("apple/");
//        for (auto [key, value] : apples) use(key, value);
//        if (!apples.status().ok()) ...
//   E3 An error that nobody looked at is not lost: it is raised when the scan goes out of scope (at the end of
//      `for (... : db.prefix(...))`), as ashlar::Exception, or with its text and an abort where exceptions are off. While another
//      exception is on its way out, that one goes on and the scan stays silent.
// Leaving a loop early (break, return) is no error.
//
// begin() starts a pass: it sees the moment it starts, or the snapshot that it was asked of. Views of a key and a value
// are valid until the loop moves on. One thread at a time.
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/bytes.hpp>
#include <ashlar/cpp/error.hpp>
#include <ashlar/cpp/source.hpp>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

struct Entry {
  std::string_view key;
  std::string_view value;
};

// Which keys, and what of them.
struct ScanOptions {
  std::optional<std::string> lower;   // included
  std::optional<std::string> upper;   // excluded
  std::optional<std::string> prefix;  // combines with the bounds
  bool keys_only = false;             // value() is empty; cheaper
};

// Sees the moment of its creation, or a snapshot, for its whole life, also after the database was closed. Created
// unpositioned. Moves return whether it stands on an entry. Move-only; one that was moved from stands nowhere and its status is
// `closed`.
class Iterator {
 public:
  Iterator() noexcept = default;
  explicit Iterator(ashlar_iterator* iterator) noexcept : iterator_(iterator) {}

  bool first() { return iterator_ != nullptr && ashlar_iterator_first(iterator_.get()) != 0; }
  bool last() { return iterator_ != nullptr && ashlar_iterator_last(iterator_.get()) != 0; }
  // First entry at or after `key`; last entry at or before it.
  bool seek(Bytes key) {
    return iterator_ != nullptr && ashlar_iterator_seek(iterator_.get(), key.data(), key.size()) != 0;
  }
  bool seek_for_previous(Bytes key) {
    return iterator_ != nullptr &&
           ashlar_iterator_seek_for_previous(iterator_.get(), key.data(), key.size()) != 0;
  }
  bool next() { return iterator_ != nullptr && ashlar_iterator_next(iterator_.get()) != 0; }
  bool previous() { return iterator_ != nullptr && ashlar_iterator_previous(iterator_.get()) != 0; }
  bool valid() const { return iterator_ != nullptr && ashlar_iterator_valid(iterator_.get()) != 0; }
  // "" where it stands nowhere. Valid until the next move.
  std::string_view key() const {
    return view(iterator_ ? ashlar_iterator_key(iterator_.get()) : ashlar_bytes{});
  }
  std::string_view value() const {
    return view(iterator_ ? ashlar_iterator_value(iterator_.get()) : ashlar_bytes{});
  }
  // A scan is complete only if this is ok after it.
  Status status() const {
    if (iterator_ == nullptr) return detail::closed_error("the iterator");
    return detail::to_status(ashlar_iterator_status(iterator_.get()));
  }

 private:
  struct Destroy {
    void operator()(ashlar_iterator* iterator) const { ashlar_iterator_destroy(iterator); }
  };
  static std::string_view view(ashlar_bytes bytes) {
    return {static_cast<const char*>(bytes.data), bytes.size};
  }
  std::unique_ptr<ashlar_iterator, Destroy> iterator_;
};

namespace detail {

enum class Direction { forward, backward };

// What a pass needs to start. Keeps the database's handle, not the database, alive.
struct ScanPlan {
  Source source;
  ScanOptions options;
  Direction direction = Direction::forward;
};

inline Result<Iterator> create_iterator(const Source& source, const ScanOptions& options) {
  ashlar_db* const db = source.db();
  if (db == nullptr) return source.refusal();
  const auto bytes = [](const std::optional<std::string>& text) {
    return text ? ashlar_bytes{text->data(), text->size()} : ashlar_bytes{};
  };
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  scan.keys_only = options.keys_only ? 1 : 0;
  scan.lower = bytes(options.lower);
  scan.upper = bytes(options.upper);
  scan.prefix = bytes(options.prefix);
  ashlar_iterator* iterator = nullptr;
  const ashlar_code code = ashlar_iterator_create(db, source.at(), source.keyspace, &scan, &iterator);
  if (code != ASHLAR_OK) return last_error(code);
  return Iterator(iterator);
}

}  // namespace detail

// `Item` is Entry or, for keys alone, std::string_view. Build it with reverse() and keys(), then loop.
template <typename Item>
class BasicScan {
 public:
  explicit BasicScan(detail::ScanPlan plan) : plan_(std::move(plan)) {}
  BasicScan(BasicScan&& other) noexcept
      : plan_(std::move(other.plan_)),
        iterator_(std::move(other.iterator_)),
        error_(std::move(other.error_)),
        unseen_(std::exchange(other.unseen_, false)),
        exceptions_(other.exceptions_) {}
  BasicScan& operator=(BasicScan&&) = delete;
  ~BasicScan() noexcept(false) {
    if (unseen_ && std::uncaught_exceptions() <= exceptions_) raise(error_.error());
  }

  // From the last key to the first.
  BasicScan reverse() && {
    plan_.direction = plan_.direction == detail::Direction::forward ? detail::Direction::backward
                                                                    : detail::Direction::forward;
    return std::move(*this);
  }
  // The keys alone; cheaper, and each item is a std::string_view.
  BasicScan<std::string_view> keys() && {
    plan_.options.keys_only = true;
    return BasicScan<std::string_view>(std::move(plan_));
  }

  class Cursor {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    explicit Cursor(BasicScan* scan) noexcept : scan_(scan) {}
    Item operator*() const { return scan_->item(); }
    Cursor& operator++() {
      scan_->advance();
      return *this;
    }
    void operator++(int) { scan_->advance(); }
    bool operator==(std::default_sentinel_t) const noexcept { return !scan_->standing_; }

   private:
    BasicScan* scan_;
  };

  // Starts a pass; an earlier one ends.
  Cursor begin() {
    Result<Iterator> made = detail::create_iterator(plan_.source, plan_.options);
    standing_ = false;
    if (made.ok()) {
      iterator_ = std::move(made).value();
      standing_ = plan_.direction == detail::Direction::forward ? iterator_.first() : iterator_.last();
      if (!standing_) finish(iterator_.status());
    } else {
      finish(made.status());
    }
    return Cursor(this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

  // The first error met; ok while everything delivered so far is right.
  Status status() {
    unseen_ = false;
    return error_;
  }

 private:
  Item item() const {
    if constexpr (std::is_same_v<Item, Entry>) {
      return Entry{iterator_.key(), iterator_.value()};
    } else {
      return iterator_.key();
    }
  }
  void advance() {
    standing_ = plan_.direction == detail::Direction::forward ? iterator_.next() : iterator_.previous();
    if (!standing_) finish(iterator_.status());
  }
  void finish(Status status) {
    if (status.ok() || !error_.ok()) return;
    error_ = std::move(status);
    unseen_ = true;
  }

  detail::ScanPlan plan_;
  Iterator iterator_;
  bool standing_ = false;
  Status error_;
  bool unseen_ = false;  // error_ holds one that status() has not shown
  int exceptions_ = std::uncaught_exceptions();
};

using Scan = BasicScan<Entry>;
using KeyScan = BasicScan<std::string_view>;

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
