#include "kv/entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.h"

namespace ashlar::kv {
namespace {

TEST(Entry, TrailerHoldsSequenceAndKind) {
  for (const uint64_t sequence :
       {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{1} << 40, kMaxSequence.value}) {
    for (const Kind kind : {Kind::put, Kind::remove}) {
      const uint64_t trailer = make_trailer(Sequence(sequence), kind);
      EXPECT_EQ(trailer_sequence(trailer).value, sequence);
      EXPECT_EQ(trailer_kind(trailer), kind);
    }
  }
  EXPECT_EQ(make_trailer(Sequence(1), Kind::remove), 0x102u);
}

TEST(Entry, KindsOnDiskAreTheseForEver) {
  EXPECT_EQ(static_cast<int>(Kind::put), 1);
  EXPECT_EQ(static_cast<int>(Kind::remove), 2);
  for (int kind = 0; kind < 256; ++kind) {
    EXPECT_EQ(is_known_kind(static_cast<uint8_t>(kind)), kind == 1 || kind == 2) << kind;
  }
}

TEST(Entry, SeekTrailerStandsBetweenNewerAndOlder) {
  const Sequence at(7);
  for (const Kind kind : {Kind::put, Kind::remove}) {
    EXPECT_GT(compare_entries("k", seek_trailer(at), "k", make_trailer(Sequence(8), kind)), 0);
    EXPECT_LT(compare_entries("k", seek_trailer(at), "k", make_trailer(Sequence(7), kind)), 0);
    EXPECT_LT(compare_entries("k", seek_trailer(at), "k", make_trailer(Sequence(6), kind)), 0);
  }
  EXPECT_EQ(seek_trailer(kMaxSequence), ~uint64_t{0});
}

TEST(Entry, StoredKeyOrdersByKeyspaceThenKey) {
  const auto stored = [](uint32_t keyspace, Bytes user_key) {
    std::string key;
    set_stored_key(key, KeyspaceId(keyspace), user_key);
    return key;
  };
  // Numbers, not bytes as a little-endian machine has them: 256 comes after 255.
  const std::vector<std::string> ascending = {
      stored(0, ""),   stored(0, Bytes("\0", 1)), stored(0, "a"), stored(0, Bytes("a\0", 2)),
      stored(0, "ab"), stored(0, "\xff"),         stored(1, ""),  stored(255, ""),
      stored(256, ""), stored(0xffffffff, "")};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_keys(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j);
      EXPECT_EQ(order == 0, i == j);
    }
  }
}

TEST(Entry, StoredKeyTakesApart) {
  std::string key = "used before";
  set_stored_key(key, KeyspaceId(0x01020304), Bytes("user\0key", 8));
  EXPECT_EQ(key, std::string("\1\2\3\4user\0key", 12));
  EXPECT_EQ(keyspace_of(key), KeyspaceId(0x01020304));
  EXPECT_EQ(user_key_of(key), Bytes("user\0key", 8));
  set_stored_key(key, KeyspaceId(9), "");
  EXPECT_EQ(keyspace_of(key), KeyspaceId(9));
  EXPECT_EQ(user_key_of(key), "");
}

TEST(Entry, NewestVersionComesFirst) {
  EXPECT_LT(
      compare_entries("k", make_trailer(Sequence(2), Kind::put), "k", make_trailer(Sequence(1), Kind::put)),
      0);
  EXPECT_GT(
      compare_entries("k", make_trailer(Sequence(1), Kind::put), "k", make_trailer(Sequence(2), Kind::put)),
      0);
  EXPECT_EQ(compare_entries("k", 5, "k", 5), 0);
  EXPECT_LT(compare_entries("k", 1, "ka", 9), 0);  // the key decides first; a proper prefix is smaller
  EXPECT_LT(compare_entries(Bytes("k\0", 2), 1, "ka", 9), 0);
}

TEST(Entry, OrderIsTotal) {
  Prng prng(1);
  struct Pair {
    std::string key;
    uint64_t trailer;
  };
  std::vector<Pair> pairs;
  for (int i = 0; i < 60; ++i) {
    std::string key;
    for (uint64_t n = prng.below(3); n > 0; --n) key.push_back("\0a\xff"[prng.below(3)]);
    pairs.push_back({key, prng.below(4)});
  }
  const auto order = [](const Pair& a, const Pair& b) {
    return compare_entries(a.key, a.trailer, b.key, b.trailer);
  };
  for (const auto& a : pairs) {
    EXPECT_EQ(order(a, a), 0);
    for (const auto& b : pairs) {
      EXPECT_EQ(order(a, b) < 0, order(b, a) > 0);
      EXPECT_EQ(order(a, b) == 0, a.key == b.key && a.trailer == b.trailer);
      for (const auto& c : pairs) {
        if (order(a, b) < 0 && order(b, c) < 0) {
          EXPECT_LT(order(a, c), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::kv
