#include "lsm/visible_cursor.h"

#include <utility>

namespace ashlar::lsm {

namespace {

// A seek costs about as much as this many steps.
constexpr size_t kStepsBeforeSeek = 8;

// No entry has these trailers: one stands before all versions of a key, the other behind them.
constexpr uint64_t kBeforeVersions = UINT64_MAX;
constexpr uint64_t kBehindVersions = 0;

}  // namespace

Bounds Bounds::of_prefix(Bytes prefix) {
  Bounds bounds{std::string(prefix), std::nullopt};
  std::string successor(prefix);
  while (!successor.empty() && static_cast<uint8_t>(successor.back()) == 0xff) successor.pop_back();
  if (successor.empty()) return bounds;
  successor.back() = static_cast<char>(static_cast<uint8_t>(successor.back()) + 1);
  bounds.upper = std::move(successor);
  return bounds;
}

VisibleCursor::VisibleCursor(std::unique_ptr<kv::Cursor> below, Sequence at_most, Bounds bounds)
    : below_(std::move(below)), at_most_trailer_(kv::seek_trailer(at_most)), bounds_(std::move(bounds)) {}

void VisibleCursor::seek_first() {
  direction_ = Direction::forward;
  if (bounds_.lower.empty()) {
    below_->seek_first();
  } else {
    below_->seek(bounds_.lower, at_most_trailer_);
  }
  find_forward(HideSavedKey::no);
}

void VisibleCursor::seek(Bytes key) {
  direction_ = Direction::forward;
  below_->seek(key < bounds_.lower ? Bytes(bounds_.lower) : key, at_most_trailer_);
  find_forward(HideSavedKey::no);
}

void VisibleCursor::seek_last() {
  direction_ = Direction::backward;
  if (bounds_.upper.has_value()) {
    below_->seek_for_previous(*bounds_.upper, kBeforeVersions);
  } else {
    below_->seek_last();
  }
  find_backward();
}

void VisibleCursor::seek_for_previous(Bytes key) {
  if (is_past_upper(key)) return seek_last();
  direction_ = Direction::backward;
  below_->seek_for_previous(key, kBehindVersions);
  find_backward();
}

void VisibleCursor::next() {
  if (direction_ == Direction::backward) {
    // The cursor below is in front of the versions of the shown key, and the shown key is saved_key_.
    direction_ = Direction::forward;
    below_->seek(saved_key_, kBehindVersions);
    return find_forward(HideSavedKey::no);
  }
  saved_key_.assign(key_);
  below_->next();
  find_forward(HideSavedKey::yes);
}

void VisibleCursor::previous() {
  if (direction_ == Direction::forward) {
    direction_ = Direction::backward;
    saved_key_.assign(key_);
    below_->previous();
    if (below_->valid() && below_->key() >= saved_key_)
      below_->seek_for_previous(saved_key_, kBeforeVersions);
  }
  find_backward();
}

// Shows the first visible entry at or after the position below. With HideSavedKey::yes, versions of
// saved_key_ that come first are older than one already dealt with.
void VisibleCursor::find_forward(HideSavedKey hide) {
  bool is_hidden =
      hide == HideSavedKey::yes;  // the versions of saved_key_ from here on; else they are too new so far
  bool has_saved_key = is_hidden;
  size_t steps = 0;  // spent on saved_key_
  while (below_->valid() && !is_past_upper(below_->key())) {
    if (!has_saved_key || below_->key() != saved_key_) {
      is_hidden = has_saved_key = false;
      steps = 0;
    }
    if (!is_hidden && below_->trailer() <= at_most_trailer_) {
      if (kv::trailer_kind(below_->trailer()) == kv::Kind::put) return show_current();
      is_hidden = true;
    }
    if (!has_saved_key) {
      saved_key_.assign(below_->key());
      has_saved_key = true;
    }
    if (++steps < kStepsBeforeSeek) {
      below_->next();
    } else {
      below_->seek(saved_key_, is_hidden ? kBehindVersions : at_most_trailer_);
      steps = 0;
    }
  }
  valid_ = false;
}

void VisibleCursor::show_current() {
  key_ = below_->key();
  value_ = below_->value();
  trailer_ = below_->trailer();
  valid_ = true;
}

// Shows the last visible key at or before the position below.
void VisibleCursor::find_backward() {
  valid_ = false;
  while (!valid_ && below_->valid() && below_->key() >= bounds_.lower) {
    valid_ = collect_versions();
    pass_newer_versions();
  }
  // A collected value is shown only if nothing failed while its newer versions were looked for.
  valid_ = valid_ && below_->status().ok();
  key_ = saved_key_;
  value_ = saved_value_;
}

// From the oldest version of a key towards its newest one that counts; true if that one is a put, which is
// saved.
bool VisibleCursor::collect_versions() {
  saved_key_.assign(below_->key());
  bool is_put = false;
  size_t steps = 0;
  while (below_->valid() && below_->trailer() <= at_most_trailer_ && below_->key() == saved_key_) {
    if (++steps == kStepsBeforeSeek) below_->seek(saved_key_, at_most_trailer_);
    if (!below_->valid()) return false;
    trailer_ = below_->trailer();
    is_put = kv::trailer_kind(trailer_) == kv::Kind::put;
    if (is_put) saved_value_.assign(below_->value());
    below_->previous();
  }
  return is_put;
}

void VisibleCursor::pass_newer_versions() {
  for (size_t steps = 1; below_->valid() && below_->key() == saved_key_; ++steps) {
    if (steps < kStepsBeforeSeek) {
      below_->previous();
    } else {
      below_->seek_for_previous(saved_key_, kBeforeVersions);
    }
  }
}

}  // namespace ashlar::lsm
