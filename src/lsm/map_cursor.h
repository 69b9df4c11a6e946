// For tests: a cursor over a std::map of entries, which may grow under it, and entries written as text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kv/cursor.h"

namespace ashlar::lsm {

struct EntryKey {
  std::string key;
  uint64_t trailer = 0;
  bool operator<(const EntryKey& other) const {
    return kv::compare_entries(key, trailer, other.key, other.trailer) < 0;
  }
};
using EntryMap = std::map<EntryKey, std::string>;

// Iterators of a std::map survive insertions, so this behaves like a cursor over a growing delta.
class MapCursor final : public kv::Cursor {
 public:
  explicit MapCursor(std::shared_ptr<const EntryMap> entries) : entries_(std::move(entries)) {}

  Status status() const override { return status_; }
  void seek_first() override { show(entries_->begin()); }
  void seek_last() override { show_before(entries_->end()); }
  void seek(Bytes key, uint64_t trailer) override {
    show(entries_->lower_bound({std::string(key), trailer}));
  }
  void seek_for_previous(Bytes key, uint64_t trailer) override {
    show_before(entries_->upper_bound({std::string(key), trailer}));
  }
  void next() override {
    ASHLAR_CHECK(valid_);
    show(std::next(at_));
  }
  void previous() override {
    ASHLAR_CHECK(valid_);
    show_before(at_);
  }

  // Moves so far, and an error after that many.
  uint64_t moves() const { return moves_; }
  void fail_after(uint64_t moves) { fail_at_ = moves_ + moves; }

 private:
  // Keys and values are copied into memory that the next move destroys, so that a view kept too long is found
  // out.
  void show(EntryMap::const_iterator at) {
    ++moves_;
    shown_.reset();
    valid_ = false;
    if (moves_ > fail_at_) {
      status_ = io_error("planned");
      return;
    }
    status_ = ok_status();
    at_ = at;
    if (at == entries_->end()) return;
    shown_ = std::make_unique<std::pair<std::string, std::string>>(at->first.key, at->second);
    shown_->first.reserve(32);  // off the small-string buffer
    shown_->second.reserve(32);
    valid_ = true;
    key_ = shown_->first;
    value_ = shown_->second;
    trailer_ = at->first.trailer;
  }
  void show_before(EntryMap::const_iterator at) {
    show(at == entries_->begin() ? entries_->end() : std::prev(at));
  }

  std::shared_ptr<const EntryMap> entries_;
  EntryMap::const_iterator at_;
  std::unique_ptr<std::pair<std::string, std::string>> shown_;
  Status status_;
  uint64_t moves_ = 0;
  uint64_t fail_at_ = UINT64_MAX;
};

inline void put(EntryMap& entries, Bytes key, uint64_t sequence, Bytes value) {
  entries[{std::string(key), kv::make_trailer(Sequence(sequence), kv::Kind::put)}] = std::string(value);
}
inline void remove(EntryMap& entries, Bytes key, uint64_t sequence) {
  entries[{std::string(key), kv::make_trailer(Sequence(sequence), kv::Kind::remove)}] = "";
}

// "a9 a4- b2": key, sequence, '-' for a tombstone.
inline std::string entry_text(Bytes key, uint64_t trailer) {
  std::string text(key);
  text += std::to_string(kv::trailer_sequence(trailer).value);
  if (kv::trailer_kind(trailer) == kv::Kind::remove) text += '-';
  return text;
}
inline std::string all_forward(kv::Cursor& cursor) {
  std::string text;
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    if (!text.empty()) text += ' ';
    text += entry_text(cursor.key(), cursor.trailer());
  }
  return text;
}

}  // namespace ashlar::lsm
