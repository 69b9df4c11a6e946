#include "lsm/merge_cursor.h"

#include <utility>

namespace ashlar::lsm {

std::unique_ptr<kv::Cursor> merge(std::vector<std::unique_ptr<kv::Cursor>> children) {
  if (children.size() == 1) return std::move(children.front());
  return std::make_unique<MergeCursor>(std::move(children));
}

MergeCursor::MergeCursor(std::vector<std::unique_ptr<kv::Cursor>> children) : children_(std::move(children)) {
  heap_.reserve(children_.size());
}

Status MergeCursor::status() const { return status_; }

bool MergeCursor::before(const Entry& a, const Entry& b) const {
  const int order = kv::compare_entries(a.key, a.trailer, b.key, b.trailer);
  return direction_ == Direction::forward ? order < 0 : order > 0;
}

bool MergeCursor::failed(const kv::Cursor& child) {
  Status status = child.status();
  if (status.ok()) return false;
  if (status_.ok()) status_ = std::move(status);
  return true;
}

void MergeCursor::sift_down(size_t at) {
  const Entry moving = heap_[at];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], moving)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moving;
}

// From children that all stand where `direction` wants them to a current child and a heap of the others.
void MergeCursor::rebuild(Direction direction) {
  direction_ = direction;
  heap_.clear();
  current_ = nullptr;
  bool any_failed = false;
  for (const auto& child : children_) {
    if (child->valid()) {
      heap_.push_back(entry_of(child.get()));
    } else {
      any_failed |= failed(*child);
    }
  }
  if (!any_failed) {
    for (size_t at = heap_.size() / 2; at-- > 0;) sift_down(at);
    take_top();
  }
  show();
}

void MergeCursor::take_top() {
  if (heap_.empty()) {
    current_ = nullptr;
    return;
  }
  current_ = heap_.front().child;
  heap_.front() = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0);
}

void MergeCursor::show() {
  valid_ = current_ != nullptr && status_.ok();
  if (!valid_) return;
  key_ = current_->key();
  trailer_ = current_->trailer();
  value_ = current_->value();
}

void MergeCursor::seek_first() {
  status_ = ok_status();
  for (const auto& child : children_) child->seek_first();
  rebuild(Direction::forward);
}

void MergeCursor::seek_last() {
  status_ = ok_status();
  for (const auto& child : children_) child->seek_last();
  rebuild(Direction::backward);
}

void MergeCursor::seek(Bytes key, uint64_t trailer) {
  status_ = ok_status();
  for (const auto& child : children_) child->seek(key, trailer);
  rebuild(Direction::forward);
}

void MergeCursor::seek_for_previous(Bytes key, uint64_t trailer) {
  status_ = ok_status();
  for (const auto& child : children_) child->seek_for_previous(key, trailer);
  rebuild(Direction::backward);
}

// After `current_` moved one entry in the present direction.
void MergeCursor::after_move() {
  if (ASHLAR_UNLIKELY(!current_->valid())) {
    if (failed(*current_)) {
      current_ = nullptr;
    } else {
      take_top();
    }
  } else if (!heap_.empty()) {
    const Entry moved = entry_of(current_);
    if (before(heap_.front(), moved)) {
      current_ = heap_.front().child;
      heap_.front() = moved;
      sift_down(0);
    }
  }
  show();
}

void MergeCursor::next() {
  if (ASHLAR_UNLIKELY(direction_ == Direction::backward)) {
    turn_forward();
    return;
  }
  current_->next();
  after_move();
}

void MergeCursor::previous() {
  if (ASHLAR_UNLIKELY(direction_ == Direction::forward)) {
    turn_backward();
    return;
  }
  current_->previous();
  after_move();
}

// The neighbour is one step away, as G1 says; a growing child may have got entries in between (G3), then it
// is sought. The shown key is a view of current's memory, so current moves last.
void MergeCursor::turn_forward() {
  for (const auto& child : children_) {
    if (child.get() == current_) continue;
    if (child->valid()) child->next();
    if (!child->valid() || kv::compare_entries(child->key(), child->trailer(), key_, trailer_) < 0)
      child->seek(key_, trailer_);
  }
  current_->next();
  rebuild(Direction::forward);
}

void MergeCursor::turn_backward() {
  for (const auto& child : children_) {
    if (child.get() == current_) continue;
    if (child->valid()) child->previous();
    if (!child->valid() || kv::compare_entries(child->key(), child->trailer(), key_, trailer_) > 0)
      child->seek_for_previous(key_, trailer_);
  }
  current_->previous();
  rebuild(Direction::backward);
}

}  // namespace ashlar::lsm
