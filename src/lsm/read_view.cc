#include "lsm/read_view.h"

#include <algorithm>
#include <iterator>

namespace ashlar::lsm {

namespace {

// Where the search for a free slot begins: threads start far apart and stay with the slot they used last.
std::atomic<size_t> next_start{0};
size_t& preferred_slot() {
  thread_local size_t slot = next_start.fetch_add(7, std::memory_order_relaxed);
  return slot;
}

}  // namespace

ViewRegistry::ViewRegistry() = default;

ViewRegistry::~ViewRegistry() {
  ASHLAR_CHECK(pins() == 0);
  for (Block* block = first_.next.load(); block != nullptr;) {
    Block* next = block->next.load();
    delete block;
    block = next;
  }
}

ViewSlot* ViewRegistry::claim(const ReadView* view) {
  size_t& preferred = preferred_slot();
  for (Block* block = &first_;;) {
    for (size_t probe = 0; probe < kBlockSlots; ++probe) {
      const size_t index = (preferred + probe) % kBlockSlots;
      ViewSlot& slot = block->slots[index];
      const ReadView* expected = nullptr;
      if (slot.view.load(std::memory_order_relaxed) == nullptr &&
          slot.view.compare_exchange_strong(expected, view, std::memory_order_seq_cst)) {
        preferred = index;
        return &slot;
      }
    }
    Block* next = block->next.load(std::memory_order_acquire);
    block = next != nullptr ? next : add_block(block);
  }
}

ViewRegistry::Block* ViewRegistry::add_block(Block* last) {
  auto* added = new Block;
  Block* expected = nullptr;
  if (last->next.compare_exchange_strong(expected, added, std::memory_order_seq_cst)) return added;
  delete added;
  return expected;
}

ViewPin ViewRegistry::acquire() {
  const ReadView* view = current_.load(std::memory_order_seq_cst);
  if (view == nullptr) return ViewPin();
  ViewSlot* slot = claim(view);
  while (true) {
    const ReadView* newest = current_.load(std::memory_order_seq_cst);
    if (newest == view) return ViewPin(slot);
    view = newest;
    slot->view.store(view, std::memory_order_seq_cst);
  }
}

void ViewRegistry::install(std::unique_ptr<const ReadView> view) {
  current_.store(view.get(), std::memory_order_seq_cst);
  if (owner_) retired_.push_back(std::move(owner_));
  owner_ = std::move(view);
}

std::vector<std::unique_ptr<const ReadView>> ViewRegistry::take_reclaimable() {
  std::vector<std::unique_ptr<const ReadView>> reclaimable;
  if (retired_.empty()) return reclaimable;
  std::vector<const ReadView*> held;
  for (const Block* block = &first_; block != nullptr; block = block->next.load(std::memory_order_seq_cst)) {
    for (const ViewSlot& slot : block->slots) {
      if (const ReadView* view = slot.view.load(std::memory_order_seq_cst)) held.push_back(view);
    }
  }
  const auto is_held = [&held](const std::unique_ptr<const ReadView>& view) {
    return std::find(held.begin(), held.end(), view.get()) != held.end();
  };
  const auto first_free = std::partition(retired_.begin(), retired_.end(), is_held);
  std::move(first_free, retired_.end(), std::back_inserter(reclaimable));
  retired_.erase(first_free, retired_.end());
  return reclaimable;
}

size_t ViewRegistry::pins() const {
  size_t count = 0;
  for (const Block* block = &first_; block != nullptr; block = block->next.load(std::memory_order_seq_cst)) {
    for (const ViewSlot& slot : block->slots)
      count += slot.view.load(std::memory_order_seq_cst) != nullptr ? 1 : 0;
  }
  return count;
}

}  // namespace ashlar::lsm
