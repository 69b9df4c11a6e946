#include "lsm/manifest_format.h"

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/prng.h"
#include "kv/entry.h"

namespace ashlar::lsm::manifest_format {

namespace {

constexpr Bytes kMagic = "ASHLMAN1";
constexpr Bytes kFilePrefix = "MANIFEST-";
constexpr size_t kMinDigits = 6;

// CURRENT has four lines: "ashlar current 1", the manifest's name, the uuid, the checksum of the lines
// before.
constexpr Bytes kCurrentTitle = "ashlar current ";
constexpr size_t kCurrentChecksumBytes = 17;

// Purposes of checksum seeds: "MAN" and a number.
constexpr uint64_t kHeadPurpose = 0x4d414e01;
constexpr uint64_t kTailPurpose = 0x4d414e02;
constexpr uint64_t kEditPurpose = 0x4d414e03;
constexpr uint64_t kCurrentPurpose = 0x4d414e04;

// The head, in block 0. The checksum covers the rest of the block.
constexpr size_t kHeadChecksumAt = 0;
constexpr size_t kHeadMagicAt = 8;
constexpr size_t kHeadVersionAt = 16;
constexpr size_t kHeadUuidHighAt = 24;
constexpr size_t kHeadUuidLowAt = 32;
constexpr size_t kHeadIdAt = 40;
static_assert(kHeadIdAt + 8 <= kBlockBytes);

// One copy of a tail.
constexpr size_t kTailChecksumAt = 0;
constexpr size_t kTailLastEditAt = 8;
constexpr size_t kTailValidBytesAt = 16;
constexpr size_t kTailBytes = 24;

// The head of an edit. The checksum covers all that follows it, the payload included.
constexpr size_t kEditChecksumAt = 0;
constexpr size_t kEditNumberAt = 8;
constexpr size_t kEditLengthAt = 16;
static_assert(kEditLengthAt + 8 == kEditHeadBytes);

uint64_t seed_at(const Identity& identity, uint64_t purpose, uint64_t offset) {
  uint64_t mixed = identity.manifest_id + offset * 0x9e3779b97f4a7c15u;
  return checksum_seed(identity.uuid, split_mix(mixed), purpose);
}

std::string hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (size_t i = 0; i < 16; ++i) text[i] = kDigits[value >> (60 - 4 * i) & 15];
  return text;
}

bool read_hex(Bytes text, uint64_t* value) {
  *value = 0;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) return false;
    *value = *value << 4 | static_cast<uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  return text.size() == 16;
}

Status damaged(const std::string& file, uint64_t offset, const std::string& what) {
  return corruption(file + " at " + std::to_string(offset) + ": " + what);
}

