// The keys of one test run: a small fixed set of awkward shapes, so that operations collide all the time.
//
//   rank   0     1      2        3     ...     sorted by bytes; a key is named by its rank everywhere in the model
//   key    ""    "\0"   "\0\0"   "a"   ...
//
// Shapes: the empty key, NULs, chains in which each key is a prefix of the next, runs of 0xff, big-endian numbers, long
// common prefixes, keys of about a kilobyte.
// Threads: immutable after construction.
#pragma once

#include <string>
#include <vector>

#include "base/prng.h"
#include "base/types.h"

namespace ashlar::model {

using Rank = uint32_t;

class KeySet {
 public:
  // About `count` different keys drawn from `prng`.
  KeySet(Prng& prng, size_t count);

  Rank size() const noexcept { return static_cast<Rank>(keys_.size()); }
  Bytes key(Rank rank) const { return keys_[rank]; }
  // First rank whose key is >= `key`; size() when there is none.
  Rank lower_bound(Bytes key) const;
  // The rank of exactly `key`; size() when it is none of ours.
  Rank find(Bytes key) const;
  // A key for seeks and bounds: one of ours, or one just beside it.
  std::string near_key(Prng& prng) const;

 private:
  std::vector<std::string> keys_;
};

// `key` as it may be printed: hexadecimal where it is not text.
std::string printable(Bytes key);

}  // namespace ashlar::model
