#include "run/block_builder.h"

#include <bit>

namespace ashlar::run {

static_assert(varint_size(kv::kMaxKeyBytes + kv::kKeyspacePrefixBytes) <= 4, "BlockBuilder::kEntryHeadBytes");

size_t shared_prefix(Bytes a, Bytes b) {
  const size_t limit = a.size() < b.size() ? a.size() : b.size();
  size_t i = 0;
  for (; i + 8 <= limit; i += 8) {
    const uint64_t difference = load_u64(a.data() + i) ^ load_u64(b.data() + i);
    if (difference != 0) return i + static_cast<size_t>(std::countr_zero(difference)) / 8;
  }
  while (i < limit && a[i] == b[i]) ++i;
  return i;
}

namespace {

// Two varints, a trailer, and the least key.
constexpr size_t kMinEntryBytes = 2 + sizeof(uint64_t) + kv::kKeyspacePrefixBytes;

size_t max_table_bytes(size_t max_payload_bytes) {
  return static_cast<size_t>(table_bytes(max_payload_bytes / kMinEntryBytes + 1, 4));
}

char* store_entry_head(char* at, size_t shared, size_t rest_bytes, uint64_t trailer) {
  at = store_varint(at, shared);
  at = store_varint(at, rest_bytes);
  store_u64(at, trailer);
  return at + sizeof trailer;
}

void store_payload_head(char* at, uint32_t count, uint8_t offset_width) {
  store_u32(at, count);
  at[4] = static_cast<char>(offset_width);
  at[5] = static_cast<char>(kRestartLog2);
  store_u16(at + 6, 0);
}

}  // namespace

BlockBuilder::BlockBuilder(size_t max_payload_bytes)
    : scratch_(
          std::make_unique_for_overwrite<char[]>(max_table_bytes(max_payload_bytes) + max_payload_bytes)),
      entries_(scratch_.get() + max_table_bytes(max_payload_bytes)),
      end_(entries_) {}

void BlockBuilder::add(Bytes key, uint8_t fingerprint, uint64_t trailer, Bytes value) {
  constexpr size_t kRestartInterval = size_t{1} << kRestartLog2;
  const bool restart = offsets_.size() % kRestartInterval == 0;
  const size_t shared = restart ? 0 : shared_prefix(restart_key_, key);
  const size_t rest_bytes = key.size() - shared;
  offsets_.push_back(static_cast<uint32_t>(end_ - entries_));
  fingerprints_.push_back(fingerprint);
  end_ = store_entry_head(end_, shared, rest_bytes, trailer);
  std::memcpy(end_, key.data() + shared, rest_bytes);
  if (restart) restart_key_ = Bytes(end_, rest_bytes);
  end_ += rest_bytes;
  std::memcpy(end_, value.data(), value.size());
  end_ += value.size();
}

Bytes BlockBuilder::finish() {
  ASHLAR_CHECK(!offsets_.empty());
  const auto entries_bytes = static_cast<uint32_t>(end_ - entries_);
  const size_t payload = payload_bytes();
  const bool wide = entries_bytes > kNarrowLimit;
  char* const begin = end_ - payload;
  store_payload_head(begin, count(), wide ? 4 : 2);
  char* at = begin + kPayloadHeadBytes;
  std::memcpy(at, fingerprints_.data(), fingerprints_.size());
  at += fingerprints_.size();
  offsets_.push_back(entries_bytes);
  for (const uint32_t offset : offsets_) {
    if (wide) {
      store_u32(at, offset);
      at += 4;
    } else {
      store_u16(at, static_cast<uint16_t>(offset));
      at += 2;
    }
  }
  ASHLAR_CHECK(at == entries_);
  offsets_.clear();
  fingerprints_.clear();
  end_ = entries_;
  return {begin, payload};
}

std::string BlockBuilder::large_front(Bytes key, uint8_t fingerprint, uint64_t trailer,
                                      uint64_t value_bytes) {
  std::string front(max_payload_bytes(key.size()), '\0');
  char* const entry = front.data() + table_bytes(1, 4);
  char* const key_at = store_entry_head(entry, 0, key.size(), trailer);
  std::memcpy(key_at, key.data(), key.size());
  front.resize(static_cast<size_t>(key_at - front.data()) + key.size());
  const auto entry_bytes = static_cast<size_t>(front.data() + front.size() - entry) + value_bytes;
  ASHLAR_CHECK(entry_bytes > kNarrowLimit && entry_bytes <= UINT32_MAX);
  store_payload_head(front.data(), 1, 4);
  front[kPayloadHeadBytes] = static_cast<char>(fingerprint);
  store_u32(front.data() + kPayloadHeadBytes + 1, 0);
  store_u32(front.data() + kPayloadHeadBytes + 5, static_cast<uint32_t>(entry_bytes));
  return front;
}

}  // namespace ashlar::run
