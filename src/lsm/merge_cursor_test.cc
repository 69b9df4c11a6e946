#include "lsm/merge_cursor.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "lsm/map_cursor.h"

namespace ashlar::lsm {
namespace {

struct Merged {
  std::vector<std::shared_ptr<EntryMap>> maps;
  std::vector<MapCursor*> children;
  std::shared_ptr<EntryMap> all = std::make_shared<EntryMap>();
  std::unique_ptr<kv::Cursor> cursor;

  explicit Merged(size_t child_count) {
    for (size_t i = 0; i < child_count; ++i) maps.push_back(std::make_shared<EntryMap>());
  }
  void open() {
    std::vector<std::unique_ptr<kv::Cursor>> cursors;
    for (const auto& map : maps) {
      auto child = std::make_unique<MapCursor>(map);
      children.push_back(child.get());
      cursors.push_back(std::move(child));
    }
    cursor = merge(std::move(cursors));
  }
};

std::string random_key(Prng& prng) {
  std::string key;
  const uint64_t size = prng.below(4);
  for (uint64_t i = 0; i < size; ++i) key += "\0ab\xff"[prng.below(4)];
  return key;
}

void fill(Merged& merged, Prng& prng, uint64_t entry_count) {
  for (uint64_t sequence = 1; sequence <= entry_count; ++sequence) {
    const std::string key = random_key(prng);
    const std::string value = std::to_string(sequence);
    // A skewed choice leaves some children nearly or wholly empty.
    const size_t child = prng.below(prng.below(merged.maps.size()) + 1);
    put(*merged.maps[child], key, sequence, value);
    put(*merged.all, key, sequence, value);
  }
}

void expect_same(const kv::Cursor& cursor, const kv::Cursor& model) {
  ASSERT_TRUE(cursor.status().ok());
  ASSERT_EQ(cursor.valid(), model.valid());
  if (!model.valid()) return;
  EXPECT_EQ(cursor.key(), model.key());
  EXPECT_EQ(cursor.trailer(), model.trailer());
  EXPECT_EQ(cursor.value(), model.value());
}

// One random move of both; false if they were not valid and a step was drawn.
void move_both(kv::Cursor& cursor, kv::Cursor& model, Prng& prng, uint64_t entry_count) {
  const uint64_t choice = prng.below(20);
  if (choice < 8 && model.valid()) {
    cursor.next();
    model.next();
  } else if (choice < 16 && model.valid()) {
    cursor.previous();
    model.previous();
  } else if (choice % 4 == 0) {
    cursor.seek_first();
    model.seek_first();
  } else if (choice % 4 == 1) {
    cursor.seek_last();
    model.seek_last();
  } else {
    const std::string key = random_key(prng);
    const uint64_t trailer = kv::seek_trailer(Sequence(prng.below(entry_count + 2)));
    if (choice % 4 == 2) {
      cursor.seek(key, trailer);
      model.seek(key, trailer);
    } else {
      cursor.seek_for_previous(key, trailer);
      model.seek_for_previous(key, trailer);
    }
  }
}

TEST(MergeCursor, EqualsTheUnionUnderRandomMoves) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    Merged merged(prng.below(9));
    const uint64_t entry_count = merged.maps.empty() ? 0 : prng.below(60);
    fill(merged, prng, entry_count);
    merged.open();
    MapCursor model(merged.all);
    for (int i = 0; i < 200; ++i) {
      move_both(*merged.cursor, model, prng, entry_count);
      ASSERT_NO_FATAL_FAILURE(expect_same(*merged.cursor, model));
    }
  }
}

