// A range of stored keys, lower end included, upper end excluded. Views; the caller keeps the bytes.
#pragma once

#include <array>

#include "kv/entry.h"

namespace ashlar::lsm {

struct KeyRange {
  Bytes lower;
  Bytes upper;
  bool has_upper = false;

  static KeyRange whole() { return {}; }
  // Whether the closed range [smallest, largest] has a key in common with this one.
  bool touches(Bytes smallest, Bytes largest) const {
    return largest >= lower && (!has_upper || smallest < upper);
  }
};

// Everything of one keyspace. Owns the two prefixes that its range views.
class KeyspaceRange {
 public:
  explicit KeyspaceRange(KeyspaceId keyspace) : has_upper_(keyspace.value != UINT32_MAX) {
    kv::store_keyspace_prefix(lower_.data(), keyspace);
    kv::store_keyspace_prefix(upper_.data(), KeyspaceId(keyspace.value + 1));
  }
  KeyRange range() const {
    return {Bytes(lower_.data(), lower_.size()), Bytes(upper_.data(), upper_.size()), has_upper_};
  }

 private:
  std::array<char, kv::kKeyspacePrefixBytes> lower_;
  std::array<char, kv::kKeyspacePrefixBytes> upper_;
  bool has_upper_;
};

}  // namespace ashlar::lsm
