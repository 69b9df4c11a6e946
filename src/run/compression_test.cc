#include "run/compression.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"

namespace ashlar::run {
namespace {

constexpr Compression kReal[] = {Compression::lz4, Compression::snappy, Compression::zstd};

std::string squeeze(Compressor& compressor, Bytes raw) {
  std::string stored(compressor.bound(raw.size()), '\0');
  stored.resize(compressor.compress(raw, stored.data()));
  return stored;
}

TEST(Compression, NumbersOnDiskAreTheseForEver) {
  EXPECT_EQ(static_cast<int>(Compression::none), 0);
  EXPECT_EQ(static_cast<int>(Compression::lz4), 1);
  EXPECT_EQ(static_cast<int>(Compression::snappy), 2);
  EXPECT_EQ(static_cast<int>(Compression::zstd), 3);
  EXPECT_FALSE(is_known_compression(4));
}

TEST(Compression, RoundTrip) {
  for (const Compression compression : kReal) {
    Compressor compressor(compression);
    for (const size_t size : {100, 4096, 70'000, 1 << 20}) {
      std::string raw;
      for (size_t i = 0; raw.size() < size; ++i) raw += "line " + std::to_string(i) + " of the text\n";
      const std::string stored = squeeze(compressor, raw);
      ASSERT_GT(stored.size(), 0u);
      ASSERT_LT(stored.size(), raw.size());
      std::string back(raw.size(), '\0');
      ASSERT_TRUE(decompress(compression, stored, back.data(), back.size()).ok());
      EXPECT_EQ(back, raw);
    }
  }
}

TEST(Compression, NoiseIsLeftAlone) {
  Prng prng(1);
  std::string raw(16384, '\0');
  for (auto& byte : raw) byte = static_cast<char>(prng.next());
  for (const Compression compression : kReal) {
    Compressor compressor(compression);
    EXPECT_EQ(squeeze(compressor, raw), "");
  }
  Compressor none(Compression::none);
  EXPECT_EQ(none.bound(100), 0u);
  EXPECT_EQ(none.compress(raw, nullptr), 0u);
}

// The claim limit must never refuse what a compressor can really do.
TEST(Compression, TheLimitCoversTheMostCompressibleBytes) {
  const std::string raw(64 << 20, 'z');
  for (const Compression compression : kReal) {
    Compressor compressor(compression);
    const std::string stored = squeeze(compressor, raw);
    EXPECT_GE(max_raw_bytes(compression, stored.size()), raw.size()) << compression_name(compression);
  }
}

TEST(Compression, WrongSizesAndDamageAreCorruption) {
  Prng prng(2);
  std::string raw;
  while (raw.size() < 3000) raw += "abcdefgh" + std::to_string(prng.below(100));
  for (const Compression compression : kReal) {
    Compressor compressor(compression);
    const std::string stored = squeeze(compressor, raw);
    std::string back(raw.size() + 1, '\0');
    EXPECT_EQ(decompress(compression, stored, back.data(), raw.size() - 1).code(), Code::corruption);
    EXPECT_EQ(decompress(compression, stored, back.data(), raw.size() + 1).code(), Code::corruption);
    EXPECT_EQ(decompress(compression, "", back.data(), raw.size()).code(), Code::corruption);
    for (size_t cut = 0; cut < stored.size(); cut += 3) {
      EXPECT_EQ(decompress(compression, Bytes(stored).substr(0, cut), back.data(), raw.size()).code(),
                Code::corruption);
    }
    // Changed bytes may decode to other bytes (the checksum above catches that), never beyond the buffer.
    for (int i = 0; i < 2000; ++i) {
      std::string bad = stored;
      bad[prng.below(bad.size())] = static_cast<char>(prng.next());
      const auto exact = std::make_unique<char[]>(raw.size());
      const Status status = decompress(compression, bad, exact.get(), raw.size());
      EXPECT_TRUE(status.ok() || status.code() == Code::corruption);
    }
  }
  std::string back(10, '\0');
  EXPECT_EQ(decompress(Compression::none, "123", back.data(), 4).code(), Code::corruption);
  EXPECT_TRUE(decompress(Compression::none, "123", back.data(), 3).ok());
}

}  // namespace
}  // namespace ashlar::run
