#include "lsm/level_cursor.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "lsm/sample_tree.h"

namespace ashlar::lsm {
namespace {

std::string key_of(uint64_t i) { return stored_key(0, std::to_string(1000 + i)); }

EntryMap entries_with_gaps(Prng& prng) {
  EntryMap entries;
  uint64_t sequence = 0;
  for (uint64_t i = prng.below(3); i < 120; i += 1 + prng.below(4))
    for (uint64_t versions = 1 + prng.below(3); versions > 0; --versions)
      put(entries, key_of(i), ++sequence, "v");
  return entries;
}

TEST(LevelCursor, EqualsTheEntriesOfItsRunsUnderRandomMoves) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    SampleTree tree;
    const auto entries = std::make_shared<EntryMap>(entries_with_gaps(prng));
    auto output = tree.write(*entries, {}, tree.target(1 + prng.below(2000)));
    ASSERT_TRUE(output.ok());
    LevelCursor cursor(output->runs, {});
    MapCursor model(entries);
    for (int i = 0; i < 300; ++i) {
      const uint64_t choice = prng.below(12);
      const std::string key = key_of(prng.below(125));
      const uint64_t trailer = kv::seek_trailer(Sequence(prng.below(entries->size() + 2)));
      for (kv::Cursor* each : {static_cast<kv::Cursor*>(&cursor), static_cast<kv::Cursor*>(&model)}) {
        if (choice == 0) each->seek_first();
        if (choice == 1) each->seek_last();
        if (choice == 2) each->seek(key, trailer);
        if (choice == 3) each->seek_for_previous(key, trailer);
        if (choice >= 4 && choice < 8 && each->valid()) each->next();
        if (choice >= 8 && each->valid()) each->previous();
      }
      ASSERT_TRUE(cursor.status().ok());
      ASSERT_EQ(cursor.valid(), model.valid());
      if (!model.valid()) continue;
      ASSERT_EQ(cursor.key(), model.key());
      ASSERT_EQ(cursor.trailer(), model.trailer());
      ASSERT_EQ(cursor.value(), model.value());
    }
  }
}

TEST(LevelCursor, OpensOnlyTheRunsItNeeds) {
  SampleTree tree;
  EntryMap entries;
  for (uint64_t i = 0; i < 3000; ++i) put(entries, key_of(i), i + 1, "value");
  const auto written = tree.write(entries, {}, tree.target(4000))->runs;
  ASSERT_GT(written.size(), 5u);
  // What write_runs opened to verify stays open; these are the same runs as a later process would find them.
  std::vector<RunRef> runs;
  for (const RunRef& run : written)
    runs.push_back(std::make_shared<RunMeta>(tree.context, run->id(), run->properties()));
  const uint64_t opened = tree.directory->opened;
  LevelCursor cursor(runs, {});
  EXPECT_EQ(tree.directory->opened, opened);
  cursor.seek(runs[2]->smallest_key(), UINT64_MAX);
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(tree.directory->opened, opened + 1);
  cursor.seek(runs[2]->largest_key(), 0);
  EXPECT_EQ(cursor.key(), runs[3]->smallest_key());
  EXPECT_EQ(tree.directory->opened, opened + 2);
}

TEST(LevelCursor, AFileThatCannotBeOpenedIsAnErrorNotAGap) {
  SampleTree tree;
  EntryMap entries;
  for (uint64_t i = 0; i < 1000; ++i) put(entries, key_of(i), i + 1, "value");
  const auto written = tree.write(entries, {}, tree.target(4000))->runs;
  std::vector<RunRef> runs;
  for (const RunRef& run : written)
    runs.push_back(std::make_shared<RunMeta>(tree.context, run->id(), run->properties()));
  const auto bytes = tree.directory->files[runs[1]->file_name()];
  tree.directory->files.erase(runs[1]->file_name());
  for (const bool forward : {true, false}) {
    LevelCursor cursor(runs, {});
    uint64_t seen = 0;
    for (forward ? cursor.seek_first() : cursor.seek_last(); cursor.valid();
         forward ? cursor.next() : cursor.previous())
      ++seen;
    EXPECT_LT(seen, 1000u);
    EXPECT_EQ(cursor.status().code(), Code::corruption);
    tree.directory->files[runs[1]->file_name()] = bytes;
    cursor.seek_first();
    EXPECT_TRUE(cursor.valid() && cursor.status().ok());
    tree.directory->files.erase(runs[1]->file_name());
  }
}

}  // namespace
}  // namespace ashlar::lsm
