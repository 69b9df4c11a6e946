#include "base/coding.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace ashlar {
namespace {

std::string encoded(uint64_t value) {
  std::string bytes;
  append_varint(bytes, value);
  return bytes;
}

TEST(Coding, FixedWidthIsLittleEndianAtAnyAlignment) {
  char buffer[16] = {};
  store_u16(buffer + 1, 0x0102);
  EXPECT_EQ(std::string(buffer + 1, 2), std::string("\x02\x01", 2));
  store_u32(buffer + 3, 0x01020304);
  EXPECT_EQ(std::string(buffer + 3, 4), std::string("\x04\x03\x02\x01", 4));
  store_u64(buffer + 7, 0x0102030405060708);
  EXPECT_EQ(std::string(buffer + 7, 8), std::string("\x08\x07\x06\x05\x04\x03\x02\x01", 8));
  EXPECT_EQ(load_u16(buffer + 1), 0x0102u);
  EXPECT_EQ(load_u32(buffer + 3), 0x01020304u);
  EXPECT_EQ(load_u64(buffer + 7), 0x0102030405060708u);
}

TEST(Coding, FixedWidthReadersEatFromTheFrontOrLeaveTheViewAlone) {
  std::string bytes;
  append_u32(bytes, 7);
  append_u64(bytes, 8);
  Bytes in = bytes;
  uint32_t small = 0;
  uint64_t large = 0;
  ASSERT_TRUE(read_u32(in, &small));
  ASSERT_TRUE(read_u64(in, &large));
  EXPECT_EQ(small, 7u);
  EXPECT_EQ(large, 8u);
  EXPECT_TRUE(in.empty());
  for (size_t length = 0; length < 8; ++length) {
    in = Bytes(bytes.data(), length);
    EXPECT_FALSE(read_u64(in, &large));
    EXPECT_EQ(in.size(), length);
    EXPECT_EQ(read_u32(in, &small), length >= 4);
  }
}

TEST(Coding, VarintsOfEveryLengthSurviveTheRoundTrip) {
  std::vector<uint64_t> values = {0, 1, UINT64_MAX};
  for (unsigned bits = 1; bits < 64; ++bits) {
    values.insert(values.end(), {(uint64_t{1} << bits) - 1, uint64_t{1} << bits, (uint64_t{1} << bits) + 1});
  }
  for (const uint64_t value : values) {
    const std::string bytes = encoded(value);
    EXPECT_EQ(bytes.size(), varint_size(value)) << value;
    EXPECT_LE(bytes.size(), kMaxVarintBytes);
    Bytes in = bytes;
    uint64_t decoded = ~value;
    ASSERT_TRUE(read_varint(in, &decoded)) << value;
    EXPECT_EQ(decoded, value);
    EXPECT_TRUE(in.empty());
  }
}

TEST(Coding, ACutVarintIsRefusedAndTheViewUntouched) {
  for (const uint64_t value : {uint64_t{128}, uint64_t{1} << 35, UINT64_MAX}) {
    const std::string bytes = encoded(value);
    for (size_t length = 0; length < bytes.size(); ++length) {
      Bytes in(bytes.data(), length);
      uint64_t decoded = 0;
      EXPECT_FALSE(read_varint(in, &decoded));
      EXPECT_EQ(in.size(), length);
    }
  }
}

TEST(Coding, HostileVarintsAreRefused) {
  const std::string nine(9, '\xff');
  for (const std::string& bytes : {
           nine + '\x02',              // bit 64
           nine + '\x7f',              // bits 64 to 70
           nine + '\x81' + '\x00',     // an eleventh byte
           std::string(10, '\x80'),    // never ends
           std::string(1000, '\xff'),  // never ends
           std::string(9, '\x80') + '\x80' + '\x01',
       }) {
    Bytes in = bytes;
    uint64_t decoded = 0;
    EXPECT_FALSE(read_varint(in, &decoded)) << bytes.size();
    EXPECT_EQ(in.size(), bytes.size());
  }
  Bytes largest = nine;
  const std::string accepted = nine + '\x01';
  largest = accepted;
  uint64_t decoded = 0;
  ASSERT_TRUE(read_varint(largest, &decoded));
  EXPECT_EQ(decoded, UINT64_MAX);
}

TEST(Coding, SizedBytesNeverReachBeyondTheInput) {
  std::string bytes;
  append_sized(bytes, Bytes("a\0b", 3));
  append_sized(bytes, Bytes());
  Bytes in = bytes;
  Bytes first;
  Bytes second = "x";
  ASSERT_TRUE(read_sized(in, &first));
  ASSERT_TRUE(read_sized(in, &second));
  EXPECT_EQ(first, Bytes("a\0b", 3));
  EXPECT_TRUE(second.empty());
  EXPECT_TRUE(in.empty());

  for (const uint64_t claimed : {uint64_t{4}, uint64_t{1} << 40, UINT64_MAX}) {
    std::string lying = encoded(claimed) + "abc";
    in = lying;
    EXPECT_FALSE(read_sized(in, &first));
    EXPECT_EQ(in.size(), lying.size());
  }
}

TEST(Coding, RandomBytesDecodeToTheSameNumberOrAreRefused) {
  Prng prng(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    const uint64_t length = prng.below(12);
    for (uint64_t i = 0; i < length; ++i)
      bytes += static_cast<char>(prng.below(256) | (prng.one_in(2) ? 0x80 : 0));
    const char* const end = bytes.data() + bytes.size();
    uint64_t decoded = 0;
    const char* next = load_varint(bytes.data(), end, &decoded);
    if (next == nullptr) continue;
    ASSERT_LE(next, end);
    ASSERT_LE(next - bytes.data(), static_cast<ptrdiff_t>(kMaxVarintBytes));
    ASSERT_GE(next - bytes.data(), static_cast<ptrdiff_t>(varint_size(decoded)));
  }
}

}  // namespace
}  // namespace ashlar
