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

void BlockBuilder::add_key(Bytes key, uint8_t fingerprint, uint64_t trailer) {
  constexpr size_t kRestartInterval = size_t{1} << kRestartLog2;
  const bool restart = offsets_.size() % kRestartInterval == 0;
  const size_t shared = restart ? 0 : shared_prefix(restart_key_, key);
  const size_t rest_bytes = key.size() - shared;
  offsets_.push_back(static_cast<uint32_t>(end_ - begin_));
  fingerprints_.push_back(fingerprint);
  end_ = store_varint(end_, shared);
  end_ = store_varint(end_, rest_bytes);
  store_u64(end_, trailer);
  end_ += sizeof trailer;
  std::memcpy(end_, key.data() + shared, rest_bytes);
  if (restart) restart_key_ = Bytes(end_, rest_bytes);
  end_ += rest_bytes;
}

char* BlockBuilder::store_tables(char* at, uint32_t entries_bytes) const {
  const bool wide = entries_bytes > kNarrowLimit;
  const auto store_offset = [&at, wide](uint32_t offset) {
    if (wide) {
      store_u32(at, offset);
      at += 4;
    } else {
      store_u16(at, static_cast<uint16_t>(offset));
      at += 2;
    }
  };
  for (const uint32_t offset : offsets_) store_offset(offset);
  store_offset(entries_bytes);
  std::memcpy(at, fingerprints_.data(), fingerprints_.size());
  at += fingerprints_.size();
  store_u32(at, count());
  at[4] = static_cast<char>(wide ? 4 : 2);
  at[5] = static_cast<char>(kRestartLog2);
  store_u16(at + 6, 0);
  return at + kBlockTailBytes;
}

}  // namespace ashlar::run