TEST(MergeCursor, TurnsAtEveryPosition) {
  Prng prng(7);
  Merged merged(5);
  fill(merged, prng, 80);
  merged.open();
  MapCursor model(merged.all);
  for (size_t position = 0; position < 80; ++position) {
    for (const bool forward_first : {true, false}) {
      for (kv::Cursor* cursor : {merged.cursor.get(), static_cast<kv::Cursor*>(&model)}) {
        forward_first ? cursor->seek_first() : cursor->seek_last();
        for (size_t i = 0; i < position; ++i) forward_first ? cursor->next() : cursor->previous();
        forward_first ? cursor->previous() : cursor->next();
        if (cursor->valid()) forward_first ? cursor->next() : cursor->previous();
        if (cursor->valid()) forward_first ? cursor->next() : cursor->previous();
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(*merged.cursor, model));
    }
  }
}

// New entries may or may not be met, but the old ones all are, and the order holds.
TEST(MergeCursor, KeepsItsOrderWhileAChildGrows) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    Merged merged(3);
    fill(merged, prng, 30);
    merged.open();
    auto old = std::make_shared<EntryMap>(*merged.all);
    MapCursor model(old);
    uint64_t next_sequence = 31;
    merged.cursor->seek_first();
    model.seek_first();
    for (int i = 0; i < 150; ++i) {
      if (prng.one_in(2)) put(*merged.maps[2], random_key(prng), next_sequence++, "new");
      ASSERT_EQ(merged.cursor->valid(), model.valid());
      if (!model.valid()) break;
      const bool forward = i < 5 || prng.below(5) < 3;
      const EntryKey before{std::string(merged.cursor->key()), merged.cursor->trailer()};
      forward ? model.next() : model.previous();
      do {
        forward ? merged.cursor->next() : merged.cursor->previous();
        if (!merged.cursor->valid()) break;
        const EntryKey after{std::string(merged.cursor->key()), merged.cursor->trailer()};
        ASSERT_TRUE(forward ? before < after : after < before);
      } while (kv::trailer_sequence(merged.cursor->trailer()) > Sequence(30));
      ASSERT_NO_FATAL_FAILURE(expect_same(*merged.cursor, model));
    }
  }
}

TEST(MergeCursor, QuietChildrenAreNotMoved) {
  Merged merged(6);
  for (uint64_t i = 0; i < 1000; ++i) put(*merged.maps[0], std::to_string(1000 + i), i + 1, "");
  for (size_t child = 1; child < 6; ++child) put(*merged.maps[child], "9", 2000 + child, "");
  merged.open();
  merged.cursor->seek_first();
  const uint64_t moves = merged.children[3]->moves();
  for (int i = 0; i < 999; ++i) merged.cursor->next();
  EXPECT_EQ(merged.cursor->key(), "1999");
  EXPECT_EQ(merged.children[3]->moves(), moves);
}

TEST(MergeCursor, OneChildComesBackAsItIs) {
  auto entries = std::make_shared<EntryMap>();
  auto child = std::make_unique<MapCursor>(entries);
  const kv::Cursor* raw = child.get();
  std::vector<std::unique_ptr<kv::Cursor>> children;
  children.push_back(std::move(child));
  EXPECT_EQ(merge(std::move(children)).get(), raw);
}

TEST(MergeCursor, AnErrorOfAnyChildEndsIt) {
  for (const bool forward : {true, false}) {
    for (uint64_t after = 0; after < 8; ++after) {
      Merged merged(3);
      for (uint64_t i = 0; i < 30; ++i) put(*merged.maps[i % 3], std::to_string(100 + i), i + 1, "");
      merged.open();
      merged.children[1]->fail_after(after);
      uint64_t seen = 0;
      forward ? merged.cursor->seek_first() : merged.cursor->seek_last();
      while (merged.cursor->valid()) {
        ++seen;
        forward ? merged.cursor->next() : merged.cursor->previous();
      }
      EXPECT_EQ(merged.cursor->status().code(), Code::io);
      EXPECT_LT(seen, 30u);
      merged.children[1]->fail_after(1000);
      merged.cursor->seek_first();
      EXPECT_TRUE(merged.cursor->valid() && merged.cursor->status().ok()) << "a new seek begins anew";
    }
  }
}

}  // namespace
}  // namespace ashlar::lsm
