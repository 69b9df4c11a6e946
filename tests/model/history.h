// The reference database: every version of every key, by number of the commit that wrote it.
//
//   commit        1      2      3      4 (in doubt)     5
//   default "a"   v1            gone                    v9        <- chains, newest first
//   other   ""           v2            v7
//
//   state(M, present) of a key = its newest version with commit <= M, where a commit in doubt counts only if present
//
// A commit is acknowledged (certainly in), in doubt (an error that says "indeterminate", or a crash in the middle), or
// rejected (never in: it leaves no trace here). `visible` of a doubt is what the running process shows; a reopen may
// decide otherwise, and then it is decided for good.
//
// H1 Commit numbers rise by one and are never used twice.
// H2 floor() <= last(): versions below what floor() needs may be forgotten; no view below it is asked for.
// Threads: one.
#pragma once

#include <vector>

#include "model/keys.h"
#include "model/values.h"

namespace ashlar::model {

using Commit = uint32_t;
using Slot = uint32_t;  // index of a keyspace of the model

struct Version {
  Commit commit = 0;
  uint32_t older = 0;  // index; 0 = none
  uint32_t tag = 0;
  uint32_t size_bytes = 0;
  bool removed = false;
  bool in_doubt = false;

  Bytes value() const { return value_bytes(tag, size_bytes); }
};

class History {
 public:
  explicit History(const KeySet& keys);

  const KeySet& keys() const noexcept { return *keys_; }
  Slot add_slot();
  Slot slots() const noexcept { return static_cast<Slot>(heads_.size()); }

  // One commit: stage its mutations in order, then settle it. Settling an empty commit is legal.
  void stage_put(Slot slot, Rank rank, uint32_t tag, uint32_t size_bytes);
  void stage_remove(Slot slot, Rank rank);
  Commit accept();
  void reject();
  Commit doubt(bool visible);

  // Last commit that is accepted or in doubt.
  Commit last() const noexcept { return last_; }

  // Present value of a key at the end of commit `at`, as this process shows it; null = absent.
  const Version* get(Slot slot, Rank rank, Commit at) const {
    uint32_t index = heads_[slot][rank];
    while (index != 0) {
      const Version& version = versions_[index];
      if (version.commit <= at && (!version.in_doubt || doubt_visible(version.commit))) {
        return version.removed ? nullptr : &version;
      }
      index = version.older;
    }
    return nullptr;
  }
  // First rank at or after `from` (last at or before) that is present; keys().size() when there is none.
  Rank next_present(Slot slot, Rank from, Commit at) const;
  Rank previous_present(Slot slot, Rank from, Commit at) const;

  const Version* newest(Slot slot, Rank rank) const { return older_at(heads_[slot][rank]); }
  const Version* older(const Version& version) const { return older_at(version.older); }

  // Commits in doubt, oldest first, at most kMaxDoubts.
  static constexpr size_t kMaxDoubts = 4;
  const std::vector<Commit>& doubts() const noexcept { return doubts_; }
  bool doubt_visible(Commit commit) const;

  // A reopen showed the state (commit, present): what lies behind it never happened. Bit i of `present` = doubts()[i].
  void truncate(Commit commit, uint32_t present);
  // Forgets what no view at or after `floor` can see.
  void prune(Commit floor);

 private:
  struct Staged {
    Slot slot;
    Rank rank;
    uint32_t tag;
    uint32_t size_bytes;
    bool removed;
  };
  const Version* older_at(uint32_t index) const { return index == 0 ? nullptr : &versions_[index]; }
  Commit settle(bool in_doubt);
  template <typename Keep>
  void rebuild(Commit floor, const Keep& keep);

  const KeySet* keys_;
  std::vector<std::vector<uint32_t>> heads_;
  std::vector<Version> versions_;  // [0] is not used
  std::vector<Staged> staged_;
  std::vector<Commit> doubts_;
  std::vector<bool> visible_;
  Commit last_ = 0;
  Commit next_ = 1;
};

}  // namespace ashlar::model
