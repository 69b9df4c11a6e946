#include "delta/delta.h"

#include <algorithm>

namespace ashlar::delta {

Delta::Delta(std::unique_ptr<journal::Segment> segment, Sequence first, ReleaseSegment release)
    : segment_(std::move(segment)), release_(std::move(release)), first_(first), last_(first.value - 1) {}

Delta::~Delta() {
  if (release_ && flushed_.load(std::memory_order_acquire)) release_(std::move(segment_));
}

Status Delta::apply_frame(const journal::Frame& frame, const std::string& file_name) {
  Bytes rest = frame.body;
  kv::Mutation mutation;
  uint32_t applied = 0;
  while (!rest.empty()) {
    if (applied == frame.mutations || !kv::decode_mutation(rest, &mutation)) {
      return corruption(
          file_name + " at " +
          std::to_string(frame.offset + journal::kFrameHeaderBytes + frame.body.size() - rest.size()) +
          ": expected mutation " + std::to_string(applied + 1) + " of " + std::to_string(frame.mutations) +
          ", found bytes that are none");
    }
    apply(mutation, Sequence(frame.first_sequence.value + applied));
    ++applied;
  }
  if (applied == frame.mutations) return ok_status();
  return corruption(file_name + " at " + std::to_string(frame.offset) + ": expected " +
                    std::to_string(frame.mutations) + " mutations, found " + std::to_string(applied));
}

const art::Tree* Delta::find_tree(KeyspaceId keyspace) const {
  const Table* table = table_.load(std::memory_order_acquire);
  if (table == nullptr) return nullptr;
  for (const Entry& entry : *table) {
    if (entry.keyspace == keyspace) return entry.tree;
  }
  return nullptr;
}

std::vector<KeyspaceId> Delta::keyspaces() const {
  std::vector<KeyspaceId> ids;
  if (const Table* table = table_.load(std::memory_order_acquire)) {
    for (const Entry& entry : *table) ids.push_back(entry.keyspace);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

art::Tree& Delta::switch_tree(KeyspaceId keyspace) {
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table != nullptr) {
    for (const Entry& entry : *table) {
      if (entry.keyspace == keyspace) {
        last_tree_ = entry;
        return *entry.tree;
      }
    }
  }
  trees_.push_back(std::make_unique<art::Tree>(arena_));
  last_tree_ = {keyspace, trees_.back().get()};
  auto grown = table == nullptr ? std::make_unique<Table>() : std::make_unique<Table>(*table);
  grown->push_back(last_tree_);
  table_.store(grown.get(), std::memory_order_release);
  tables_.push_back(std::move(grown));
  return *last_tree_.tree;
}

}  // namespace ashlar::delta
