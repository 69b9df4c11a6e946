#include "model/history.h"

#include <algorithm>

#include "base/check.h"

namespace ashlar::model {

History::History(const KeySet& keys) : keys_(&keys), versions_(1) {}

Slot History::add_slot() {
  heads_.emplace_back(keys_->size(), 0);
  return slots() - 1;
}

void History::stage_put(Slot slot, Rank rank, uint32_t tag, uint32_t size_bytes) {
  staged_.push_back({slot, rank, tag, size_bytes, false});
}

void History::stage_remove(Slot slot, Rank rank) { staged_.push_back({slot, rank, 0, 0, true}); }

Commit History::settle(bool in_doubt) {
  last_ = next_++;
  for (const Staged& mutation : staged_) {
    uint32_t& head = heads_[mutation.slot][mutation.rank];
    Version version;
    version.commit = last_;
    version.older = head;
    version.tag = mutation.tag;
    version.size_bytes = mutation.size_bytes;
    version.removed = mutation.removed;
    version.in_doubt = in_doubt;
    head = static_cast<uint32_t>(versions_.size());
    versions_.push_back(version);
  }
  staged_.clear();
  return last_;
}

Commit History::accept() { return settle(false); }

void History::reject() { staged_.clear(); }

Commit History::doubt(bool visible) {
  ASHLAR_CHECK(doubts_.size() < kMaxDoubts);
  const Commit commit = settle(true);
  doubts_.push_back(commit);
  visible_.push_back(visible);
  return commit;
}

bool History::doubt_visible(Commit commit) const {
  for (size_t i = 0; i < doubts_.size(); ++i) {
    if (doubts_[i] == commit) return visible_[i];
  }
  return true;  // decided long ago
}

Rank History::next_present(Slot slot, Rank from, Commit at) const {
  for (Rank rank = from; rank < keys_->size(); ++rank) {
    if (get(slot, rank, at) != nullptr) return rank;
  }
  return keys_->size();
}

Rank History::previous_present(Slot slot, Rank from, Commit at) const {
  for (Rank rank = from + 1; rank-- > 0;) {
    if (get(slot, rank, at) != nullptr) return rank;
  }
  return keys_->size();
}

// Copies the versions that `keep` wants into a fresh pool, oldest first, and drops what hides behind `floor`.
template <typename Keep>
void History::rebuild(Commit floor, const Keep& keep) {
  std::vector<Version> kept(1);
  std::vector<Version> chain;
  for (auto& heads : heads_) {
    for (uint32_t& head : heads) {
      chain.clear();
      for (uint32_t index = head; index != 0; index = versions_[index].older) {
        Version& version = versions_[index];
        if (!keep(version)) continue;
        chain.push_back(version);
        if (version.commit <= floor && !version.in_doubt) break;
      }
      head = 0;
      while (!chain.empty()) {
        chain.back().older = head;
        head = static_cast<uint32_t>(kept.size());
        kept.push_back(chain.back());
        chain.pop_back();
      }
    }
  }
  versions_ = std::move(kept);
}

void History::truncate(Commit commit, uint32_t present) {
  std::vector<Commit> absent;
  for (size_t i = 0; i < doubts_.size(); ++i) {
    if ((present >> i & 1) == 0) absent.push_back(doubts_[i]);
  }
  rebuild(0, [&](Version& version) {
    if (version.commit > commit) return false;
    if (!version.in_doubt) return true;
    version.in_doubt = false;
    return std::find(absent.begin(), absent.end(), version.commit) == absent.end();
  });
  doubts_.clear();
  visible_.clear();
  last_ = commit;
}

void History::prune(Commit floor) {
  rebuild(floor, [](Version&) { return true; });
}

}  // namespace ashlar::model
