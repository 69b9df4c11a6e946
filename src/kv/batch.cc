#include "kv/batch.h"

#include <algorithm>
#include <cstring>

namespace ashlar::kv {

Status check_sizes(size_t key_bytes, uint64_t value_bytes) {
  if (ASHLAR_UNLIKELY(key_bytes > kMaxKeyBytes)) {
    return limit_exceeded("key of " + std::to_string(key_bytes) + " bytes; the limit is " +
                          std::to_string(kMaxKeyBytes));
  }
  if (ASHLAR_UNLIKELY(value_bytes > kMaxValueBytes)) {
    return limit_exceeded("value of " + std::to_string(value_bytes) + " bytes; the limit is " +
                          std::to_string(kMaxValueBytes));
  }
  return ok_status();
}

size_t encoded_size(const Mutation& mutation) {
  size_t size =
      1 + varint_size(mutation.keyspace.value) + varint_size(mutation.key.size()) + mutation.key.size();
  if (mutation.kind == Kind::put) size += varint_size(mutation.value.size()) + mutation.value.size();
  return size;
}

char* encode_mutation(char* at, const Mutation& mutation, char** key_at) {
  *at++ = static_cast<char>(mutation.kind);
  at = store_varint(at, mutation.keyspace.value);
  at = store_varint(at, mutation.key.size());
  if (mutation.kind == Kind::put) at = store_varint(at, mutation.value.size());
  *key_at = at;
  if (!mutation.key.empty()) std::memcpy(at, mutation.key.data(), mutation.key.size());
  at += mutation.key.size();
  if (mutation.kind == Kind::put && !mutation.value.empty()) {
    std::memcpy(at, mutation.value.data(), mutation.value.size());
    at += mutation.value.size();
  }
  return at;
}

bool decode_mutation(Bytes& in, Mutation* mutation) {
  const char* at = in.data();
  const char* const end = at + in.size();
  if (at == end || !is_known_kind(static_cast<uint8_t>(*at))) return false;
  mutation->kind = static_cast<Kind>(*at++);
  uint64_t keyspace = 0;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  if ((at = load_varint(at, end, &keyspace)) == nullptr || keyspace > UINT32_MAX) return false;
  if ((at = load_varint(at, end, &key_bytes)) == nullptr || key_bytes > kMaxKeyBytes) return false;
  if (mutation->kind == Kind::put) {
    if ((at = load_varint(at, end, &value_bytes)) == nullptr || value_bytes > kMaxValueBytes) return false;
  }
  if (key_bytes + value_bytes > static_cast<uint64_t>(end - at)) return false;
  mutation->keyspace = KeyspaceId(static_cast<uint32_t>(keyspace));
  mutation->key = Bytes(at, key_bytes);
  mutation->value = Bytes(at + key_bytes, value_bytes);
  in.remove_prefix(static_cast<size_t>(at - in.data()) + key_bytes + value_bytes);
  return true;
}

Status Batch::put(KeyspaceId keyspace, Bytes key, Bytes value) {
  return append({Kind::put, keyspace, key, value});
}

Status Batch::remove(KeyspaceId keyspace, Bytes key) {
  return append({Kind::remove, keyspace, key, Bytes()});
}

void Batch::clear() {
  body_.clear();
  count_ = 0;
  keyspaces_.clear();
}

Status Batch::append(const Mutation& mutation) {
  ASHLAR_TRY(check_sizes(mutation.key.size(), mutation.value.size()));
  const size_t size = encoded_size(mutation);
  if (body_.size() + size > kMaxBatchBytes) {
    return limit_exceeded("batch of more than " + std::to_string(kMaxBatchBytes) + " bytes");
  }
  const size_t before = body_.size();
  if (before + size > body_.capacity()) body_.reserve(std::max(2 * body_.capacity(), before + size));
  body_.resize(before + size);
  char* key_at = nullptr;
  encode_mutation(body_.data() + before, mutation, &key_at);
  ++count_;
  if (std::find(keyspaces_.begin(), keyspaces_.end(), mutation.keyspace) == keyspaces_.end()) {
    keyspaces_.push_back(mutation.keyspace);
  }
  return ok_status();
}

}  // namespace ashlar::kv
