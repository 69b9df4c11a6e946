#include "journal/format.h"

#include <algorithm>
#include <cstring>

#include "base/checksum.h"
#include "base/coding.h"

namespace ashlar::journal {

namespace {

constexpr uint64_t kIdentityBytes = 56;  // what the identity's checksum covers
constexpr uint64_t kIdentityPurpose = 0x5365676d656e7431;
constexpr uint64_t kSaltPurpose = 0x4672616d6553616c;
constexpr uint64_t kSequenceMask = (uint64_t{1} << 56) - 1;
constexpr uint64_t kCursorBits = 40;
constexpr uint64_t kCursorMask = (uint64_t{1} << kCursorBits) - 1;

// Odd multiplier that spreads the offset over the seed.
uint64_t frame_seed(uint64_t salt, uint64_t offset) { return salt ^ (offset * 0x9e3779b97f4a7c15u); }

uint64_t cursor_check(uint64_t units, uint64_t salt) {
  uint64_t word = units;
  return checksum(Bytes(reinterpret_cast<const char*>(&word), sizeof word), salt ^ 0x43757273) >> kCursorBits;
}

}  // namespace

uint64_t salt_of(Uuid database, SegmentId id) { return checksum_seed(database, id.value, kSaltPurpose); }

void encode_identity(char* at, const Identity& identity) {
  std::memset(at, 0, kHeaderBytes);
  std::memcpy(at, kMagic, sizeof kMagic);
  store_u32(at + 8, kFormatVersion);
  store_u32(at + 12, static_cast<uint32_t>(identity.medium));
  store_u64(at + 16, identity.database.high);
  store_u64(at + 24, identity.database.low);
  store_u64(at + 32, identity.id.value);
  store_u64(at + 40, identity.capacity_bytes);
  seal_identity(at);
}

void seal_identity(char* at) {
  store_u64(at + kIdentityBytes, checksum(Bytes(at, kIdentityBytes), kIdentityPurpose));
}

Result<Identity> decode_identity(Bytes header, const std::string& file) {
  if (header.size() < kHeaderBytes) {
    return corruption(file + " at 0: expected a header of 4096 bytes, found " +
                      std::to_string(header.size()));
  }
  const char* at = header.data();
  if (std::memcmp(at, kMagic, sizeof kMagic) != 0) {
    return corruption(file + " at 0: expected the magic of a journal segment");
  }
  // The checksum stands at the same place in every version, so damage is told from the future.
  if (load_u64(at + kIdentityBytes) != checksum(Bytes(at, kIdentityBytes), kIdentityPurpose)) {
    return corruption(file + " at 56: header checksum does not match");
  }
  const uint32_t version = load_u32(at + 8);
  if (version != kFormatVersion) {
    return unsupported_format(file + ": segment format " + std::to_string(version) +
                              ", this build reads up to " + std::to_string(kFormatVersion));
  }
  Identity identity;
  const uint32_t medium = load_u32(at + 12);
  if (medium < 1 || medium > 2)
    return unsupported_format(file + ": segment medium " + std::to_string(medium));
  identity.medium = static_cast<Medium>(medium);
  identity.database = {load_u64(at + 16), load_u64(at + 24)};
  identity.id = SegmentId(load_u64(at + 32));
  identity.capacity_bytes = load_u64(at + 40);
  return identity;
}

void encode_life(char* header, Uuid boot_id, uint64_t cursor, uint64_t salt) {
  char* at = header + kLifeOffset;
  store_u64(at, boot_id.high);
  store_u64(at + 8, boot_id.low);
  store_u64(at + 16, checksum(Bytes(at, 16), salt));
  store_u64(header + kCursorOffset, pack_cursor(cursor, salt));
  store_u64(header + kClosedAtOffset, 0);
}

std::optional<Life> decode_life(Bytes header, uint64_t salt) {
  const char* at = header.data() + kLifeOffset;
  if (load_u64(at + 16) != checksum(Bytes(at, 16), salt)) return std::nullopt;
  Life life;
  life.boot_id = {load_u64(at), load_u64(at + 8)};
  life.cursor = unpack_cursor(load_u64(header.data() + kCursorOffset), salt);
  life.closed_at = unpack_cursor(load_u64(header.data() + kClosedAtOffset), salt);
  return life;
}

uint64_t pack_cursor(uint64_t offset, uint64_t salt) {
  const uint64_t units = offset / kFrameAlignment;
  return units | cursor_check(units, salt) << kCursorBits;
}

uint64_t unpack_cursor(uint64_t packed, uint64_t salt) {
  const uint64_t units = packed & kCursorMask;
  return units != 0 && packed >> kCursorBits == cursor_check(units, salt) ? units * kFrameAlignment : 0;
}

uint64_t end_of_content(Bytes segment, uint64_t from) {
  // Backwards in steps of a cache line: tens of megabytes of zeros are the usual case.
  uint64_t end = segment.size();
  while (end - from >= 64) {
    uint64_t any = 0;
    for (size_t word = 0; word < 8; ++word) any |= load_u64(segment.data() + end - 64 + word * 8);
    if (any != 0) break;
    end -= 64;
  }
  while (end > from && segment[end - 1] == '\0') --end;
  return end;
}

void seal_frame(char* at, uint64_t offset, uint32_t body_bytes, uint32_t mutations, Sequence first,
                Sequence durable, uint8_t flags, uint64_t salt) {
  store_u32(at + 8, body_bytes);
  store_u32(at + 12, mutations);
  store_u64(at + 16, first.value);
  store_u64(at + 24, durable.value << 8 | flags);
  const uint64_t covered = kFrameHeaderBytes - 8 + body_bytes;
  store_u64(at, checksum(Bytes(at + 8, covered), frame_seed(salt, offset)));
}

std::optional<Frame> read_frame(Bytes segment, uint64_t offset, uint64_t salt, bool trust_checksum) {
  if (offset > segment.size() || segment.size() - offset < kFrameHeaderBytes) return std::nullopt;
  const char* at = segment.data() + offset;
  const uint64_t room = segment.size() - offset - kFrameHeaderBytes;
  const uint32_t body_bytes = load_u32(at + 8);
  if (body_bytes > room) return std::nullopt;
  const uint64_t sum = load_u64(at);
  const uint64_t sequence = load_u64(at + 16);
  if (sequence == 0 || sequence > kSequenceMask) return std::nullopt;  // also: zeros after the last frame
  if (!trust_checksum &&
      sum != checksum(Bytes(at + 8, kFrameHeaderBytes - 8 + body_bytes), frame_seed(salt, offset))) {
    return std::nullopt;
  }
  Frame frame;
  frame.offset = offset;
  frame.first_sequence = Sequence(sequence);
  frame.mutations = load_u32(at + 12);
  const uint64_t durable_and_flags = load_u64(at + 24);
  frame.durable_sequence = Sequence(durable_and_flags >> 8);
  frame.flags = static_cast<uint8_t>(durable_and_flags);
  frame.body = Bytes(at + kFrameHeaderBytes, body_bytes);
  frame.end = offset + frame_bytes(body_bytes);
  if ((frame.flags & kEndsBlock) != 0) frame.end = align_up(frame.end, kBlockBytes);
  frame.end = std::min<uint64_t>(frame.end, segment.size());
  return frame;
}

}  // namespace ashlar::journal
