#include "base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ashlar {
namespace {

// The generator of xxHash's own sanity test: its published answers are over prefixes of this buffer.
std::string sanity_buffer(size_t size_bytes) {
  constexpr uint64_t kPrime32 = 2654435761u;
  constexpr uint64_t kPrime64 = 11400714785074694797u;
  std::string bytes;
  uint64_t state = kPrime32;
  for (size_t i = 0; i < size_bytes; ++i) {
    bytes += static_cast<char>(state >> 56);
    state *= kPrime64;
  }
  return bytes;
}

TEST(Checksum, KnownAnswers) {
  const std::string buffer = sanity_buffer(2367);
  struct Answer {
    size_t length;
    uint64_t seed;
    uint64_t sum;
  };
  // Lengths on both sides of every branch of the algorithm.
  for (const Answer& answer : std::vector<Answer>{
           {0, 0, 0x2d06800538d394c2u},
           {0, 0x9e3779b185ebca8du, 0xa8a6b918b2f0364au},
           {1, 0, 0xc44bdff4074eecdbu},
           {6, 0, 0x27b56a84cd2d7325u},
           {12, 0, 0xa713daf0dfbb77e7u},
           {24, 0, 0xa3fe70bf9d3510ebu},
           {48, 0, 0x397da259ecba1f11u},
           {80, 0, 0xbcdefbbb2c47c90au},
           {195, 0, 0xcd94217ee362ec3au},
           {403, 0, 0xcdeb804d65c6dea4u},
           {512, 0, 0x617e49599013cb6bu},
           {2048, 0, 0xdd59e2c3a5f038e0u},
           {2240, 0, 0x6e73a90539cf2948u},
           {2367, 0, 0xcb37aeb9e5d361edu},
       }) {
    EXPECT_EQ(checksum(Bytes(buffer.data(), answer.length), answer.seed), answer.sum) << answer.length;
  }
}

TEST(Checksum, EveryBitOfTheBytesAndOfTheSeedCounts) {
  std::string frame = sanity_buffer(440);
  std::set<uint64_t> sums = {checksum(frame, 1)};
  for (size_t bit = 0; bit < frame.size() * 8; ++bit) {
    frame[bit / 8] = static_cast<char>(frame[bit / 8] ^ (1 << (bit % 8)));
    sums.insert(checksum(frame, 1));
    frame[bit / 8] = static_cast<char>(frame[bit / 8] ^ (1 << (bit % 8)));
  }
  for (unsigned bit = 0; bit < 64; ++bit) sums.insert(checksum(frame, 1 ^ (uint64_t{1} << bit)));
  EXPECT_EQ(sums.size(), 1 + frame.size() * 8 + 64);
}

TEST(Checksum, SeedsDifferByDatabaseFileAndPurpose) {
  const Uuid uuid{1, 2};
  EXPECT_EQ(checksum_seed(uuid, 3, 4), checksum_seed(uuid, 3, 4));
  const std::set<uint64_t> seeds = {checksum_seed(uuid, 3, 4), checksum_seed({2, 1}, 3, 4),
                                    checksum_seed(uuid, 4, 3), checksum_seed(uuid, 3, 5),
                                    checksum_seed({1, 3}, 2, 4)};
  EXPECT_EQ(seeds.size(), 5u);
}

#if defined(__x86_64__)
// Which parts of the processor's state are in use, where it tells (XGETBV 1).
uint32_t state_in_use() {
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}

bool tells_state_in_use() {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  constexpr uint32_t kOsUsesXsave = 1u << 27;
  constexpr uint32_t kTells = 1u << 2;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsUsesXsave) == 0) return false;
  return __get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kTells) != 0;
}

// Otherwise whatever runs afterwards runs slowly.
TEST(Checksum, LeavesTheUpperHalvesOfVectorRegistersAlone) {
  if (!tells_state_in_use()) GTEST_SKIP() << "this processor does not tell";
  constexpr uint32_t kUpperHalves = 1u << 2 | 1u << 6;  // of ymm, and of zmm, 0 to 15
  const std::string bytes(4096, 'x');
  uint64_t sums = 0;
  for (const size_t length : {16, 100, 240, 241, 400, 1024, 4096}) {
    asm volatile("vzeroupper" ::: "memory");
    sums ^= checksum(Bytes(bytes).substr(0, length), 7);
    EXPECT_EQ(state_in_use() & kUpperHalves, 0u) << length;
  }
  EXPECT_NE(sums, 0u);
}
#endif

}  // namespace
}  // namespace ashlar
