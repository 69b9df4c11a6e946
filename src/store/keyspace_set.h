// Which keyspace ids exist: an immutable set for the check on every read and write.
// Threads: any.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.h"

namespace ashlar::store {

class KeyspaceSet {
 public:
  explicit KeyspaceSet(std::vector<uint32_t> ids) : ids_(std::move(ids)) {
    std::sort(ids_.begin(), ids_.end());
  }
  bool contains(KeyspaceId keyspace) const {
    if (keyspace.value == 0) return true;  // the default one cannot be dropped
    return std::binary_search(ids_.begin(), ids_.end(), keyspace.value);
  }

 private:
  std::vector<uint32_t> ids_;
};

}  // namespace ashlar::store
