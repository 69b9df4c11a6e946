// Bytes of a journal segment. docs/FORMAT.md shows the same tables; a test compares them.
//
//   0      header, 4 KiB: identity (written once per life), at 2048 the life record
//   4096   frame | frame | ... | zeros, or stale bytes of an earlier life
//
//   identity:  [magic 8][format 4][medium 4][uuid 16][segment id 8][capacity 8][zero 8][checksum 8]
//   life:      [boot id 16][check 8][cursor 8][closed at 8]
//   frame:     [checksum 8][body bytes 4][mutations 4][first sequence 8][durable sequence 7 bytes, flags 1][body]
//
// Frames begin at multiples of 8. A frame flagged kEndsBlock is followed by the next multiple of 4096: a commit group
// written to the device never shares a block with an earlier one (J1).
// The checksum of a frame covers everything after itself and is salted with uuid, segment id and the frame's offset, so a
// stale frame of a recycled segment and a misplaced one do not verify (J2).
// A frame of zero mutations is a watermark: it only carries the durable sequence.
//
// Life record: the boot id under which the segment was last appended to, and the cursor: how far it was filled when the
// last commit was acknowledged. While the machine has not restarted since, no store can be missing, so
// everything before the cursor must verify. After a restart the cursor says nothing (its page may have
// reached the disk before the frames did); then only the watermarks do.
// "Closed at" is the cursor once more, written when the database was closed in good order: nothing was ever appended
// behind it. Without that, a commit whose sync failed may be on the disk though no longer in memory.
// Both are stores into a mapping: of the header where the segment is mapped. Written segments have theirs in the file CURSOR,
// [cursor 8][closed at 8], packed with the salt of the one segment they speak of: a store into a page of the
// segment's own file would make every sync of it wait for the file system's journal.
#pragma once

#include <optional>

#include "base/status.h"
#include "base/types.h"

namespace ashlar::journal {

inline constexpr uint32_t kFormatVersion = 1;
inline constexpr uint64_t kHeaderBytes = 4096;
inline constexpr uint64_t kBlockBytes = 4096;
inline constexpr uint64_t kLifeOffset = 2048;
inline constexpr uint64_t kCursorOffset = kLifeOffset + 24;
inline constexpr uint64_t kClosedAtOffset = kLifeOffset + 32;
inline constexpr char kCursorFileName[] = "CURSOR";
inline constexpr uint64_t kCursorFileBytes = 4096;
inline constexpr uint64_t kFrameHeaderBytes = 32;
inline constexpr uint64_t kFrameAlignment = 8;
inline constexpr char kMagic[8] = {'A', 'S', 'H', 'L', 'S', 'E', 'G', '\n'};
inline constexpr uint64_t kMinCapacityBytes = 4 * kBlockBytes;

// Where the bytes of a segment live until they are durable.
enum class Medium : uint32_t {
  memory = 0,   // anonymous memory, no file
  mapped = 1,   // a shared mapping of the file
  written = 2,  // anonymous memory, written to the file per commit group
};

// Frame flags.
inline constexpr uint8_t kEndsBlock = 1;
inline constexpr uint8_t kReplacesFailed =
    2;  // sequences from here on in earlier segments belong to commits that failed
inline constexpr uint8_t kKnownFrameFlags = 3;

struct Identity {
  Medium medium = Medium::mapped;
  Uuid database;
  SegmentId id;
  uint64_t capacity_bytes = 0;
};

struct Life {
  Uuid boot_id;
  uint64_t cursor = 0;     // 0: none or not readable
  uint64_t closed_at = 0;  // 0: not closed in good order
};

constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

uint64_t salt_of(Uuid database, SegmentId id);

// `at` holds kHeaderBytes. Encoding an identity zeroes the header, the life record included.
void encode_identity(char* at, const Identity& identity);
// Puts the right checksum under an identity's bytes.
void seal_identity(char* at);
// Errors: corruption, unsupported_format. `file` is for the text.
Result<Identity> decode_identity(Bytes header, const std::string& file);

// Everything before `cursor` is acknowledged; not closed.
void encode_life(char* header, Uuid boot_id, uint64_t cursor, uint64_t salt);
// nullopt where the record does not verify.
std::optional<Life> decode_life(Bytes header, uint64_t salt);
// One aligned store: the death of the process leaves the old cursor or the new one.
uint64_t pack_cursor(uint64_t offset, uint64_t salt);
// 0 where the check is wrong.
uint64_t unpack_cursor(uint64_t packed, uint64_t salt);

// One past the last nonzero byte at or behind `from`; `from` where all are zero.
uint64_t end_of_content(Bytes segment, uint64_t from);

struct Frame {
  uint64_t offset = 0;
  uint64_t end = 0;  // where the next frame begins, padding included
  Sequence first_sequence;
  Sequence durable_sequence;
  uint32_t mutations = 0;
  uint8_t flags = 0;
  Bytes body;
};

// Size of a frame with `body_bytes`, without block padding.
constexpr uint64_t frame_bytes(uint64_t body_bytes) {
  return align_up(kFrameHeaderBytes + body_bytes, kFrameAlignment);
}

// Completes the frame at `at`, whose body is in place behind the header: header fields, then the checksum.
void seal_frame(char* at, uint64_t offset, uint32_t body_bytes, uint32_t mutations, Sequence first,
                Sequence durable, uint8_t flags, uint64_t salt);

// The frame at `offset` of `segment` (the whole segment), if its bytes verify.
// `trust_checksum` is the planted bug of the canary tests.
std::optional<Frame> read_frame(Bytes segment, uint64_t offset, uint64_t salt, bool trust_checksum = false);

}  // namespace ashlar::journal
