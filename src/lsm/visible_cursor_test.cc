#include "lsm/visible_cursor.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "lsm/map_cursor.h"
#include "lsm/merge_cursor.h"

namespace ashlar::lsm {
namespace {

// The answer by definition: what a reader at `at_most` sees.
std::map<std::string, std::string> visible(const EntryMap& entries, uint64_t at_most, const Bounds& bounds) {
  std::map<std::string, std::string> result;
  const std::string* decided = nullptr;
  for (const auto& [at, value] : entries) {
    if (kv::trailer_sequence(at.trailer) > Sequence(at_most)) continue;
    if (decided != nullptr && *decided == at.key) continue;
    decided = &at.key;
    if (at.key < bounds.lower || (bounds.upper && at.key >= *bounds.upper)) continue;
    if (kv::trailer_kind(at.trailer) == kv::Kind::put) result[at.key] = value;
  }
  return result;
}

struct Scene {
  std::shared_ptr<EntryMap> entries = std::make_shared<EntryMap>();
  MapCursor* below = nullptr;

  VisibleCursor open(uint64_t at_most, Bounds bounds = {}) {
    auto cursor = std::make_unique<MapCursor>(entries);
    below = cursor.get();
    return VisibleCursor(std::move(cursor), Sequence(at_most), std::move(bounds));
  }
};

std::string forward_text(VisibleCursor& cursor) {
  std::string text;
  for (cursor.seek_first(); cursor.valid(); cursor.next())
    text += std::string(cursor.key()) + "=" + std::string(cursor.value()) + " ";
  return text;
}
std::string backward_text(VisibleCursor& cursor) {
  std::string text;
  for (cursor.seek_last(); cursor.valid(); cursor.previous())
    text = std::string(cursor.key()) + "=" + std::string(cursor.value()) + " " + text;
  return text;
}

TEST(VisibleCursor, ShowsTheNewestVersionAtItsSequence) {
  Scene scene;
  put(*scene.entries, "a", 9, "a9");
  put(*scene.entries, "a", 4, "a4");
  remove(*scene.entries, "b", 7);
  put(*scene.entries, "b", 2, "b2");
  put(*scene.entries, "c", 8, "c8");
  put(*scene.entries, "c", 5, "c5");
  put(*scene.entries, "d", 3, "d3");
  const std::pair<uint64_t, const char*> expected[] = {{0, ""},
                                                       {2, "b=b2 "},
                                                       {4, "a=a4 b=b2 d=d3 "},
                                                       {6, "a=a4 b=b2 c=c5 d=d3 "},
                                                       {8, "a=a4 c=c8 d=d3 "},
                                                       {9, "a=a9 c=c8 d=d3 "}};
  for (const auto& [at_most, text] : expected) {
    VisibleCursor cursor = scene.open(at_most);
    EXPECT_EQ(forward_text(cursor), text) << at_most;
    EXPECT_EQ(backward_text(cursor), text) << at_most;
  }
}

TEST(VisibleCursor, CaseK6LaterWritesNeverMoveAnOpenCursor) {
  Scene scene;
  for (uint64_t i = 1; i <= 5; ++i) put(*scene.entries, std::to_string(i), i, "v");
  VisibleCursor cursor = scene.open(5);
  cursor.seek("4");
  cursor.previous();
  ASSERT_EQ(cursor.key(), "3");
  put(*scene.entries, "35", 6, "new");
  put(*scene.entries, "4", 7, "new");
  put(*scene.entries, "1", 8, "new");
  cursor.next();
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.key(), "4");
  EXPECT_EQ(cursor.value(), "v");
}

TEST(VisibleCursor, CaseK7SeeksBeyondTheBounds) {
  Scene scene;
  for (const char* key : {"a", "c", "e", "g"}) put(*scene.entries, key, 1, key);
  VisibleCursor cursor = scene.open(1, {"b", "f"});
  cursor.seek("f");
  EXPECT_FALSE(cursor.valid());
  cursor.seek("z");
  EXPECT_FALSE(cursor.valid());
  cursor.seek_for_previous("z");
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.key(), "e");
  cursor.previous();
  EXPECT_EQ(cursor.key(), "c");
  cursor.previous();
  EXPECT_FALSE(cursor.valid());
  cursor.seek("");
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.key(), "c");
  cursor.seek_for_previous("b");
  EXPECT_FALSE(cursor.valid());
  VisibleCursor empty = scene.open(1, {"f", "b"});
  EXPECT_EQ(forward_text(empty), "");
  EXPECT_EQ(backward_text(empty), "");
}

