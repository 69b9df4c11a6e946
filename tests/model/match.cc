#include "model/match.h"

#include <algorithm>

namespace ashlar::model {

Matcher::Matcher(const History& history, Commit low, Commit high)
    : history_(&history),
      low_(low),
      high_(high),
      subsets_(size_t{1} << history.doubts().size()),
      steps_(subsets_, std::vector<int32_t>(high - low + 2, 0)) {}

void Matcher::vote(size_t subset, uint64_t from, uint64_t to) {
  from = std::max<uint64_t>(from, low_);
  to = std::min<uint64_t>(to, uint64_t{high_} + 1);
  if (from >= to) return;
  ++steps_[subset][from - low_];
  --steps_[subset][to - low_];
}

void Matcher::key(Slot slot, Rank rank, const Bytes* found) {
  ++voters_;
  for (size_t subset = 0; subset < subsets_; ++subset) {
    uint64_t end = uint64_t{high_} + 1;
    const Version* version = history_->newest(slot, rank);
    while (true) {
      if (version != nullptr && version->in_doubt) {
        const auto& doubts = history_->doubts();
        const auto at = std::find(doubts.begin(), doubts.end(), version->commit) - doubts.begin();
        if ((subset >> at & 1) == 0) {
          version = history_->older(*version);
          continue;
        }
      }
      const uint64_t begin = version == nullptr ? 0 : version->commit;
      const bool absent = version == nullptr || version->removed;
      const bool fits = absent ? found == nullptr : found != nullptr && *found == version->value();
      if (fits) vote(subset, begin, end);
      if (version == nullptr || begin <= low_) break;
      end = begin;
      version = history_->older(*version);
    }
  }
}

std::optional<Matcher::State> Matcher::best() const {
  std::optional<State> best;
  for (size_t subset = 0; subset < subsets_; ++subset) {
    int32_t votes = 0;
    for (Commit commit = low_; commit <= high_; ++commit) {
      votes += steps_[subset][commit - low_];
      if (votes != voters_) continue;
      if (!best || commit > best->commit) best = State{commit, static_cast<uint32_t>(subset)};
    }
  }
  return best;
}

Matcher::Nearest Matcher::nearest() const {
  Nearest nearest{{low_, 0}, 0, voters_};
  for (size_t subset = 0; subset < subsets_; ++subset) {
    int32_t votes = 0;
    for (Commit commit = low_; commit <= high_; ++commit) {
      votes += steps_[subset][commit - low_];
      if (votes >= nearest.votes) nearest = {{commit, static_cast<uint32_t>(subset)}, votes, voters_};
    }
  }
  return nearest;
}

bool fits(const History& history, Slot slot, Rank rank, Matcher::State state, const Bytes* found) {
  const Version* version = history.newest(slot, rank);
  for (; version != nullptr; version = history.older(*version)) {
    if (version->commit > state.commit) continue;
    if (!version->in_doubt) break;
    const auto& doubts = history.doubts();
    const auto at = std::find(doubts.begin(), doubts.end(), version->commit) - doubts.begin();
    if ((state.present >> at & 1) != 0) break;
  }
  if (version == nullptr || version->removed) return found == nullptr;
  return found != nullptr && *found == version->value();
}

}  // namespace ashlar::model
