#include "base/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/prng.h"

namespace ashlar {
namespace {

TEST(Arena, TakesNothingBeforeTheFirstAllocation) {
  Arena arena;
  EXPECT_EQ(arena.bytes_reserved(), 0u);
  EXPECT_NE(arena.allocate(1), nullptr);
  EXPECT_EQ(arena.bytes_reserved(), 64u * 1024);
}

TEST(Arena, AlignsAndNeverOverlaps) {
  struct Piece {
    char* start;
    size_t size_bytes;
    char mark;
  };
  Arena arena;
  Prng prng(7);
  std::vector<Piece> pieces;
  for (int i = 0; i < 20000; ++i) {
    const size_t alignment = size_t{1} << prng.below(7);
    const size_t size_bytes = prng.one_in(500) ? prng.between(1, 6u << 20) : prng.below(200);
    auto* start = static_cast<char*>(arena.allocate(size_bytes, alignment));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(start) % alignment, 0u);
    // Whole pieces are filled, ends of the large ones: memory that belongs to two of them would show.
    const auto mark = static_cast<char>(prng.below(256));
    std::memset(start, mark, std::min<size_t>(size_bytes, 64));
    if (size_bytes > 64) std::memset(start + size_bytes - 64, mark, 64);
    pieces.push_back({start, size_bytes, mark});
  }
  for (const Piece& piece : pieces) {
    for (size_t i = 0; i < std::min<size_t>(piece.size_bytes, 64); ++i) {
      ASSERT_EQ(piece.start[i], piece.mark);
      ASSERT_EQ(piece.start[piece.size_bytes - 1 - i], piece.mark);
    }
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.size_bytes == 0; });
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.start < b.start; });
  for (size_t i = 1; i < pieces.size(); ++i) {
    ASSERT_LE(pieces[i - 1].start + pieces[i - 1].size_bytes, pieces[i].start);
  }
}

TEST(Arena, ALargePieceLeavesTheRoomOfTheCurrentChunkInUse) {
  Arena arena;
  auto* first = static_cast<char*>(arena.allocate(16));
  static_cast<void>(arena.allocate(32u << 20));
  auto* second = static_cast<char*>(arena.allocate(16));
  EXPECT_EQ(second, first + 16);
}

TEST(Arena, ReservesLittleMoreThanWhatIsUsed) {
  Arena arena;
  size_t used = 0;
  for (int i = 0; i < 100000; ++i, used += 120) static_cast<void>(arena.allocate(120));
  EXPECT_GE(arena.bytes_reserved(), used);
  EXPECT_LE(arena.bytes_reserved(), used + (8u << 20));
}

}  // namespace
}  // namespace ashlar
