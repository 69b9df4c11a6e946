#include "run/block.h"

#include <cstdlib>
#include <new>

#include "run/block_builder.h"
#include "run/format.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ashlar::run {

namespace {

// From here on the C library's allocator takes fresh pages for each allocation.
constexpr size_t kOwnMappingBytes = 128 * 1024;
constexpr size_t kPageBytes = 4096;

Status bad_entry(uint32_t i, std::string_view what) {
  return corruption("entry " + std::to_string(i) + " of a block: " + std::string(what));
}

}  // namespace

Result<BlockView> BlockView::parse(Bytes payload) {
  if (payload.size() < kPayloadHeadBytes) return mismatch("payload bytes", kPayloadHeadBytes, payload.size());
  if (payload.size() > UINT32_MAX) return mismatch("payload bytes", UINT32_MAX, payload.size());
  const char* head = payload.data();
  BlockView view;
  view.payload_ = head;
  view.count_ = load_u32(head);
  const auto width = static_cast<uint8_t>(head[4]);
  view.restart_log2_ = static_cast<uint8_t>(head[5]);
  if (width != 2 && width != 4) return mismatch("offset width", 2, width);
  if (view.restart_log2_ > kMaxRestartLog2)
    return mismatch("restart interval", kRestartLog2, view.restart_log2_);
  if (load_u16(head + 6) != 0) return mismatch("reserved payload bytes", 0, load_u16(head + 6));
  view.wide_ = width == 4;
  const uint64_t tables = table_bytes(view.count_, width);
  if (view.count_ == 0 || tables > payload.size())
    return mismatch("entries of a block", payload.size(), view.count_);
  view.entries_at_ = static_cast<uint32_t>(tables);
  ASHLAR_TRY(view.check_entries(static_cast<uint32_t>(payload.size() - tables)));
  return view;
}

Status BlockView::check_entries(uint32_t entries_bytes) const {
  const char* entries = payload_ + entries_at_;
  uint64_t expected = 0;
  size_t restart_bytes = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const uint32_t begin = offset(i);
    const uint32_t end = offset(i + 1);
    // Touching entries, ascending: the first begins at 0, the last ends with the payload.
    if (begin != expected || end <= begin || end > entries_bytes) return bad_entry(i, "offset out of order");
    expected = end;
    const char* at = entries + begin;
    const char* limit = entries + end;
    uint64_t shared = 0;
    uint64_t rest = 0;
    at = load_varint(at, limit, &shared);
    if (at == nullptr) return bad_entry(i, "shared size");
    at = load_varint(at, limit, &rest);
    if (at == nullptr || static_cast<size_t>(limit - at) < sizeof(uint64_t)) return bad_entry(i, "rest size");
    if (!kv::is_known_kind(static_cast<uint8_t>(*at))) {
      return unsupported_format("entry " + std::to_string(i) + " of a block: kind " +
                                std::to_string(static_cast<uint8_t>(*at)));
    }
    at += sizeof(uint64_t);
    if (rest > static_cast<size_t>(limit - at)) return bad_entry(i, "key longer than the entry");
    if (is_restart(i)) {
      if (shared != 0) return bad_entry(i, "restart without a whole key");
      restart_bytes = static_cast<size_t>(rest);
    }
    if (shared > restart_bytes) return bad_entry(i, "shares more than there is");
    const uint64_t key_bytes = shared + rest;
    if (key_bytes < kv::kKeyspacePrefixBytes || key_bytes > kv::kKeyspacePrefixBytes + kv::kMaxKeyBytes) {
      return bad_entry(i, "key size");
    }
  }
  return expected == entries_bytes ? ok_status() : bad_entry(count_, "bytes after the last one");
}

std::string BlockView::key(uint32_t i) const {
  const Entry found = entry(i);
  std::string key(restart_key(i).substr(0, found.shared));
  key.append(found.rest);
  return key;
}

bool BlockView::key_equals(const Entry& entry, uint32_t i, Bytes key) const {
  if (key.size() != entry.shared + entry.rest.size()) return false;
  if (std::memcmp(key.data() + entry.shared, entry.rest.data(), entry.rest.size()) != 0) return false;
  return entry.shared == 0 || std::memcmp(key.data(), restart_key(i).data(), entry.shared) == 0;
}

uint32_t BlockView::lower_bound(Bytes key, uint64_t trailer) const {
  // The last restart before the target: the answer lies behind it, at or before the next one.
  uint32_t low = 0;
  uint32_t high = ((count_ - 1) >> restart_log2_) + 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const Entry restart = entry(middle << restart_log2_);
    if (kv::compare_entries(restart.rest, restart.trailer, key, trailer) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return 0;
  const uint32_t restart = (low - 1) << restart_log2_;
  const size_t common = shared_prefix(entry(restart).rest, key);
  low = restart + 1;
  high =
      count_ - restart > (uint32_t{1} << restart_log2_) ? restart + (uint32_t{1} << restart_log2_) : count_;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const Entry found = entry(middle);
    // An entry that shares more with the restart than the target does is, like the restart, before the target.
    bool before = found.shared > common;
    if (!before) {
      const int order = found.rest.compare(key.substr(found.shared));
      before = order < 0 || (order == 0 && found.trailer > trailer);
    }
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint32_t BlockView::next_with_fingerprint(uint32_t from, uint8_t fingerprint) const {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(fingerprint));
  for (uint32_t i = from; i < count_; i += 16) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(fingerprints() + i));
    const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, wanted)));
    if (mask != 0) {
      const uint32_t found = i + static_cast<uint32_t>(__builtin_ctz(mask));
      return found < count_ ? found : count_;
    }
  }
  return count_;
#else
  uint32_t i = from;
  while (i < count_ && static_cast<uint8_t>(fingerprints()[i]) != fingerprint) ++i;
  return i;
#endif
}
static_assert(kSlackBytes >= 16, "fingerprints are loaded sixteen at a time");

BlockView::Search BlockView::find(Bytes key, uint64_t key_hash, uint64_t seek_trailer) const {
  const uint8_t wanted = fingerprint_of(key_hash);
  for (uint32_t i = next_with_fingerprint(0, wanted); i < count_; i = next_with_fingerprint(i + 1, wanted)) {
    const Entry candidate = entry(i);
    if (key_equals(candidate, i, key)) return newest_from(i, candidate, key, seek_trailer);
  }
  return {};
}

// `first` is the newest version in the block; the others follow it.
BlockView::Search BlockView::newest_from(uint32_t first, Entry entry_at, Bytes key,
                                         uint64_t seek_trailer) const {
  uint32_t i = first;
  while (entry_at.trailer > seek_trailer) {
    if (++i == count_) {
      Search search;
      search.key_ends_block = true;
      return search;
    }
    entry_at = entry(i);
    if (!key_equals(entry_at, i, key)) return {};
  }
  return {i, true, false, entry_at.trailer, entry_at.value};
}

Pin Block::create(size_t data_bytes) {
  constexpr size_t kAlignment = alignof(Block);
  const size_t bytes = (sizeof(Block) + data_bytes + kSlackBytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, bytes);
  ASHLAR_CHECK(memory != nullptr);
  // What an aligned allocation may cost beyond its size; a large one is a mapping of its own, in whole pages.
  const size_t overhead = kAlignment + 16 + (bytes >= kOwnMappingBytes ? kPageBytes : 0);
  auto* block = new (memory) Block(data_bytes, bytes + overhead);
  std::memset(block->data() + data_bytes, 0, kSlackBytes);
  return Pin(block);
}

void Block::destroy() noexcept {
  this->~Block();
  std::free(this);
}

}  // namespace ashlar::run
