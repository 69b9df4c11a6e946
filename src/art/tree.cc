#include "art/tree.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/coding.h"

namespace ashlar::art {

namespace {

bool equal(const char* a, const char* b, size_t size) {
  if (size < 8) {
    for (size_t i = 0; i < size; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  // The last word overlaps the one before it.
  for (size_t i = 0; i + 8 < size; i += 8) {
    if (load_u64(a + i) != load_u64(b + i)) return false;
  }
  return load_u64(a + size - 8) == load_u64(b + size - 8);
}

uint8_t byte_at(Bytes key, size_t at) { return static_cast<uint8_t>(key[at]); }

// `if (depth != consumed) consumed = skip_to(depth)` says `consumed = depth`, but not to the compiler: the two are nearly
// always equal, and a predicted branch lets the next key byte be taken before the node has arrived from memory.
size_t skip_to(size_t depth) {
  asm volatile("" : "+r"(depth));
  return depth;
}

// False when the bytes held in the leaf word already show that its key is another one.
bool may_be(Word leaf, Bytes key, size_t consumed) {
  if (key.size() - consumed < kHeldBytes) return true;
  return ((held_bytes(leaf) ^ load_u16(key.data() + consumed)) & held_mask(leaf)) == 0;
}

}  // namespace

const Record* Tree::find(Bytes key) const noexcept {
  Word word = root();
  size_t consumed = 0;
  while (!is_leaf(word)) {
    if (word == 0) return nullptr;
    // Skipped bytes are compared at the leaf.
    if (const size_t depth = node_of<Node>(word)->depth; ASHLAR_UNLIKELY(depth != consumed))
      consumed = skip_to(depth);
    if (ASHLAR_UNLIKELY(consumed >= key.size())) {
      word = consumed == key.size() ? load_slot(find_end_slot(word)) : 0;
      if (word == 0) return nullptr;
      break;
    }
    word = load_slot(find_slot(word, byte_at(key, consumed)));
    ++consumed;
  }
  if (!may_be(word, key, consumed)) return nullptr;
  leaves_.prefetch_key(word);
  const Record* record = leaves_.record(word);
  if (record->key_bytes != key.size() || !equal(record->key_data, key.data(), key.size())) return nullptr;
  return record;
}

void Tree::prefetch(Bytes key) const noexcept {
  Word word = root();
  for (size_t consumed = 0; word != 0 && !is_leaf(word); ++consumed) {
    const auto* node = node_of<Node>(word);
    if ((word & kSmall) != 0) return __builtin_prefetch(node);
    if (const size_t depth = node->depth; ASHLAR_UNLIKELY(depth != consumed)) consumed = skip_to(depth);
    if (consumed >= key.size()) return;
    word = load_slot(find_slot(word, byte_at(key, consumed)));
  }
}

const Record* Tree::insert(Record* record) {
  const Bytes key = record->key();
  const size_t shared = resume(key);
  last_ = record;
  size_t steps = path_steps_;
  Slot* slot = path_[steps - 1].slot;
  size_t consumed = path_[steps - 1].consumed;
  Word word = slot->load(std::memory_order_relaxed);
  if (ASHLAR_UNLIKELY(word == 0)) {
    slot->store(leaves_.word(record, 0), std::memory_order_release);
    count_key();
    return nullptr;
  }
  while (!is_leaf(word)) {
    if (const size_t depth = node_of<Node>(word)->depth; ASHLAR_UNLIKELY(depth != consumed)) {
      // All keys below agree with this one in what was consumed on the way, and in what the last key shares with it.
      if (const size_t agreed = std::max(consumed, shared); depth > agreed) {
        const Divergence parted = diverge(word, leaves_, key, agreed);
        if (parted.at < depth) {
          path_steps_ = steps;
          split_edge(slot, word, parted, record);
          return nullptr;
        }
      }
      consumed = skip_to(depth);
    }
    if (ASHLAR_UNLIKELY(consumed == key.size())) {
      path_steps_ = steps;
      Slot* end = find_end_slot(word);
      if (const Word leaf = load_slot(end); leaf != 0) return add_version(end, leaf, record, consumed);
      add_key(slot, word, kEnd, record, consumed);
      return nullptr;
    }
    const uint8_t byte = byte_at(key, consumed);
    Slot* child = find_slot(word, byte);
    const Word next = load_slot(child);
    ++consumed;
    if (next == 0) {
      path_steps_ = steps;
      add_key(slot, word, byte, record, consumed);
      return nullptr;
    }
    slot = child;
    word = next;
    if (ASHLAR_LIKELY(steps < kPathSteps)) path_[steps++] = {slot, consumed};
  }
  path_steps_ = steps;
  return insert_at_leaf({slot, consumed}, word, record);
}

// Cuts the kept path to the part that the new key shares and returns how many bytes it shares with the last one: these
// need not be compared again, however little the nodes on the way store of them.
size_t Tree::resume(Bytes key) {
  if (ASHLAR_UNLIKELY(last_ == nullptr)) {
    path_[0] = {&root_, 0};
    path_steps_ = 1;
    return 0;
  }
  const size_t shared = common_prefix(last_->key(), key, 0);
  if (path_steps_ > 1 && path_[1].consumed > shared) {
    path_steps_ = 1;
  } else {
    while (path_[path_steps_ - 1].consumed > shared) --path_steps_;
  }
  return shared;
}

void Tree::split_edge(Slot* slot, Word below, Divergence parted, Record* record) {
  const Bytes key = record->key();
  const bool ends = parted.at == key.size();
  const Child fresh{ends ? kEnd : byte_at(key, parted.at), leaves_.word(record, parted.at + (ends ? 0 : 1))};
  slot->store(pool_.pair(parted.at, key, {parted.node_byte, below}, fresh), std::memory_order_release);
  count_key();
}

const Record* Tree::insert_at_leaf(Step at, Word leaf, Record* record) {
  const Bytes key = record->key();
  const size_t held = held_count(leaf);
  size_t same = 0;
  while (same < held && at.consumed + same < key.size() &&
         byte_at(key, at.consumed + same) == static_cast<uint8_t>(held_bytes(leaf) >> (8 * same))) {
    ++same;
  }
  size_t parted = at.consumed + same;
  Child old;
  if (same < held) {
    old = {static_cast<uint8_t>(held_bytes(leaf) >> (8 * same)), consume(leaf, same + 1)};
  } else {
    leaves_.prefetch_key(leaf);
    const Record* other = leaves_.record(leaf);
    const Bytes other_key = other->key();
    parted = common_prefix(other_key, key, parted);
    if (parted == other_key.size()) {
      if (parted == key.size()) return add_version(at.slot, leaf, record, at.consumed);
      old = {kEnd, leaves_.word(other, parted)};
    } else {
      old = {byte_at(other_key, parted), leaves_.word(other, parted + 1)};
    }
  }
  const bool ends = parted == key.size();
  const Child fresh{ends ? kEnd : byte_at(key, parted), leaves_.word(record, parted + (ends ? 0 : 1))};
  at.slot->store(pool_.pair(parted, key, old, fresh), std::memory_order_release);
  count_key();
  return nullptr;
}

const Record* Tree::add_version(Slot* slot, Word leaf, Record* record, size_t consumed) {
  const Record* newest = leaves_.record(leaf);
  ASHLAR_DCHECK(newest->sequence() < record->sequence());
  record->older.store(newest, std::memory_order_relaxed);
  slot->store(leaves_.word(record, consumed), std::memory_order_release);
  return newest;
}

void Tree::add_key(Slot* slot, Word node, int position, Record* record, size_t consumed) {
  const Word now = pool_.add(node, {position, leaves_.word(record, consumed)});
  if (now != node) slot->store(now, std::memory_order_release);
  count_key();
}

}  // namespace ashlar::art
