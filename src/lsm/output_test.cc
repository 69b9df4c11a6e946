#include "lsm/output.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"
#include "lsm/sample_tree.h"

namespace ashlar::lsm {
namespace {

std::vector<Sequence> boundaries_of(std::initializer_list<uint64_t> values) {
  std::vector<Sequence> boundaries;
  for (const uint64_t value : values) boundaries.push_back(Sequence(value));
  return boundaries;
}

// Entries of keyspace 0, written as "a9 a4- b2".
EntryMap entries_from(const std::string& text) {
  EntryMap entries;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    const bool is_tombstone = word.back() == '-';
    const uint64_t sequence = std::stoull(word.substr(1));
    const std::string key = stored_key(0, word.substr(0, 1));
    is_tombstone ? remove(entries, key, sequence) : put(entries, key, sequence, word);
    word.clear();
  }
  return entries;
}

std::string text_of(const EntryMap& entries) {
  std::string text;
  for (const auto& [at, value] : entries)
    text += (text.empty() ? "" : " ") + entry_text(kv::user_key_of(at.key), at.trailer);
  return text;
}

std::string kept(const std::string& entries, std::initializer_list<uint64_t> boundaries,
                 TombstonePolicy policy, const DeeperRuns& deeper = {}) {
  SampleTree tree;
  OutputRules rules;
  rules.boundaries = boundaries_of(boundaries);
  rules.tombstones = policy;
  rules.deeper = deeper;
  auto output = tree.write(entries_from(entries), std::move(rules), tree.target());
  if (!output.ok()) return output.status().to_string();
  EXPECT_EQ(output->entries_read, entries_from(entries).size());
  EXPECT_EQ(output->runs.empty(), output->entries_kept == 0);
  EXPECT_EQ(tree.directory->files.size(), output->runs.size());
  return text_of(entries_of(output->runs));
}

constexpr auto kKeep = TombstonePolicy::keep;
constexpr auto kDrop = TombstonePolicy::drop_at_bottom;

TEST(Output, KeepsTheNewestVersionOfEachInterval) {
  EXPECT_EQ(kept("a12 a11 a9 a7 a4 a2", {5, 9}, kKeep), "a12 a11 a9 a4");
  EXPECT_EQ(kept("a12 a11 a9 a7 a4 a2", {12}, kKeep), "a12");
  EXPECT_EQ(kept("a12 a11 a9 a7 a4 a2", {1}, kKeep), "a12 a11 a9 a7 a4 a2")
      << "above all boundaries everything stays";
  EXPECT_EQ(kept("a12 a11 a9 a7 a4 a2", {2, 4, 7, 9, 11, 12}, kKeep), "a12 a11 a9 a7 a4 a2");
  EXPECT_EQ(kept("a3 b3 b1 c1", {9}, kKeep), "a3 b3 c1");
  EXPECT_EQ(kept("", {9}, kKeep), "");
}

TEST(Output, KeepsTombstonesAboveTheBottom) {
  EXPECT_EQ(kept("a3- a2 b1-", {9}, kKeep), "a3- b1-");
  SampleTree tree;
  auto below = tree.write(entries_from("a1 c1"), {boundaries_of({9}), kKeep, {}, {}, {}}, tree.target());
  ASSERT_TRUE(below.ok());
  Levels levels;
  levels[3] = below->runs;
  const auto version = Version::create(levels).value();
  EXPECT_EQ(kept("a3- b3- c2- d2-", {9}, kDrop, DeeperRuns(*version, 2)), "a3- b3- c2-")
      << "the range decides";
  EXPECT_EQ(kept("a3- b3- c2- d2-", {9}, kDrop, DeeperRuns(*version, 4)), "");
  EXPECT_EQ(kept("a3- b3- c2- d2-", {9}, kDrop, DeeperRuns(*version, 2, below->runs)), "");
}

TEST(Output, DropsTombstonesAtTheBottomOnceNothingBelowRemains) {
  EXPECT_EQ(kept("a3- a2 b4 b1-", {9}, kDrop), "b4");
  EXPECT_EQ(kept("a7- a2", {5, 9}, kDrop), "a7- a2") << "the snapshot at 5 reads a2, the present nothing";
  EXPECT_EQ(kept("a7- a4- a2", {5, 9}, kDrop), "");
  EXPECT_EQ(kept("a9- a7 a4- a2", {5, 8, 9}, kDrop), "a9- a7");
  EXPECT_EQ(kept("a9- a7- a4 a2", {5, 8, 9}, kDrop), "a9- a7- a4");
  EXPECT_EQ(kept("a9- a8- b9 b8-", {5}, kDrop), "b9");
  EXPECT_EQ(kept("a3- a2 b1-", {9}, TombstonePolicy::drop_without_asking), "");
}

TEST(Output, CaseK4ASnapshotSurvivesCompactionToTheBottom) {
  const std::string both = kept("k3- k1", {2, 3}, kDrop);
  EXPECT_EQ(both, "k3- k1");
  const EntryMap entries = entries_from(both);
  EXPECT_EQ(visible_in(entries, 2).size(), 1u);
  EXPECT_TRUE(visible_in(entries, 3).empty());
  EXPECT_EQ(kept(both, {3}, kDrop), "") << "once the snapshot is gone";
}

TEST(Output, DroppedKeyspacesVanish) {
  SampleTree tree;
  EntryMap entries;
  for (const uint32_t keyspace : {0, 3, 4, 5})
    for (const char* key : {"a", "b"}) put(entries, stored_key(keyspace, key), keyspace + 1, "v");
  OutputRules rules;
  rules.boundaries = boundaries_of({1});
  rules.is_dropped = [](KeyspaceId id) { return id.value == 3 || id.value == 5; };
  auto output = tree.write(entries, rules, tree.target());
  ASSERT_TRUE(output.ok());
  std::set<uint32_t> left;
  for (const auto& [at, value] : entries_of(output->runs)) left.insert(kv::keyspace_of(at.key).value);
  EXPECT_EQ(left, (std::set<uint32_t>{0, 4}));
  EXPECT_EQ(output->entries_kept, 4u);
}

EntryMap random_entries(Prng& prng, uint64_t count) {
  EntryMap entries;
  for (uint64_t sequence = 1; sequence <= count; ++sequence) {
    const std::string key =
        stored_key(static_cast<uint32_t>(prng.below(2)), std::to_string(prng.below(1 + count / 5)));
    const std::string value(prng.below(300), static_cast<char>('a' + prng.below(26)));
    prng.one_in(3) ? remove(entries, key, sequence) : put(entries, key, sequence, value);
  }
  return entries;
}

TEST(Output, ReadsAtAndAboveTheBoundariesStayTheSame) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    SampleTree tree;
    const uint64_t count = prng.below(300);
    const EntryMap entries = random_entries(prng, count);
    std::set<uint64_t> boundaries;
    for (uint64_t i = prng.below(5) + 1; i > 0; --i) boundaries.insert(prng.below(count + 2));
    OutputRules rules;
    for (const uint64_t boundary : boundaries) rules.boundaries.push_back(Sequence(boundary));
    rules.tombstones = prng.one_in(2) ? kKeep : kDrop;
    auto output = tree.write(entries, rules, tree.target(1 + prng.below(8000)));
    ASSERT_TRUE(output.ok()) << output.status().to_string();
    const EntryMap left = entries_of(output->runs);
    EXPECT_EQ(left.size(), output->entries_kept);
    for (uint64_t at = 0; at <= count + 1; ++at) {
      const bool is_readable = boundaries.contains(at) || at > *boundaries.rbegin();
      ASSERT_TRUE(!is_readable || visible_in(left, at) == visible_in(entries, at)) << at;
    }
  }
}

