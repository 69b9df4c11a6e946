#include "base/aes_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/prng.h"

namespace ashlar {
namespace {

std::string random_bytes(Prng& prng, size_t size) {
  std::string bytes(size, '\0');
  for (auto& byte : bytes) byte = static_cast<char>(prng.next());
  return bytes;
}

// Fixed for ever: filters and fingerprints on disk hold them.
TEST(AesHash, KnownValues) {
  EXPECT_EQ(aes_hash_portable(""), 0xd548b4e1bc569676);
  EXPECT_EQ(aes_hash_portable("a"), 0x3a5c2c987c384c2a);
  EXPECT_EQ(aes_hash_portable("ashlar"), 0x40fbb8011d710e0f);
  EXPECT_EQ(aes_hash_portable("0123456789abcdef"), 0xfe581ba412a74106);
  EXPECT_EQ(aes_hash_portable("masonry of exactly cut, aligned blocks"), 0xe6c5e8daa97cacbe);
}

TEST(AesHash, HardwareAndPortableAgree) {
  if (!aes_hash_has_hardware()) GTEST_SKIP() << "this processor has no AES instructions";
  Prng prng(1);
  for (size_t size = 0; size < 300; ++size) {
    for (int i = 0; i < 100; ++i) {
      const std::string bytes = random_bytes(prng, size);
      ASSERT_EQ(aes_hash_hardware(bytes), aes_hash_portable(bytes)) << "size " << size;
    }
  }
  const std::string large = random_bytes(prng, 1 << 20);
  EXPECT_EQ(aes_hash_hardware(large), aes_hash_portable(large));
}

TEST(AesHash, ForcedPortableGivesTheSameBits) {
  const std::string key = "keyspace/user key";
  set_aes_hash_way(AesHashWay::fastest);
  const uint64_t fastest = aes_hash(key);
  set_aes_hash_way(AesHashWay::portable);
  EXPECT_EQ(aes_hash(key), fastest);
  set_aes_hash_way(AesHashWay::fastest);
  EXPECT_EQ(aes_hash_portable(key), fastest);
}

// The input sits flush against the end of its allocation: AddressSanitizer sees any read past it.
TEST(AesHash, ReadsNothingOutsideItsInput) {
  Prng prng(2);
  for (size_t size = 0; size < 70; ++size) {
    auto exact = std::make_unique<char[]>(size);
    for (size_t i = 0; i < size; ++i) exact[i] = static_cast<char>(prng.next());
    const Bytes bytes(exact.get(), size);
    EXPECT_EQ(aes_hash(bytes), aes_hash_portable(std::string(bytes)));
  }
}

TEST(AesHash, LengthAndZerosMatter) {
  std::unordered_set<uint64_t> seen;
  for (size_t size = 0; size < 200; ++size) seen.insert(aes_hash(std::string(size, '\0')));
  EXPECT_EQ(seen.size(), 200u);
}

// Every flipped input bit flips about half of the output bits, whatever the length.
TEST(AesHash, EveryInputBitReachesEveryOutputBit) {
  Prng prng(3);
  constexpr int kRounds = 400;
  for (const size_t size : {4, 7, 8, 15, 16, 20, 33}) {
    for (size_t bit = 0; bit < size * 8; ++bit) {
      std::array<int, 64> flips{};
      for (int round = 0; round < kRounds; ++round) {
        std::string bytes = random_bytes(prng, size);
        const uint64_t before = aes_hash(bytes);
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        const uint64_t changed = before ^ aes_hash(bytes);
        for (size_t out = 0; out < 64; ++out) flips[out] += static_cast<int>(changed >> out & 1);
      }
      for (size_t out = 0; out < 64; ++out) {
        // 400 fair draws: mean 200, standard deviation 10; the seed is fixed, so this holds or not for ever.
        ASSERT_NEAR(flips[out], kRounds / 2, 60)
            << "size " << size << " input bit " << bit << " output bit " << out;
      }
    }
  }
}

// Counters are what keys look like. A good hash spreads them over slots like random numbers.
TEST(AesHash, CountersSpreadEvenly) {
  constexpr size_t kSlots = 4096;
  constexpr size_t kKeys = kSlots * 64;
  for (const int shift : {0, 20, 32, 52}) {
    std::vector<uint32_t> slots(kSlots);
    for (size_t i = 0; i < kKeys; ++i) {
      std::string key = "\0\0\0\7user" + std::string(12, '0');
      const std::string digits = std::to_string(i);
      key.replace(key.size() - digits.size(), digits.size(), digits);
      ++slots[aes_hash(key) >> shift & (kSlots - 1)];
    }
    double chi_square = 0;
    for (const uint32_t count : slots) chi_square += (count - 64.0) * (count - 64.0) / 64.0;
    // Mean 4095, standard deviation about 90.
    EXPECT_GT(chi_square, 4095 - 5 * 90) << "shift " << shift;
    EXPECT_LT(chi_square, 4095 + 5 * 90) << "shift " << shift;
  }
}

TEST(AesHash, NoCollisionsAmongAMillionStructuredKeys) {
  std::unordered_set<uint64_t> seen;
  seen.reserve(1 << 20);
  for (uint64_t i = 0; i < 1000; ++i) {
    for (uint64_t j = 0; j < 1000; ++j) {
      char key[32] = {};
      std::memcpy(key, &i, 8);
      std::memcpy(key + 16, &j, 8);  // differences in two blocks at once
      seen.insert(aes_hash(Bytes(key, sizeof key)));
    }
  }
  EXPECT_EQ(seen.size(), 1000u * 1000u);
}

}  // namespace
}  // namespace ashlar
