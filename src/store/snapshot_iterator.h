// The iterator that users hold: a visible cursor over one view, and what keeps that view alive.
// Threads: one at a time.
#pragma once

#include "lsm/read_view.h"
#include "lsm/visible_cursor.h"
#include "store/store.h"

namespace ashlar::store {

class SnapshotIterator final : public Iterator {
 public:
  SnapshotIterator(std::shared_ptr<Core> core, lsm::ViewPin view, lsm::VisibleCursor cursor, bool keys_only)
      : core_(std::move(core)), view_(std::move(view)), cursor_(std::move(cursor)), keys_only_(keys_only) {}

  bool first() override {
    cursor_.seek_first();
    return cursor_.valid();
  }
  bool last() override {
    cursor_.seek_last();
    return cursor_.valid();
  }
  bool seek(Bytes key) override {
    cursor_.seek(key);
    return cursor_.valid();
  }
  bool seek_for_previous(Bytes key) override {
    cursor_.seek_for_previous(key);
    return cursor_.valid();
  }
  bool next() override {
    if (cursor_.valid()) cursor_.next();
    return cursor_.valid();
  }
  bool previous() override {
    if (cursor_.valid()) cursor_.previous();
    return cursor_.valid();
  }
  bool valid() const override { return cursor_.valid(); }
  Bytes key() const override { return cursor_.key(); }
  Bytes value() const override { return keys_only_ ? Bytes("", 0) : cursor_.value(); }
  Status status() const override { return cursor_.status(); }

 private:
  std::shared_ptr<Core> core_;  // first: gone last
  lsm::ViewPin view_;
  lsm::VisibleCursor cursor_;
  bool keys_only_;
};

}  // namespace ashlar::store