TEST(Output, VersionsOfOneKeyAreNeverSplit) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    SampleTree tree;
    const EntryMap entries = random_entries(prng, 400);
    auto output =
        tree.write(entries, {boundaries_of({0}), kKeep, {}, {}, {}}, tree.target(1 + prng.below(3000)));
    ASSERT_TRUE(output.ok());
    EXPECT_EQ(entries_of(output->runs).size(), entries.size());
    EXPECT_GT(output->runs.size(), 1u);
    Levels levels;
    levels[1] = output->runs;
    EXPECT_TRUE(Version::create(levels).ok()) << "in order and disjoint";
  }
}

TEST(Output, EveryFailureLeavesNoFileBehind) {
  Prng prng(5);
  const EntryMap entries = random_entries(prng, 300);
  bool succeeded = false;
  for (uint64_t fail_at = 1; !succeeded; ++fail_at) {
    SampleTree tree;
    uint64_t calls = 0;
    tree.directory->before_change = [&](const char* what, const std::string&) {
      return std::string(what) != "remove" && ++calls == fail_at ? Status(Code::no_space, "planned")
                                                                 : Status();
    };
    auto output = tree.write(entries, {boundaries_of({0}), kKeep, {}, {}, {}}, tree.target(6000));
    succeeded = output.ok();
    if (succeeded) {
      EXPECT_GE(fail_at, 8u);  // create, write and sync of more than one run, and the directory
      EXPECT_EQ(tree.directory->files.size(), output->runs.size());
    } else {
      EXPECT_EQ(output.status().code(), Code::no_space);
      EXPECT_TRUE(tree.directory->files.empty()) << fail_at;
    }
  }
}

