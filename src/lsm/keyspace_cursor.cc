#include "lsm/keyspace_cursor.h"

#include <utility>

namespace ashlar::lsm {

KeyspaceCursor::KeyspaceCursor(std::unique_ptr<kv::Cursor> stored, KeyspaceId keyspace)
    : stored_(std::move(stored)), keyspace_(keyspace) {}

Status KeyspaceCursor::status() const { return stored_->status(); }

void KeyspaceCursor::show() {
  valid_ = stored_->valid() && kv::keyspace_of(stored_->key()) == keyspace_;
  if (!valid_) return;
  key_ = kv::user_key_of(stored_->key());
  trailer_ = stored_->trailer();
  value_ = stored_->value();
}

// No entry has the largest trailer: it stands before all versions of a key, and the empty user key before all
// keys.
void KeyspaceCursor::seek_first() {
  kv::set_stored_key(seek_key_, keyspace_, Bytes());
  stored_->seek(seek_key_, UINT64_MAX);
  show();
}

void KeyspaceCursor::seek_last() {
  if (keyspace_.value == UINT32_MAX) {
    stored_->seek_last();
  } else {
    kv::set_stored_key(seek_key_, KeyspaceId(keyspace_.value + 1), Bytes());
    stored_->seek_for_previous(seek_key_, UINT64_MAX);
  }
  show();
}

void KeyspaceCursor::seek(Bytes key, uint64_t trailer) {
  kv::set_stored_key(seek_key_, keyspace_, key);
  stored_->seek(seek_key_, trailer);
  show();
}

void KeyspaceCursor::seek_for_previous(Bytes key, uint64_t trailer) {
  kv::set_stored_key(seek_key_, keyspace_, key);
  stored_->seek_for_previous(seek_key_, trailer);
  show();
}

void KeyspaceCursor::next() {
  stored_->next();
  show();
}

void KeyspaceCursor::previous() {
  stored_->previous();
  show();
}

}  // namespace ashlar::lsm