TEST(VisibleCursor, CaseK8PrefixWithoutKeysShowsNone) {
  Scene scene;
  put(*scene.entries, "a", 1, "");
  put(*scene.entries, "d", 2, "");
  VisibleCursor cursor = scene.open(2, Bounds::of_prefix("c"));
  cursor.seek_for_previous("c");
  EXPECT_FALSE(cursor.valid());
  cursor.seek("c");
  EXPECT_FALSE(cursor.valid());
  cursor.seek_last();
  EXPECT_FALSE(cursor.valid());
}

TEST(VisibleCursor, CaseK9KeysRemovedUnderACursorStay) {
  Scene scene;
  for (uint64_t i = 1; i <= 6; ++i) put(*scene.entries, std::to_string(i), i, "v");
  VisibleCursor first = scene.open(6);
  VisibleCursor second = scene.open(6);
  std::string first_seen, second_seen;
  uint64_t sequence = 6;
  first.seek_first();
  second.seek_last();
  while (first.valid() && second.valid()) {
    first_seen += first.key();
    second_seen += second.key();
    remove(*scene.entries, first.key(), ++sequence);
    if (first.key() != second.key()) remove(*scene.entries, second.key(), ++sequence);
    first.next();
    second.previous();
  }
  EXPECT_EQ(first_seen, "123456");
  EXPECT_EQ(second_seen, "654321");
  VisibleCursor now = scene.open(sequence);
  EXPECT_EQ(forward_text(now), "");
}

TEST(VisibleCursor, PrefixBounds) {
  EXPECT_EQ(*Bounds::of_prefix("a").upper, "b");
  EXPECT_EQ(*Bounds::of_prefix(std::string("a\xff\xff")).upper, "b");
  EXPECT_FALSE(Bounds::of_prefix("\xff").upper.has_value());
  EXPECT_FALSE(Bounds::of_prefix("").upper.has_value());
}

std::string random_key(Prng& prng) {
  std::string key;
  const uint64_t size = prng.below(3);
  for (uint64_t i = 0; i < size; ++i) key += "\0abc\xff"[prng.below(5)];
  return key;
}

using Model = std::map<std::string, std::string>;

// One random move of both. An end() iterator stands for "not valid".
void move_both(VisibleCursor& cursor, const Model& model, Model::const_iterator& at, Prng& prng) {
  const auto before = [&](Model::const_iterator i) {
    return i == model.begin() ? model.end() : std::prev(i);
  };
  const uint64_t choice = prng.below(16);
  if (choice < 6 && at != model.end()) {
    cursor.next();
    ++at;
  } else if (choice < 12 && at != model.end()) {
    cursor.previous();
    at = before(at);
  } else if (choice % 4 == 0) {
    cursor.seek_first();
    at = model.begin();
  } else if (choice % 4 == 1) {
    cursor.seek_last();
    at = before(model.end());
  } else {
    const std::string key = random_key(prng);
    if (choice % 4 == 2) {
      cursor.seek(key);
      at = model.lower_bound(key);
    } else {
      cursor.seek_for_previous(key);
      at = before(model.upper_bound(key));
    }
  }
}

void write_randomly(EntryMap& entries, Prng& prng, uint64_t sequence) {
  // Few keys in some runs: long chains of versions.
  const std::string key = random_key(prng);
  prng.below(3) == 0 ? remove(entries, key, sequence) : put(entries, key, sequence, std::to_string(sequence));
}