TEST(Output, AnErrorOfTheInputOrAStopLeavesNoFileBehind) {
  Prng prng(6);
  const auto entries = std::make_shared<EntryMap>(random_entries(prng, 9000));
  {
    SampleTree tree;
    MapCursor cursor(entries);
    cursor.fail_after(5000);
    auto output = write_runs(cursor, {boundaries_of({0}), kKeep, {}, {}, {}}, tree.target(6000));
    ASSERT_FALSE(output.ok());
    EXPECT_EQ(output.status().code(), Code::io);
    EXPECT_TRUE(tree.directory->files.empty());
  }
  for (int stop_at = 1; stop_at <= 5; ++stop_at) {
    SampleTree tree;
    int asked = 0;
    auto output =
        tree.write(*entries, {boundaries_of({0}), kKeep, {}, {}, [&] { return ++asked == stop_at; }},
                   tree.target(600000));
    ASSERT_FALSE(output.ok()) << stop_at;
    EXPECT_EQ(output.status().code(), Code::cancelled);
    EXPECT_TRUE(tree.directory->files.empty());
  }
}

// The disk, or the memory on the way to it, changes one bit after the writer is done.
TEST(Output, ADamagedOutputIsFoundBeforeAnybodyReadsIt) {
  Prng prng(7);
  const EntryMap entries = random_entries(prng, 200);
  for (int round = 0; round < 300; ++round) {
    SampleTree tree;
    tree.directory->before_change = [&](const char* what, const std::string&) {
      if (std::string(what) == "sync directory") {
        auto file = tree.directory->files.begin();
        std::advance(file, static_cast<std::ptrdiff_t>(prng.below(tree.directory->files.size())));
        (*file->second)[prng.below(file->second->size())] ^= static_cast<char>(1 << prng.below(8));
      }
      return ok_status();
    };
    auto output = tree.write(entries, {boundaries_of({0}), kKeep, {}, {}, {}}, tree.target(6000));
    ASSERT_FALSE(output.ok());
    EXPECT_EQ(output.status().code(), Code::corruption) << output.status().to_string();
    EXPECT_TRUE(tree.directory->files.empty());
  }
}

}  // namespace
}  // namespace ashlar::lsm