uint64_t blocks_for(uint64_t size_bytes) {
  return (size_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

// One block with two tails can hold copies of both while a crash interrupts its writing; the later one
// counts, as its edit was synced before the first of its copies was written.
struct TailBlock {
  Tail tail;
  bool has_good_copy = false;
  bool is_whole = true;  // eight equal copies
};

TailBlock read_tail_block(const Identity& identity, Bytes file, uint64_t block_offset) {
  TailBlock block;
  for (uint64_t offset = block_offset; offset < block_offset + kBlockBytes; offset += kTailCopyBytes) {
    const char* at = file.data() + offset;
    const Bytes covered(at + kTailLastEditAt, kTailBytes - kTailLastEditAt);
    if (load_u64(at + kTailChecksumAt) != checksum(covered, seed_at(identity, kTailPurpose, offset))) {
      block.is_whole = false;
      continue;
    }
    const Tail tail{load_u64(at + kTailLastEditAt), load_u64(at + kTailValidBytesAt)};
    if (block.has_good_copy && tail != block.tail) block.is_whole = false;
    if (!block.has_good_copy || tail.last_edit > block.tail.last_edit) block.tail = tail;
    block.has_good_copy = true;
  }
  return block;
}

}  // namespace

std::string file_name(uint64_t manifest_id) {
  std::string digits = std::to_string(manifest_id);
  if (digits.size() < kMinDigits) digits.insert(0, kMinDigits - digits.size(), '0');
  return std::string(kFilePrefix) + digits;
}

uint64_t parse_file_name(Bytes name) {
  if (!name.starts_with(kFilePrefix)) return 0;
  uint64_t id = 0;
  for (const char c : name.substr(kFilePrefix.size())) {
    if (c < '0' || c > '9' || id > UINT64_MAX / 10 - 1) return 0;
    id = id * 10 + static_cast<uint64_t>(c - '0');
  }
  return file_name(id) == name ? id : 0;
}

std::string encode_current(const Identity& identity) {
  std::string text(kCurrentTitle);
  text += std::to_string(kVersion) + "\n" + file_name(identity.manifest_id) + "\n" + hex(identity.uuid.high) +
          hex(identity.uuid.low) + "\n";
  return seal_current(std::move(text));
}

std::string seal_current(std::string text) {
  const std::string sum = hex(checksum(text, kCurrentPurpose));
  return std::move(text.append(sum).append("\n"));
}

Result<Identity> decode_current(Bytes bytes) {
  const std::string file = kCurrentName;
  if (bytes.size() < kCurrentChecksumBytes)
    return damaged(file, 0, "expected four lines, found " + std::to_string(bytes.size()) + " bytes");
  const size_t checksum_at = bytes.size() - kCurrentChecksumBytes;
  const std::string expected = hex(checksum(bytes.substr(0, checksum_at), kCurrentPurpose)) + "\n";
  if (bytes.substr(checksum_at) != expected)
    return damaged(file, checksum_at, "expected checksum " + expected.substr(0, 16) + ", found other bytes");
  const size_t title_end = bytes.find('\n');
  if (!bytes.starts_with(kCurrentTitle))
    return damaged(file, 0, "expected \"ashlar current\", found other bytes");
  const Bytes version = bytes.substr(kCurrentTitle.size(), title_end - kCurrentTitle.size());
  if (version != std::to_string(kVersion))
    return unsupported_format(file + ": written in version " + std::string(version) +
                              "; this build reads version " + std::to_string(kVersion));
  const Bytes rest = bytes.substr(title_end + 1, checksum_at - title_end - 1);
  const size_t name_end = rest.find('\n');
  Identity identity;
  if (name_end != Bytes::npos && rest.size() == name_end + 34) {
    identity.manifest_id = parse_file_name(rest.substr(0, name_end));
    const Bytes uuid = rest.substr(name_end + 1);
    if (!read_hex(uuid.substr(0, 16), &identity.uuid.high) ||
        !read_hex(uuid.substr(16, 16), &identity.uuid.low))
      identity.manifest_id = 0;
  }
  if (identity.manifest_id == 0 || encode_current(identity) != bytes)
    return damaged(file, title_end + 1, "expected a manifest's name and a uuid, found other bytes");
  return identity;
}

std::string encode_head(const Identity& identity) {
  std::string block(kBlockBytes, '\0');
  kMagic.copy(block.data() + kHeadMagicAt, kMagic.size());
  store_u32(block.data() + kHeadVersionAt, kVersion);
  store_u64(block.data() + kHeadUuidHighAt, identity.uuid.high);
  store_u64(block.data() + kHeadUuidLowAt, identity.uuid.low);
  store_u64(block.data() + kHeadIdAt, identity.manifest_id);
  store_u64(block.data() + kHeadChecksumAt, checksum(Bytes(block).substr(kHeadMagicAt), kHeadPurpose));
  return block;
}

Result<Identity> decode_head(Bytes block, const std::string& file) {
  if (block.size() < kBlockBytes)
    return damaged(file, 0, "expected a head of 4096 bytes, found " + std::to_string(block.size()));
  const uint64_t expected = checksum(block.substr(kHeadMagicAt, kBlockBytes - kHeadMagicAt), kHeadPurpose);
  const uint64_t found = load_u64(block.data() + kHeadChecksumAt);
  if (found != expected)
    return damaged(file, kHeadChecksumAt, "expected checksum " + hex(expected) + ", found " + hex(found));
  if (block.substr(kHeadMagicAt, kMagic.size()) != kMagic)
    return damaged(file, kHeadMagicAt, "expected the magic of a manifest, found other bytes");
  const uint32_t version = load_u32(block.data() + kHeadVersionAt);
  if (version != kVersion)
    return unsupported_format(file + ": written in version " + std::to_string(version) +
                              "; this build reads version " + std::to_string(kVersion));
  return Identity{{load_u64(block.data() + kHeadUuidHighAt), load_u64(block.data() + kHeadUuidLowAt)},
                  load_u64(block.data() + kHeadIdAt)};
}

std::string encode_tail(const Identity& identity, const Tail& tail, uint64_t offset) {
  std::string block(kBlockBytes, '\0');
  for (uint64_t copy = 0; copy < kBlockBytes; copy += kTailCopyBytes) {
    char* at = block.data() + copy;
    store_u64(at + kTailLastEditAt, tail.last_edit);
    store_u64(at + kTailValidBytesAt, tail.valid_bytes);
    const Bytes covered(at + kTailLastEditAt, kTailBytes - kTailLastEditAt);
    store_u64(at + kTailChecksumAt, checksum(covered, seed_at(identity, kTailPurpose, offset + copy)));
  }
  return block;
}

std::string encode_edit_record(const Identity& identity, uint64_t offset, uint64_t number, Bytes payload) {
  std::string record(blocks_for(kEditHeadBytes + payload.size()), '\0');
  store_u64(record.data() + kEditNumberAt, number);
  store_u64(record.data() + kEditLengthAt, payload.size());
  payload.copy(record.data() + kEditHeadBytes, payload.size());
  const Bytes covered = Bytes(record).substr(kEditNumberAt, kEditHeadBytes - kEditNumberAt + payload.size());
  store_u64(record.data() + kEditChecksumAt, checksum(covered, seed_at(identity, kEditPurpose, offset)));
  return record;
}

namespace {

// The end of the record at `offset`, or 0 where no edit `number` verifies there.
uint64_t read_record(const Identity& identity, Bytes file, uint64_t offset, uint64_t number, Bytes* payload) {
  if (file.size() < offset + kEditHeadBytes) return 0;
  const char* at = file.data() + offset;
  const uint64_t length_bytes = load_u64(at + kEditLengthAt);
  if (load_u64(at + kEditNumberAt) != number || length_bytes > kMaxEditBytes ||
      length_bytes > file.size() - offset - kEditHeadBytes)
    return 0;
  const Bytes covered(at + kEditNumberAt, kEditHeadBytes - kEditNumberAt + length_bytes);
  if (load_u64(at + kEditChecksumAt) != checksum(covered, seed_at(identity, kEditPurpose, offset))) return 0;
  *payload = Bytes(at + kEditHeadBytes, length_bytes);
  return offset + blocks_for(kEditHeadBytes + length_bytes);
}

Result<Tail> newest_tail(const Identity& identity, Bytes bytes, const std::string& file, Contents* contents,
                         bool* edit_must_follow) {
  const TailBlock even = read_tail_block(identity, bytes, tail_offset(0));
  const TailBlock odd = read_tail_block(identity, bytes, tail_offset(1));
  if (!even.has_good_copy && !odd.has_good_copy)
    return damaged(file, tail_offset(0),
                   "expected a tail in block 1 or 2, found no copy with a right checksum");
  contents->needs_repair = !even.is_whole || !odd.is_whole;
  *edit_must_follow = !even.has_good_copy || !odd.has_good_copy;
  const bool is_even_newer =
      even.has_good_copy && (!odd.has_good_copy || even.tail.last_edit > odd.tail.last_edit);
  const Tail tail = is_even_newer ? even.tail : odd.tail;
  if (tail.last_edit == 0 || tail.valid_bytes > bytes.size())
    return damaged(file, tail_offset(tail.last_edit),
                   "expected " + std::to_string(tail.valid_bytes) + " bytes of edits up to number " +
                       std::to_string(tail.last_edit) + ", found a file of " + std::to_string(bytes.size()) +
                       " bytes");
  return tail;
}

}  // namespace

Result<Contents> decode_file(Bytes bytes, const std::string& file) {
  Contents contents;
  ASHLAR_ASSIGN(contents.identity, decode_head(bytes, file));
  if (bytes.size() < kFirstEditOffset)
    return damaged(file, bytes.size(), "expected three blocks and an edit, found the end of the file");
  bool edit_must_follow = false;
  ASHLAR_ASSIGN(const Tail tail, newest_tail(contents.identity, bytes, file, &contents, &edit_must_follow));

  uint64_t offset = kFirstEditOffset;
  for (uint64_t number = 1;; ++number) {
    Bytes payload;
    const uint64_t end = read_record(contents.identity, bytes, offset, number, &payload);
    const bool is_vouched_for = number <= tail.last_edit;
    if (is_vouched_for && (end == 0 || end > tail.valid_bytes))
      return damaged(file, offset,
                     "expected edit " + std::to_string(number) + " of " + std::to_string(tail.last_edit) +
                         ", found bytes that do not verify");
    if (end == 0) break;
    if (number == tail.last_edit && end != tail.valid_bytes)
      return damaged(file, offset,
                     "expected edit " + std::to_string(number) + " to end at " +
                         std::to_string(tail.valid_bytes) + ", found its end at " + std::to_string(end));
    contents.edits.push_back(payload);
    contents.offsets.push_back(offset);
    if (!is_vouched_for) ++contents.edits_behind_tail;
    offset = end;
  }
  if (edit_must_follow && contents.edits_behind_tail == 0)
    return damaged(file, tail_offset(tail.last_edit + 1),
                   "expected a tail or edit " + std::to_string(tail.last_edit + 1) + ", found neither");
  contents.tail = {contents.edits.size(), offset};
  contents.torn_bytes = bytes.size() > offset ? bytes.size() - offset : 0;
  contents.needs_repair |= contents.edits_behind_tail > 0 || contents.torn_bytes > 0;
  return contents;
}

}  // namespace ashlar::lsm::manifest_format