TEST(VisibleCursor, EqualsTheModelUnderRandomMovesWhileWritesGoOn) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    std::vector<std::shared_ptr<EntryMap>> maps(prng.between(1, 4));
    for (auto& map : maps) map = std::make_shared<EntryMap>();
    const uint64_t entry_count = prng.below(200);
    EntryMap all;
    for (uint64_t sequence = 1; sequence <= entry_count; ++sequence) {
      EntryMap one;
      write_randomly(one, prng, sequence);
      maps[prng.below(maps.size())]->insert(one.begin(), one.end());
      all.insert(one.begin(), one.end());
    }
    const uint64_t at_most = prng.below(entry_count + 2);
    Bounds bounds;
    if (prng.one_in(2)) bounds.lower = random_key(prng);
    if (prng.one_in(2)) bounds.upper = random_key(prng);
    const Model model = visible(all, at_most, bounds);

    std::vector<std::unique_ptr<kv::Cursor>> children;
    for (const auto& map : maps) children.push_back(std::make_unique<MapCursor>(map));
    VisibleCursor cursor(merge(std::move(children)), Sequence(at_most), bounds);
    auto at = model.end();
    uint64_t next_sequence = entry_count + 2;
    for (int i = 0; i < 150; ++i) {
      if (prng.one_in(3)) write_randomly(*maps[0], prng, next_sequence++);
      move_both(cursor, model, at, prng);
      ASSERT_EQ(cursor.valid(), at != model.end());
      if (at == model.end()) continue;
      ASSERT_EQ(cursor.key(), at->first);
      ASSERT_EQ(cursor.value(), at->second);
    }
  }
}

// C3: the cost of passing what is not shown. Each step may take a few moves for every key passed, not for
// every version.
TEST(VisibleCursor, LongRunsCostLittle) {
  constexpr uint64_t kMany = 20000;
  Scene scene;
  put(*scene.entries, "a", 1, "old");
  for (uint64_t i = 0; i < kMany; ++i) put(*scene.entries, "a", 100 + i, "");  // newer than the reader
  for (uint64_t i = 0; i < kMany; ++i) put(*scene.entries, "b", 2 + i % 90 + (i / 90) * 1000000, "");
  remove(*scene.entries, "c", 99);
  put(*scene.entries, "z", 3, "end");
  VisibleCursor cursor = scene.open(99);
  cursor.seek_first();
  ASSERT_EQ(cursor.value(), "old");
  cursor.next();
  ASSERT_EQ(cursor.key(), "b");
  cursor.next();
  ASSERT_EQ(cursor.key(), "z");
  cursor.previous();
  cursor.previous();
  ASSERT_EQ(cursor.value(), "old");
  cursor.previous();
  EXPECT_FALSE(cursor.valid());
  EXPECT_LT(scene.below->moves(), 200u);

  Scene tombstones;
  for (uint64_t i = 0; i < kMany; ++i) remove(*tombstones.entries, std::to_string(kMany + i), i + 1);
  put(*tombstones.entries, "9", kMany + 1, "end");
  VisibleCursor over = tombstones.open(kMany + 1);
  over.seek_first();
  ASSERT_EQ(over.value(), "end");
  over.previous();
  EXPECT_FALSE(over.valid());
  EXPECT_LT(tombstones.below->moves(), 4 * kMany);
}

TEST(VisibleCursor, AnErrorBelowIsNeverAnAnswer) {
  for (uint64_t after = 0; after < 60; ++after) {
    for (const bool forward : {true, false}) {
      Scene scene;
      for (uint64_t i = 0; i < 10; ++i) {
        put(*scene.entries, std::to_string(i), 3 * i + 1, "old");
        put(*scene.entries, std::to_string(i), 3 * i + 2, "new");
        if (i % 2 == 0) remove(*scene.entries, std::to_string(i), 3 * i + 3);
      }
      VisibleCursor cursor = scene.open(100);
      scene.below->fail_after(after);
      uint64_t seen = 0;
      for (forward ? cursor.seek_first() : cursor.seek_last(); cursor.valid();
           forward ? cursor.next() : cursor.previous()) {
        EXPECT_EQ(cursor.value(), "new");
        EXPECT_EQ((cursor.key()[0] - '0') % 2, 1);
        ++seen;
      }
      EXPECT_TRUE(!cursor.status().ok() || seen == 5);
    }
  }
}

}  // namespace
}  // namespace ashlar::lsm
