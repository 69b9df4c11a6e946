#include "journal/format.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/coding.h"

namespace ashlar::journal {
namespace {

constexpr Uuid kDatabase{0x0123456789abcdef, 0xfedcba9876543210};

Identity some_identity() { return {Medium::mapped, kDatabase, SegmentId(7), 65536}; }

TEST(Identity, ComesBackAsItWent) {
  std::string header(kHeaderBytes, 'x');
  encode_identity(header.data(), some_identity());
  const Result<Identity> decoded = decode_identity(header, "000007.seg");
  ASSERT_TRUE(decoded.ok()) << decoded.status().to_string();
  EXPECT_EQ(decoded->id, SegmentId(7));
  EXPECT_EQ(decoded->database, kDatabase);
  EXPECT_EQ(decoded->capacity_bytes, 65536u);
  EXPECT_EQ(decoded->medium, Medium::mapped);
}

TEST(Identity, EveryFlippedBitIsCorruption) {
  std::string header(kHeaderBytes, '\0');
  encode_identity(header.data(), some_identity());
  for (size_t bit = 0; bit < 64 * 8; ++bit) {
    std::string damaged = header;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Result<Identity> decoded = decode_identity(damaged, "f");
    ASSERT_FALSE(decoded.ok()) << bit;
    EXPECT_EQ(decoded.status().code(), Code::corruption) << bit;
  }
}

TEST(Identity, ANewerVersionIsUnsupportedNotCorrupt) {
  std::string header(kHeaderBytes, '\0');
  encode_identity(header.data(), some_identity());
  store_u32(header.data() + 8, kFormatVersion + 1);
  seal_identity(header.data());
  EXPECT_EQ(decode_identity(header, "f").status().code(), Code::unsupported_format);
}

TEST(Life, RemembersBootAndCursor) {
  std::string header(kHeaderBytes, '\0');
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  encode_life(header.data(), Uuid{5, 6}, 4096, salt);
  store_u64(header.data() + kCursorOffset, pack_cursor(8192, salt));
  const std::optional<Life> life = decode_life(header, salt);
  ASSERT_TRUE(life.has_value());
  EXPECT_EQ(life->boot_id, (Uuid{5, 6}));
  EXPECT_EQ(life->cursor, 8192u);
}

TEST(Life, ADamagedCursorIsNoCursor) {
  std::string header(kHeaderBytes, '\0');
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  encode_life(header.data(), Uuid{5, 6}, 4096, salt);
  for (int bit = 0; bit < 64; ++bit) {
    store_u64(header.data() + kCursorOffset, pack_cursor(8192, salt) ^ uint64_t{1} << bit);
    const std::optional<Life> life = decode_life(header, salt);
    ASSERT_TRUE(life.has_value());
    EXPECT_EQ(life->cursor, 0u) << bit;
  }
}

std::string segment_with_frame(uint64_t offset, Bytes body, uint64_t salt, uint8_t flags = 0) {
  std::string segment(32768, '\0');
  std::memcpy(segment.data() + offset + kFrameHeaderBytes, body.data(), body.size());
  seal_frame(segment.data() + offset, offset, static_cast<uint32_t>(body.size()), 3, Sequence(41),
             Sequence(17), flags, salt);
  return segment;
}

TEST(Frame, ComesBackAsItWent) {
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  const std::string segment = segment_with_frame(4096, "three mutations", salt);
  const std::optional<Frame> frame = read_frame(segment, 4096, salt);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->body, "three mutations");
  EXPECT_EQ(frame->first_sequence, Sequence(41));
  EXPECT_EQ(frame->durable_sequence, Sequence(17));
  EXPECT_EQ(frame->mutations, 3u);
  EXPECT_EQ(frame->end, 4096u + 48);  // 32 + 15, rounded to 8
}

TEST(Frame, EndsItsBlockWhereFlagged) {
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  const std::string segment = segment_with_frame(4096, "x", salt, kEndsBlock);
  EXPECT_EQ(read_frame(segment, 4096, salt)->end, 8192u);
}

TEST(Frame, EveryFlippedBitIsNoticed) {
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  const std::string segment = segment_with_frame(4096, "three mutations", salt);
  for (size_t bit = 0; bit < (kFrameHeaderBytes + 15) * 8; ++bit) {
    std::string damaged = segment;
    damaged[4096 + bit / 8] = static_cast<char>(damaged[4096 + bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(read_frame(damaged, 4096, salt).has_value()) << bit;
  }
}

TEST(Frame, BelongsToItsSegmentAndPlace) {
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  std::string segment = segment_with_frame(4096, "three mutations", salt);
  EXPECT_FALSE(read_frame(segment, 4096, salt_of(kDatabase, SegmentId(8))).has_value());
  EXPECT_FALSE(read_frame(segment, 4096, salt_of(Uuid{1, 2}, SegmentId(7))).has_value());
  std::memcpy(segment.data() + 8192, segment.data() + 4096, 64);
  EXPECT_FALSE(read_frame(segment, 8192, salt).has_value());
}

TEST(Frame, ZerosAndShortRoomAreNoFrame) {
  const uint64_t salt = salt_of(kDatabase, SegmentId(7));
  const std::string zeros(8192, '\0');
  EXPECT_FALSE(read_frame(zeros, 4096, salt).has_value());
  EXPECT_FALSE(read_frame(zeros, 8192 - 31, salt).has_value());
  EXPECT_FALSE(read_frame(zeros, 8192, salt).has_value());
  EXPECT_FALSE(read_frame(zeros, 9000, salt).has_value());
  std::string segment = segment_with_frame(4096, std::string(1000, 'v'), salt);
  for (size_t size = 4096; size < 4096 + kFrameHeaderBytes + 1000; ++size) {
    EXPECT_FALSE(read_frame(Bytes(segment).substr(0, size), 4096, salt).has_value()) << size;
  }
}

}  // namespace
}  // namespace ashlar::journal
