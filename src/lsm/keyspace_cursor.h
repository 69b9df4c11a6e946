// A cursor over stored keys, narrowed to one keyspace and speaking user keys.
//
//   stored   [0|a] [0|b] [7|a] [7|c] [9|a]        keyspace 7:   [a] [c]
//
// Lifetime: as the cursor below promises. Threads: one at a time.
#pragma once

#include <memory>
#include <string>

#include "kv/cursor.h"

namespace ashlar::lsm {

class KeyspaceCursor final : public kv::Cursor {
 public:
  KeyspaceCursor(std::unique_ptr<kv::Cursor> stored, KeyspaceId keyspace);

  Status status() const override;
  void seek_first() override;
  void seek_last() override;
  void seek(Bytes key, uint64_t trailer) override;
  void seek_for_previous(Bytes key, uint64_t trailer) override;
  void next() override;
  void previous() override;

 private:
  void show();

  std::unique_ptr<kv::Cursor> stored_;
  KeyspaceId keyspace_;
  std::string seek_key_;
};

}  // namespace ashlar::lsm
