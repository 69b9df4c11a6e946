#include "run/properties.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ashlar::run {
namespace {

Properties sample() {
  Properties properties;
  properties.entry_count = 10;
  properties.put_count = 7;
  properties.tombstone_count = 3;
  properties.key_count = 9;
  properties.block_count = 2;
  properties.raw_key_bytes = 1000;
  properties.raw_value_bytes = uint64_t{1} << 40;
  properties.smallest_sequence = Sequence(5);
  properties.largest_sequence = kMaxSequence;
  properties.smallest_key = std::string("\0\0\0\0", 4);
  properties.largest_key = std::string("\0\0\0\7zebra\0", 10);
  properties.keyspaces = {KeyspaceId(0), KeyspaceId(7), KeyspaceId(0xffffffff)};
  properties.blocks_checksum = 0xfedcba9876543210;
  properties.file_bytes = 12345;
  properties.identity = ~uint64_t{0};
  return properties;
}

std::string encoded(const Properties& properties) {
  std::string bytes;
  encode_properties(properties, bytes);
  return bytes;
}

TEST(Properties, RoundTrip) {
  for (const Properties& properties : {sample(), Properties()}) {
    const std::string bytes = encoded(properties) + "rest";
    Bytes in = bytes;
    EXPECT_EQ(decode_properties(in).value(), properties);
    EXPECT_EQ(in, "rest");
  }
}

TEST(Properties, EveryTruncationIsCorruption) {
  const std::string bytes = encoded(sample());
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Bytes in = Bytes(bytes).substr(0, cut);
    EXPECT_EQ(decode_properties(in).status().code(), Code::corruption) << cut;
  }
}

TEST(Properties, ImpossibleValuesAreCorruption) {
  const auto code = [](const Properties& properties) {
    const std::string bytes = encoded(properties);
    Bytes in = bytes;
    return decode_properties(in).status().code();
  };
  Properties unordered = sample();
  unordered.keyspaces = {KeyspaceId(7), KeyspaceId(7)};
  EXPECT_EQ(code(unordered), Code::corruption);
  Properties beyond = sample();
  beyond.largest_sequence = Sequence(kMaxSequence.value + 1);
  EXPECT_EQ(code(beyond), Code::corruption);
}

TEST(Properties, RandomBytesNeitherCrashNorAllocateMuch) {
  Prng prng(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(prng.below(60), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(prng.one_in(3) ? 0xff : prng.next() & 0x1f);
    Bytes in = bytes;
    const Result<Properties> decoded = decode_properties(in);
    if (decoded.ok()) {
      EXPECT_LE(decoded.value().keyspaces.size(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace ashlar::run
