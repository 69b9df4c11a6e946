#include "run/index.h"

#include "run/block_builder.h"
#include "run/format.h"

namespace ashlar::run {

namespace {

constexpr uint64_t kBeforeAllVersions = ~uint64_t{0};
constexpr size_t kBytesPerBlock = 3 * sizeof(uint64_t);

// The first eight bytes as a number that compares like them; zeros where there are fewer.
uint64_t prefix_of(Bytes key_rest) {
  if (key_rest.size() >= 8) return __builtin_bswap64(load_u64(key_rest.data()));
  char padded[8] = {};
  std::memcpy(padded, key_rest.data(), key_rest.size());
  return __builtin_bswap64(load_u64(padded));
}

}  // namespace

void IndexBuilder::add_block(uint64_t offset, Bytes previous_key, Bytes first_key, uint64_t first_trailer) {
  Bytes separator = first_key;
  uint64_t trailer = kBeforeAllVersions;
  if (!offsets_.empty()) {
    if (previous_key == first_key) {
      trailer = first_trailer;
    } else {
      separator = first_key.substr(0, shared_prefix(previous_key, first_key) + 1);
    }
  }
  offsets_.push_back(offset);
  trailers_.push_back(trailer);
  keys_.append(separator);
  key_ends_.push_back(keys_.size());
}

Bytes IndexBuilder::key(size_t block) const {
  const uint64_t begin = block == 0 ? 0 : key_ends_[block - 1];
  return Bytes(keys_).substr(begin, key_ends_[block] - begin);
}

// Keys between the first and the last share what these two share.
size_t IndexBuilder::common_bytes() const {
  return offsets_.empty() ? 0 : shared_prefix(key(0), key(offsets_.size() - 1));
}

uint64_t IndexBuilder::separator_bytes() const {
  const size_t count = offsets_.size();
  return count == 0 ? 0 : keys_.size() - (count - 1) * common_bytes() + count * sizeof(uint64_t);
}

uint64_t IndexBuilder::section_bytes() const {
  return Index::kHeadBytes + offsets_.size() * kBytesPerBlock + separator_bytes();
}

std::string IndexBuilder::finish(uint64_t blocks_end) const {
  const size_t count = offsets_.size();
  const size_t common = common_bytes();
  std::string section;
  section.reserve(static_cast<size_t>(section_bytes()));
  append_u64(section, count);
  append_u64(section, blocks_end);
  append_u32(section, static_cast<uint32_t>(common));
  append_u32(section, 0);
  append_u64(section, separator_bytes());
  for (size_t i = 0; i < count; ++i) append_u64(section, prefix_of(key(i).substr(common)));
  for (const uint64_t offset : offsets_) append_u64(section, offset);
  uint64_t end = common;
  for (size_t i = 0; i < count; ++i) append_u64(section, end += sizeof(uint64_t) + key(i).size() - common);
  if (count > 0) section.append(key(0).substr(0, common));
  for (size_t i = 0; i < count; ++i) {
    append_u64(section, trailers_[i]);
    section.append(key(i).substr(common));
  }
  return section;
}

Result<Index> Index::parse(Bytes section, uint64_t blocks_begin, uint64_t blocks_end) {
  if (section.size() < kHeadBytes) return mismatch("index bytes", kHeadBytes, section.size());
  const char* at = section.data();
  const uint64_t count = load_u64(at);
  Index index;
  index.blocks_end_ = load_u64(at + 8);
  const uint32_t common = load_u32(at + 16);
  const uint64_t separator_bytes = load_u64(at + 24);
  if (load_u32(at + 20) != 0) return mismatch("reserved index bytes", 0, load_u32(at + 20));
  if (index.blocks_end_ != blocks_end) return mismatch("end of the blocks", blocks_end, index.blocks_end_);
  const uint64_t room = section.size() - kHeadBytes;
  if (count > room / kBytesPerBlock) return mismatch("blocks in the index", room / kBytesPerBlock, count);
  if (separator_bytes != room - count * kBytesPerBlock) {
    return mismatch("separator bytes", room - count * kBytesPerBlock, separator_bytes);
  }
  if (common > separator_bytes) return mismatch("common prefix bytes", separator_bytes, common);
  index.block_count_ = static_cast<size_t>(count);
  index.prefixes_ = at + kHeadBytes;
  index.offsets_ = index.prefixes_ + count * sizeof(uint64_t);
  index.separator_ends_ = index.offsets_ + count * sizeof(uint64_t);
  index.separators_ = index.separator_ends_ + count * sizeof(uint64_t);
  index.common_ = Bytes(index.separators_, common);
  const uint64_t last_end = count == 0 ? common : load(index.separator_ends_, index.block_count_ - 1);
  if (last_end != separator_bytes) return mismatch("end of the separators", separator_bytes, last_end);
  ASHLAR_TRY(index.check(blocks_begin));
  return index;
}

Status Index::check(uint64_t blocks_begin) const {
  if (offset(0) != blocks_begin) return mismatch("first block at", blocks_begin, offset(0));
  uint64_t separator_end = common_.size();
  const uint64_t separators_end = block_count_ == 0 ? 0 : load(separator_ends_, block_count_ - 1);
  for (size_t i = 0; i < block_count_; ++i) {
    if (offset(i + 1) <= offset(i)) return mismatch("block after", offset(i), offset(i + 1));
    const uint64_t end = load(separator_ends_, i);
    if (end > separators_end || end < separator_end || end - separator_end < sizeof(uint64_t)) {
      return mismatch("separator after", separator_end, end);
    }
    separator_end = end;
    const Bytes current = separator(i);
    const Bytes key_rest = current.substr(sizeof(uint64_t));
    const uint64_t prefix = load(prefixes_, i);
    if (prefix != prefix_of(key_rest)) return mismatch("prefix of a separator", prefix_of(key_rest), prefix);
    if (i > 0 && compare_rest(i - 1, key_rest, load_u64(current.data())) >= 0) {
      return mismatch("order of the separators, block", i, i - 1);
    }
  }
  return ok_status();
}

Bytes Index::separator(size_t block) const {
  const uint64_t begin = block == 0 ? common_.size() : load(separator_ends_, block - 1);
  return {separators_ + begin, static_cast<size_t>(load(separator_ends_, block) - begin)};
}

int Index::compare_rest(size_t block, Bytes key_rest, uint64_t trailer) const {
  const Bytes found = separator(block);
  const int order = found.substr(sizeof(uint64_t)).compare(key_rest);
  if (order != 0) return order;
  const uint64_t found_trailer = load_u64(found.data());
  return found_trailer > trailer ? -1 : (found_trailer < trailer ? 1 : 0);
}

int Index::compare(size_t block, Bytes key, uint64_t trailer) const {
  const int order = common_.compare(key.substr(0, common_.size()));
  return order != 0 ? order : compare_rest(block, key.substr(common_.size()), trailer);
}

bool Index::continues_key(size_t block) const {
  return load_u64(separator(block).data()) != kBeforeAllVersions;
}

size_t Index::find(Bytes key, uint64_t trailer) const {
  if (block_count_ == 0) return kNone;
  const int order = common_.compare(key.substr(0, common_.size()));
  if (order > 0) return kNone;
  if (order < 0) return block_count_ - 1;
  const Bytes key_rest = key.substr(common_.size());
  const uint64_t prefix = prefix_of(key_rest);
  // Branch-free halving: `low` is the number of prefixes known to be below, or at most, the wanted one.
  size_t low = 0;
  for (size_t size = block_count_; size > 0;) {
    const size_t half = size / 2;
    const bool right = load(prefixes_, low + half) <= prefix;
    low += right ? half + 1 : 0;
    size = right ? size - half - 1 : half;
  }
  // Among equal prefixes the whole separators decide. Usually there is one, and one comparison.
  if (low == 0 || load(prefixes_, low - 1) < prefix || compare_rest(low - 1, key_rest, trailer) <= 0)
    return low - 1;
  size_t high = low - 1;  // its separator is after the target
  low = 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (load(prefixes_, middle) < prefix || compare_rest(middle, key_rest, trailer) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
static_assert(Index::kNone == size_t{0} - 1, "find() returns low - 1 for none");

}  // namespace ashlar::run
