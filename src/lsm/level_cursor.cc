#include "lsm/level_cursor.h"

#include <algorithm>
#include <utility>

namespace ashlar::lsm {

LevelCursor::LevelCursor(std::vector<RunRef> runs, run::CursorOptions options)
    : runs_(std::move(runs)), options_(options), index_(runs_.size()) {}

Status LevelCursor::status() const {
  if (!status_.ok()) return status_;
  return cursor_ != nullptr ? cursor_->status() : ok_status();
}

bool LevelCursor::open(size_t index) {
  if (index == index_ && cursor_ != nullptr) return true;
  cursor_.reset();
  index_ = index;
  if (index >= runs_.size()) return false;
  auto reader = runs_[index]->reader();
  if (!reader.ok()) {
    status_ = std::move(reader).status();
    return false;
  }
  cursor_ = (*reader)->cursor(options_);
  return true;
}

void LevelCursor::show() {
  valid_ = cursor_ != nullptr && cursor_->valid();
  if (!valid_) return;
  key_ = cursor_->key();
  trailer_ = cursor_->trailer();
  value_ = cursor_->value();
}

// Runs are never empty, so both loops end after one more run unless there is none or it fails.
void LevelCursor::go_forward() {
  while (cursor_ != nullptr && !cursor_->valid() && cursor_->status().ok()) {
    if (!open(index_ + 1)) break;
    cursor_->seek_first();
  }
  show();
}

void LevelCursor::go_backward() {
  while (cursor_ != nullptr && !cursor_->valid() && cursor_->status().ok()) {
    if (index_ == 0) break;
    if (!open(index_ - 1)) break;
    cursor_->seek_last();
  }
  show();
}

void LevelCursor::seek_first() {
  status_ = ok_status();
  if (open(0)) cursor_->seek_first();
  go_forward();
}

void LevelCursor::seek_last() {
  status_ = ok_status();
  if (!runs_.empty() && open(runs_.size() - 1)) cursor_->seek_last();
  go_backward();
}

void LevelCursor::seek(Bytes key, uint64_t trailer) {
  status_ = ok_status();
  const auto at = std::lower_bound(runs_.begin(), runs_.end(), key, [](const RunRef& run, Bytes wanted) {
    return run->largest_key() < wanted;
  });
  if (open(static_cast<size_t>(at - runs_.begin()))) cursor_->seek(key, trailer);
  go_forward();
}

void LevelCursor::seek_for_previous(Bytes key, uint64_t trailer) {
  status_ = ok_status();
  const auto at = std::upper_bound(runs_.begin(), runs_.end(), key, [](Bytes wanted, const RunRef& run) {
    return wanted < run->smallest_key();
  });
  if (at == runs_.begin()) {
    open(runs_.size());
  } else if (open(static_cast<size_t>(at - runs_.begin()) - 1)) {
    cursor_->seek_for_previous(key, trailer);
  }
  go_backward();
}

void LevelCursor::next() {
  cursor_->next();
  if (ASHLAR_LIKELY(cursor_->valid())) {
    key_ = cursor_->key();
    trailer_ = cursor_->trailer();
    value_ = cursor_->value();
    return;
  }
  go_forward();
}

void LevelCursor::previous() {
  cursor_->previous();
  go_backward();
}

}  // namespace ashlar::lsm
