#include "delta/cursors.h"

#include <optional>
#include <string>

#include "art/cursor.h"

namespace ashlar::delta {

namespace {

class ReadCursor final : public kv::Cursor {
 public:
  ReadCursor(const art::Tree& tree, Sequence at_most) : cursor_(tree), at_most_(at_most) {}

  Status status() const override { return ok_status(); }
  void seek_first() override {
    cursor_.first();
    settle_forward();
  }
  void seek_last() override {
    cursor_.last();
    settle_backward();
  }
  void seek(Bytes key, uint64_t trailer) override {
    cursor_.seek(key);
    settle_forward();
    if (valid_ && key_ == key && trailer_ > trailer) next();
  }
  void seek_for_previous(Bytes key, uint64_t trailer) override {
    cursor_.seek_for_previous(key);
    settle_backward();
    if (valid_ && key_ == key && trailer_ < trailer) previous();
  }
  void next() override {
    cursor_.next();
    settle_forward();
  }
  void previous() override {
    cursor_.previous();
    settle_backward();
  }

 private:
  bool take() {
    const art::Record* record = cursor_.record()->version_at(at_most_);
    if (record == nullptr) return false;
    key_ = record->key();
    value_ = record->value();
    trailer_ = record->sequence_and_kind;
    return true;
  }
  void settle_forward() {
    while ((valid_ = cursor_.valid()) && !take()) cursor_.next();
  }
  void settle_backward() {
    while ((valid_ = cursor_.valid()) && !take()) cursor_.previous();
  }

  art::Cursor cursor_;
  const Sequence at_most_;
};

class FlushCursor final : public kv::Cursor {
 public:
  explicit FlushCursor(const Delta& delta) : delta_(delta), keyspaces_(delta.keyspaces()) {}

  Status status() const override { return ok_status(); }
  void seek_first() override {
    next_keyspace_ = 0;
    scan_.reset();
    version_ = nullptr;
    open_next_keyspace();
  }
  void next() override {
    version_ = version_->previous_version();
    if (version_ != nullptr) {
      take_version();
      return;
    }
    scan_->next();
    settle();
  }
  void seek_last() override { ASHLAR_CHECK(false); }
  void seek(Bytes, uint64_t) override { ASHLAR_CHECK(false); }
  void seek_for_previous(Bytes, uint64_t) override { ASHLAR_CHECK(false); }
  void previous() override { ASHLAR_CHECK(false); }

 private:
  void open_next_keyspace() {
    valid_ = false;
    if (next_keyspace_ == keyspaces_.size()) return;
    const KeyspaceId keyspace = keyspaces_[next_keyspace_++];
    scan_.emplace(*delta_.find_tree(keyspace));
    kv::set_stored_key(stored_key_, keyspace, Bytes());
    settle();
  }
  void settle() {
    if (!scan_->valid()) {
      open_next_keyspace();
      return;
    }
    version_ = scan_->record();
    stored_key_.resize(kv::kKeyspacePrefixBytes);
    stored_key_.append(version_->key());
    key_ = stored_key_;
    take_version();
  }
  void take_version() {
    value_ = version_->value();
    trailer_ = version_->sequence_and_kind;
    valid_ = true;
  }

  const Delta& delta_;
  const std::vector<KeyspaceId> keyspaces_;
  size_t next_keyspace_ = 0;
  std::optional<art::Scan> scan_;
  const art::Record* version_ = nullptr;
  std::string stored_key_;
};

class EmptyCursor final : public kv::Cursor {
 public:
  Status status() const override { return ok_status(); }
  void seek_first() override {}
  void seek_last() override {}
  void seek(Bytes, uint64_t) override {}
  void seek_for_previous(Bytes, uint64_t) override {}
  void next() override {}
  void previous() override {}
};

}  // namespace

std::unique_ptr<kv::Cursor> read_cursor(const Delta& delta, KeyspaceId keyspace, Sequence at_most) {
  const art::Tree* tree = delta.find_tree(keyspace);
  if (tree == nullptr) return std::make_unique<EmptyCursor>();
  return std::make_unique<ReadCursor>(*tree, at_most);
}

std::unique_ptr<kv::Cursor> flush_cursor(const Delta& delta) { return std::make_unique<FlushCursor>(delta); }

}  // namespace ashlar::delta
