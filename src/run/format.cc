#include "run/format.h"

#include "base/checksum.h"
#include "run/options.h"

namespace ashlar::run {

namespace {

constexpr size_t kHeaderChecksumAt = 56;
static_assert(FileHeader::kMagic.size() == 8 && Footer::kMagic.size() == 8);
static_assert(kHeaderChecksumAt + 8 == FileHeader::kBytes);
static_assert(Footer::kChecksumAt + 8 == Footer::kBytes);

uint64_t header_checksum(const char* at) {
  return checksum(Bytes(at, kHeaderChecksumAt), static_cast<uint64_t>(Purpose::header));
}

std::string hexadecimal(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) {
    if (value >> shift != 0 || shift == 0) text.push_back(kDigits[value >> shift & 0xf]);
  }
  return text;
}

}  // namespace

Status mismatch(std::string_view what, uint64_t expected, uint64_t found) {
  std::string text(what);
  text += ": expected " + hexadecimal(expected) + ", found " + hexadecimal(found);
  return corruption(std::move(text));
}

uint64_t seed_of(Uuid database, RunId id, Purpose purpose) noexcept {
  return checksum_seed(database, id.value, static_cast<uint64_t>(purpose));
}

uint64_t chain_checksum(uint64_t chain, uint64_t next) noexcept {
  char words[16];
  store_u64(words, chain);
  store_u64(words + 8, next);
  return checksum(Bytes(words, sizeof words), 0);
}

void FileHeader::store(char* at) const {
  std::memset(at, 0, kBytes);
  std::memcpy(at, kMagic.data(), kMagic.size());
  store_u32(at + 8, version);
  store_u32(at + 12, kBytes);
  store_u64(at + 16, database.high);
  store_u64(at + 24, database.low);
  store_u64(at + 32, id.value);
  store_u64(at + kHeaderChecksumAt, header_checksum(at));
}

Result<FileHeader> FileHeader::load(Bytes bytes) {
  if (bytes.size() < kBytes) return mismatch("header bytes", kBytes, bytes.size());
  const char* at = bytes.data();
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return mismatch("magic of a run", load_u64(kMagic.data()), load_u64(at));
  }
  const uint64_t found = load_u64(at + kHeaderChecksumAt);
  if (const uint64_t expected = header_checksum(at); expected != found) {
    return mismatch("header checksum", expected, found);
  }
  FileHeader header;
  header.version = load_u32(at + 8);
  if (header.version > kFormatVersion) {
    return unsupported_format("run format version " + std::to_string(header.version) + ", newest known is " +
                              std::to_string(kFormatVersion));
  }
  if (header.version == 0) return mismatch("format version", kFormatVersion, 0);
  if (load_u32(at + 12) != kBytes) return mismatch("header size", kBytes, load_u32(at + 12));
  if ((load_u64(at + 40) | load_u64(at + 48)) != 0) return mismatch("reserved header bytes", 0, 1);
  header.database = {load_u64(at + 16), load_u64(at + 24)};
  header.id = RunId(load_u64(at + 32));
  return header;
}

void BlockHead::store(char* at) const {
  std::memset(at, 0, kBytes);
  store_u64(at, checksum);
  store_u32(at + 8, kMagic);
  at[12] = static_cast<char>(compression);
  at[13] = static_cast<char>(layout);
  store_u32(at + 16, stored_bytes);
  store_u32(at + 20, raw_bytes);
  store_u32(at + 24, front_bytes);
}

