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

// False when the bytes held in the leaf word already show that its key is another one.
bool may_be(Word leaf, Bytes key, size_t consumed) {
  if (key.size() - consumed < kHeldBytes) return true;
  const uint32_t held_mask = (1u << (8 * held_count(leaf))) - 1;
  return ((held_bytes(leaf) ^ load_u16(key.data() + consumed)) & held_mask) == 0;
}

}  // namespace

const Record* Tree::find(Bytes key) const noexcept {
  Word word = root();
  size_t consumed = 0;
  while (!is_leaf(word)) {
    if (word == 0) return nullptr;
    if (const size_t depth = node_of<Node>(word)->depth; ASHLAR_UNLIKELY(depth != consumed)) {
      // Nearly always they are equal, and the next byte can be taken before the node has arrived from memory. The empty
      // statement keeps the compiler from reading this as an unconditional assignment. Skipped bytes are compared at
      // the leaf.
      consumed = depth;
      asm volatile("" : "+r"(consumed));
    }
    if (ASHLAR_UNLIKELY(consumed >= key.size())) {
      word = consumed == key.size() ? load_slot(find_end_slot(word)) : 0;
      if (word == 0) return nullptr;
      break;
    }
    word = load_slot(find_slot(word, byte_at(key, consumed)));
    ++consumed;
  }
  if (!may_be(word, key, consumed)) return nullptr;
  const Record* record = record_of(word);
  if (record->key_bytes != key.size() || !equal(record->key_data, key.data(), key.size())) return nullptr;
  return record;
}

const Record* Tree::insert(Record* record) {
  const Bytes key = record->key();
  // All keys below the slot at hand agree with `key` in this many bytes.
  size_t agreed = resume(key);
  last_ = record;
  Step at = path_[path_steps_ - 1];
  for (;;) {
    const Word word = at.slot->load(std::memory_order_relaxed);
    if (is_leaf(word)) return insert_at_leaf(at, word, record);
    if (word == 0) {
      at.slot->store(leaf_word(record, at.consumed), std::memory_order_release);
      count_key();
      return nullptr;
    }
    const size_t depth = node_of<Node>(word)->depth;
    if (depth > agreed) {
      const Divergence parted = diverge(word, key, agreed);
      if (parted.at < depth) {
        const bool ends = parted.at == key.size();
        const Child fresh{ends ? kEnd : byte_at(key, parted.at),
                          leaf_word(record, parted.at + (ends ? 0 : 1))};
        at.slot->store(pool_.pair(parted.at, key, {parted.node_byte, word}, fresh),
                       std::memory_order_release);
        count_key();
        return nullptr;
      }
      agreed = depth;
    }
    if (key.size() == depth) {
      Slot* end = find_end_slot(word);
      if (const Word leaf = load_slot(end); leaf != 0) return add_version(end, leaf, record);
      add_key(at.slot, word, kEnd, record, depth);
      return nullptr;
    }
    Slot* slot = find_slot(word, byte_at(key, depth));
    if (load_slot(slot) == 0) {
      add_key(at.slot, word, byte_at(key, depth), record, depth + 1);
      return nullptr;
    }
    agreed = std::max(agreed, depth + 1);
    at = follow(slot, depth + 1);
  }
}

// Cuts the kept path to the part that the new key shares and returns how many bytes it shares with the last one: these
// need not be compared again, however little the nodes on the way store of them.
size_t Tree::resume(Bytes key) {
  if (last_ == nullptr) {
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

Tree::Step Tree::follow(Slot* slot, size_t consumed) {
  const Step step{slot, consumed};
  if (path_steps_ < kPathSteps) path_[path_steps_++] = step;
  return step;
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
    const Record* other = record_of(leaf);
    const Bytes other_key = other->key();
    parted = common_prefix(other_key, key, parted);
    if (parted == other_key.size()) {
      if (parted == key.size()) return add_version(at.slot, leaf, record);
      old = {kEnd, leaf_word(other, parted)};
    } else {
      old = {byte_at(other_key, parted), leaf_word(other, parted + 1)};
    }
  }
  const bool ends = parted == key.size();
  const Child fresh{ends ? kEnd : byte_at(key, parted), leaf_word(record, parted + (ends ? 0 : 1))};
  at.slot->store(pool_.pair(parted, key, old, fresh), std::memory_order_release);
  count_key();
  return nullptr;
}

const Record* Tree::add_version(Slot* slot, Word leaf, Record* record) {
  const Record* newest = record_of(leaf);
  ASHLAR_DCHECK(newest->sequence() < record->sequence());
  record->older.store(newest, std::memory_order_relaxed);
  // The same key in the same place: only the address differs.
  const Word fresh = (leaf & ~kAddressMask) | (leaf_word(record, record->key_bytes) & kAddressMask);
  slot->store(fresh, std::memory_order_release);
  return newest;
}

void Tree::add_key(Slot* slot, Word node, int position, Record* record, size_t consumed) {
  const Word now = pool_.add(node, {position, leaf_word(record, consumed)});
  if (now != node) slot->store(now, std::memory_order_release);
  count_key();
}

}  // namespace ashlar::art
