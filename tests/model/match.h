// Finds which state of the history a reopened database shows, from one scan of it.
//
//   key "a": versions at 3, 8, 20   observed = the one of 8     ->  possible commits [8, 20)
//   key "b": versions at 5, 12      observed = the one of 12    ->  possible commits [12, end]
//   all keys: the commits that every key allows                 ->  [12, 20): a prefix; else the promise is broken
//
// Each key adds its interval to a difference array, once per subset of the commits in doubt; a state is right when all
// keys voted for it. Cost: one step per key and per version after `low`.
// Threads: one. Call key() exactly once for every (slot, rank) that is compared.
#pragma once

#include <optional>
#include <vector>

#include "model/history.h"

namespace ashlar::model {

class Matcher {
 public:
  // Allowed states: after commit `low` to after commit `high`, both included.
  Matcher(const History& history, Commit low, Commit high);

  // What was found under a key; null = absent.
  void key(Slot slot, Rank rank, const Bytes* found);

  struct State {
    Commit commit;
    uint32_t present;  // subset of history.doubts()
  };
  // The latest state that fits everything.
  std::optional<State> best() const;
  // For people, where none fits: the state that fits most keys.
  struct Nearest {
    State state;
    int32_t votes;
    int32_t voters;
  };
  Nearest nearest() const;

 private:
  void vote(size_t subset, uint64_t from, uint64_t to);  // [from, to)

  const History* history_;
  Commit low_;
  Commit high_;
  size_t subsets_;
  std::vector<std::vector<int32_t>> steps_;
  int32_t voters_ = 0;
};

// Whether one key fits one state; to name the keys that do not.
bool fits(const History& history, Slot slot, Rank rank, Matcher::State state, const Bytes* found);

}  // namespace ashlar::model