Result<BlockHead> BlockHead::load(Bytes block) {
  if (block.size() < kBytes) return mismatch("block bytes", kBytes, block.size());
  const char* at = block.data();
  if (load_u32(at + 8) != kMagic) return mismatch("magic of a block", kMagic, load_u32(at + 8));
  BlockHead head;
  head.checksum = load_u64(at);
  head.compression = static_cast<uint8_t>(at[12]);
  if (!is_known_compression(head.compression)) return mismatch("compression", 0, head.compression);
  const auto layout = static_cast<uint8_t>(at[13]);
  if (layout > 1) return mismatch("block layout", 0, layout);
  head.layout = static_cast<BlockLayout>(layout);
  if (load_u16(at + 14) != 0 || load_u32(at + 28) != 0) return mismatch("reserved block bytes", 0, 1);
  head.stored_bytes = load_u32(at + 16);
  head.raw_bytes = load_u32(at + 20);
  head.front_bytes = load_u32(at + 24);
  if (head.stored_bytes != block.size() - kBytes) {
    return mismatch("stored block bytes", block.size() - kBytes, head.stored_bytes);
  }
  if (head.compression == 0 && head.raw_bytes != head.stored_bytes) {
    return mismatch("raw block bytes", head.stored_bytes, head.raw_bytes);
  }
  if (head.layout == BlockLayout::ordinary) {
    if (head.front_bytes != 0) return mismatch("front bytes of an ordinary block", 0, head.front_bytes);
  } else if (head.front_bytes > head.stored_bytes || head.front_bytes > head.raw_bytes) {
    return mismatch("front bytes of a large block", head.stored_bytes, head.front_bytes);
  }
  return head;
}

uint64_t block_checksum(Bytes block, const BlockHead& head, uint64_t seed) noexcept {
  const Bytes covered = block.substr(BlockHead::kChecksumBytes);
  if (head.layout == BlockLayout::ordinary) return checksum(covered, seed);
  const size_t front = BlockHead::kBytes - BlockHead::kChecksumBytes + head.front_bytes;
  return checksum(covered.substr(front), checksum(covered.substr(0, front), seed));
}

uint64_t Footer::store(char* at, uint64_t seed) const {
  store_u64(at, filter_offset);
  store_u64(at + 8, index_offset);
  store_u64(at + 16, properties_offset);
  store_u64(at + 24, file_bytes);
  store_u64(at + 32, filter_checksum);
  store_u64(at + 40, index_checksum);
  store_u64(at + 48, properties_checksum);
  store_u32(at + 56, kFormatVersion);
  store_u32(at + 60, 0);
  std::memcpy(at + 64, kMagic.data(), kMagic.size());
  const uint64_t identity = checksum(Bytes(at, kChecksumAt), seed);
  store_u64(at + kChecksumAt, identity);
  return identity;
}

Result<Footer> Footer::load(Bytes bytes, uint64_t file_bytes, uint64_t seed, uint64_t* identity) {
  if (bytes.size() != kBytes) return mismatch("footer bytes", kBytes, bytes.size());
  const char* at = bytes.data();
  if (bytes.substr(64, kMagic.size()) != kMagic) {
    return mismatch("magic of a footer", load_u64(kMagic.data()), load_u64(at + 64));
  }
  *identity = load_u64(at + kChecksumAt);
  if (const uint64_t expected = checksum(bytes.substr(0, kChecksumAt), seed); expected != *identity) {
    return mismatch("footer checksum", expected, *identity);
  }
  if (load_u32(at + 56) != kFormatVersion)
    return mismatch("footer version", kFormatVersion, load_u32(at + 56));
  if (load_u32(at + 60) != 0) return mismatch("reserved footer bytes", 0, load_u32(at + 60));
  Footer footer;
  footer.filter_offset = load_u64(at);
  footer.index_offset = load_u64(at + 8);
  footer.properties_offset = load_u64(at + 16);
  footer.file_bytes = load_u64(at + 24);
  footer.filter_checksum = load_u64(at + 32);
  footer.index_checksum = load_u64(at + 40);
  footer.properties_checksum = load_u64(at + 48);
  if (footer.file_bytes != file_bytes) return mismatch("file bytes", footer.file_bytes, file_bytes);
  if (footer.filter_offset < FileHeader::kBytes || footer.index_offset < footer.filter_offset ||
      footer.properties_offset < footer.index_offset || footer.footer_offset() < footer.properties_offset) {
    return mismatch("order of the sections, filter offset", FileHeader::kBytes, footer.filter_offset);
  }
  return footer;
}

}  // namespace ashlar::run
