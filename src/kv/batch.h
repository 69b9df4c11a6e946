// A list of mutations in exactly the bytes that go into a journal frame.
//
//   entry = [kind u8][keyspace varint][key size varint]([value size varint] for put)[key][value]
//
// Building a batch encodes once; committing it is one copy and one checksum. Key and value lie next to each other, so the
// index can point at both with one pointer. Sizes are checked here: what is in a batch fits the format.
// Threads: one at a time.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "kv/entry.h"

namespace ashlar::kv {

// Checks the limits of one key and value; the text names what was too large and the limit.
Status check_sizes(size_t key_bytes, uint64_t value_bytes);

struct Mutation {
  Kind kind = Kind::put;
  KeyspaceId keyspace;
  Bytes key;
  Bytes value;  // empty for remove; otherwise key.data() + key.size()
};

// Bytes that encode_mutation will write.
size_t encoded_size(const Mutation& mutation);
// Writes at `at`; returns one past the end. Sets *key_at to where the key bytes went.
char* encode_mutation(char* at, const Mutation& mutation, char** key_at);
// Eats one mutation from the front of `in`; views point into `in`. False when the bytes are not one.
bool decode_mutation(Bytes& in, Mutation* mutation);

class Batch {
 public:
  Status put(KeyspaceId keyspace, Bytes key, Bytes value);
  Status remove(KeyspaceId keyspace, Bytes key);
  void clear();
  size_t count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  // Keyspaces that occur, each once.
  const std::vector<KeyspaceId>& keyspaces() const noexcept { return keyspaces_; }
  // All mutations, encoded.
  Bytes body() const noexcept { return body_; }

 private:
  Status append(const Mutation& mutation);
  std::string body_;
  size_t count_ = 0;
  std::vector<KeyspaceId> keyspaces_;
};

}  // namespace ashlar::kv
