#include "art/cursor.h"

#include <algorithm>

#include "base/check.h"

namespace ashlar::art {

void Cursor::push(Word node, int position) {
  if (depth_ < kInlineFrames) {
    frames_[depth_] = {node, position};
  } else {
    spilled_.resize(depth_ - kInlineFrames);
    spilled_.push_back({node, position});
  }
  ++depth_;
}

void Cursor::go_to_first_below(Word word) {
  while (!is_leaf(word)) {
    const Child child = first_child(word);
    push(word, child.position);
    word = child.word;
  }
  record_ = tree_->leaves().record(word);
}

void Cursor::go_to_last_below(Word word) {
  while (!is_leaf(word)) {
    const Child child = last_child(word);
    push(word, child.position);
    word = child.word;
  }
  record_ = tree_->leaves().record(word);
}

// To the first leaf after all that lies below the child taken in the top frame.
void Cursor::go_after_top() {
  for (; depth_ > 0; --depth_) {
    Frame& frame = top();
    const Child child = child_above(frame.node, frame.position);
    if (child.word == 0) continue;
    frame.position = child.position;
    return go_to_first_below(child.word);
  }
  record_ = nullptr;
}

void Cursor::go_before_top() {
  for (; depth_ > 0; --depth_) {
    Frame& frame = top();
    if (frame.position == kEnd) continue;
    Child child = child_below(frame.node, frame.position);
    if (child.word == 0) child = {kEnd, load_slot(find_end_slot(frame.node))};
    if (child.word == 0) continue;
    frame.position = child.position;
    return go_to_last_below(child.word);
  }
  record_ = nullptr;
}

void Cursor::first() {
  depth_ = 0;
  record_ = nullptr;
  if (const Word root = tree_->root(); root != 0) go_to_first_below(root);
}

void Cursor::last() {
  depth_ = 0;
  record_ = nullptr;
  if (const Word root = tree_->root(); root != 0) go_to_last_below(root);
}

void Cursor::next() {
  ASHLAR_DCHECK(valid());
  go_after_top();
}

void Cursor::previous() {
  ASHLAR_DCHECK(valid());
  go_before_top();
}

void Cursor::seek(Bytes key) {
  depth_ = 0;
  record_ = nullptr;
  Word word = tree_->root();
  if (word == 0) return;
  size_t agreed = 0;  // all keys below `word` begin with these bytes of `key`
  while (!is_leaf(word)) {
    const size_t depth = node_of<Node>(word)->depth;
    if (depth > agreed) {
      const Divergence parted = diverge(word, tree_->leaves(), key, agreed);
      if (parted.at < depth) {
        const bool before =
            parted.at == key.size() || static_cast<uint8_t>(key[parted.at]) < parted.node_byte;
        return before ? go_to_first_below(word) : go_after_top();
      }
    }
    if (depth == key.size()) return go_to_first_below(word);
    const auto byte = static_cast<uint8_t>(key[depth]);
    push(word, byte);
    word = load_slot(find_slot(word, byte));
    if (word == 0) return go_after_top();
    agreed = depth + 1;
  }
  tree_->leaves().prefetch_key(word);
  record_ = tree_->leaves().record(word);
  if (record_->key() < key) go_after_top();
}

void Cursor::seek_for_previous(Bytes key) {
  seek(key);
  if (!valid()) last();
  // Usually one step; more when keys are inserted in between.
  while (valid() && this->key() > key) previous();
}

Scan::Scan(const Tree& tree) : cursor_(tree) {
  cursor_.first();
  for (auto& record : ring_) record = take();
}

const Record* Scan::take() {
  const Record* record = cursor_.record();
  if (record == nullptr) return nullptr;
  __builtin_prefetch(record);
  cursor_.next();
  return record;
}

void Scan::next() {
  ring_[at_ % kAhead] = take();
  ++at_;
  if (const Record* soon = ring_[(at_ + kFetchKeyAhead) % kAhead]; soon != nullptr) {
    constexpr size_t kLineBytes = 64;
    constexpr size_t kMostBytes = 512;  // beyond that the processor's own prefetching has begun
    const size_t size_bytes = std::min<size_t>(size_t{soon->key_bytes} + soon->value_bytes, kMostBytes);
    for (size_t offset = 0; offset < size_bytes; offset += kLineBytes)
      __builtin_prefetch(soon->key_data + offset);
  }
}

}  // namespace ashlar::art
