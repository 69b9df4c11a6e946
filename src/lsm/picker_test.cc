#include "lsm/picker.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

std::shared_ptr<const Version> version_of(std::vector<std::pair<size_t, RunShape>> shapes) {
  Levels levels;
  for (const auto& [level, shape] : shapes) levels[level].push_back(shaped_run(shape));
  auto version = Version::create(std::move(levels));
  EXPECT_TRUE(version.ok()) << version.status().to_string();
  return std::move(version).value();
}

std::string text_of(const std::optional<Compaction>& compaction) {
  return compaction.has_value() ? compaction->to_string() : "nothing";
}

// Run `id` over keys [smallest, largest] with sequences id*10 .. id*10+9 and 64 MiB.
RunShape shape(uint64_t id, const char* smallest, const char* largest, uint64_t size_mib = 64) {
  return {.id = id,
          .smallest = smallest,
          .largest = largest,
          .smallest_sequence = id * 10,
          .largest_sequence = id * 10 + 9,
          .size_bytes = size_mib * kMiB};
}

RunShape tombstones(RunShape shape, uint64_t count) {
  shape.tombstones = count;
  return shape;
}

TEST(Picker, LeavesAQuietVersionAlone) {
  EXPECT_EQ(text_of(pick(*Version::empty(), {})), "nothing");
  EXPECT_EQ(
      text_of(
          pick(*version_of({{0, shape(3, "a", "z")}, {0, shape(2, "a", "z")}, {0, shape(1, "a", "z")}}), {})),
      "nothing");
  EXPECT_EQ(
      text_of(
          pick(*version_of({{1, shape(3, "a", "f")}, {1, shape(2, "g", "z")}, {6, shape(1, "a", "z")}}), {})),
      "nothing");
}

TEST(Picker, MergesAFullLevel0WithWhatItTouches) {
  EXPECT_EQ(text_of(pick(*version_of({{0, shape(9, "a", "m")},
                                      {0, shape(8, "c", "n")},
                                      {0, shape(7, "m", "p")},
                                      {0, shape(6, "b", "c")},
                                      {1, shape(1, "a", "b")},
                                      {1, shape(2, "o", "q")},
                                      {1, shape(3, "r", "z")}}),
                         {})),
            "merge L0 -> L1 (level is full): L0 000009 000008 000007 000006 | L1 000001 000002");
}

TEST(Picker, TakesOnlyTheOldestGroupWhereTheRestWouldCostMore) {
  EXPECT_EQ(text_of(pick(*version_of({{0, shape(9, "x", "y")},
                                      {0, shape(8, "a", "c")},
                                      {0, shape(7, "x", "z")},
                                      {0, shape(6, "b", "d")},
                                      {1, shape(1, "a", "b")},
                                      {1, shape(2, "m", "n")},
                                      {1, shape(3, "x", "z")}}),
                         {})),
            "merge L0 -> L1 (level is full): L0 000008 000006 | L1 000001");
}

TEST(Picker, SequentialFillsMove) {
  EXPECT_EQ(text_of(pick(*version_of({{0, shape(9, "s", "t")},
                                      {0, shape(8, "q", "r")},
                                      {0, shape(7, "o", "p")},
                                      {0, shape(6, "m", "n")},
                                      {1, shape(1, "a", "l")}}),
                         {})),
            "move L0 -> L1 (level is full): L0 000009 000008 000007 000006");
}

TEST(Picker, ARunThatOverlapsAnOlderOneDoesNotMove) {
  // 9 lies over 7, and 8 over level 1; 7 and 6 are free to go.
  EXPECT_EQ(text_of(pick(*version_of({{0, shape(9, "o", "o")},
                                      {0, shape(8, "a", "b")},
                                      {0, shape(7, "o", "p")},
                                      {0, shape(6, "m", "n")},
                                      {1, shape(1, "b", "l")}}),
                         {})),
            "move L0 -> L1 (level is full): L0 000007 000006");
}

TEST(Picker, SmallFlushesOfNewKeysGrowARunInsteadOfAddingRuns) {
  EXPECT_EQ(text_of(pick(*version_of({{0, shape(9, "s", "t", 1)},
                                      {0, shape(8, "q", "r", 1)},
                                      {0, shape(7, "o", "p", 1)},
                                      {0, shape(6, "m", "n", 1)},
                                      {1, shape(1, "a", "c", 1)},
                                      {1, shape(2, "d", "l", 7)},
                                      {1, shape(3, "u", "z", 64)}}),
                         {})),
            "merge L0 -> L1 (level is full): L0 000009 000008 000007 000006 | L1 000002");
}

TEST(Picker, AFullLevelGoesRoundRobinByKey) {
  std::vector<std::pair<size_t, RunShape>> shapes = {
      {1, shape(11, "a", "c")}, {1, shape(12, "d", "f")}, {1, shape(13, "g", "j")}, {1, shape(14, "k", "l")},
      {2, shape(1, "a", "e")},  {2, shape(2, "f", "h")},  {2, shape(3, "i", "z")}};
  const auto version = version_of(shapes);
  PickerOptions options;
  options.level_base_bytes = 200 * kMiB;
  std::string text;
  for (int i = 0; i < 5; ++i) {
    const auto compaction = pick(*version, options);
    ASSERT_TRUE(compaction.has_value());
    text += compaction->to_string() + "\n";
    options.resume_keys[1] = compaction->resume_key;
  }
  EXPECT_EQ(text,
            "merge L1 -> L2 (level is full): L1 000011 | L2 000001\n"
            "merge L1 -> L2 (level is full): L1 000012 | L2 000001 000002\n"
            "merge L1 -> L2 (level is full): L1 000013 | L2 000002 000003\n"
            "merge L1 -> L2 (level is full): L1 000014 | L2 000003\n"
            "merge L1 -> L2 (level is full): L1 000011 | L2 000001\n");
}

TEST(Picker, RunsThatTouchNothingBelowMoveFirstAndOnlyAsManyAsNeeded) {
  PickerOptions options;
  options.level_base_bytes = 200 * kMiB;
  const auto version = version_of({{1, shape(11, "a", "c")},
                                   {1, shape(12, "d", "f")},
                                   {1, shape(13, "g", "j")},
                                   {1, shape(14, "k", "l")},
                                   {1, shape(15, "m", "n")},
                                   {2, shape(1, "a", "e")}});
  EXPECT_EQ(text_of(pick(*version, options)), "move L1 -> L2 (level is full): L1 000013 000014");
}

TEST(Picker, TheFullestLevelComesFirst) {
  PickerOptions options;
  options.level_base_bytes = 100 * kMiB;
  const auto version = version_of(
      {{1, shape(11, "a", "c", 150)}, {2, shape(12, "a", "f", 1600)}, {3, shape(13, "a", "j", 1600)}});
  EXPECT_EQ(text_of(pick(*version, options)), "merge L2 -> L3 (level is full): L2 000012 | L3 000013");
}

TEST(Picker, TombstonesGoFirstAndThenDownToTheBottom) {
  PickerOptions options;
  options.level_base_bytes = 100 * kMiB;
  EXPECT_EQ(text_of(pick(*version_of({{1, shape(11, "a", "c")},
                                      {1, tombstones(shape(12, "d", "f"), 50)},
                                      {2, shape(1, "a", "f")}}),
                         options)),
            "merge L1 -> L2 (level is full): L1 000012 | L2 000001");
  options.level_base_bytes = 1000 * kMiB;
  EXPECT_EQ(text_of(pick(*version_of({{1, tombstones(shape(12, "d", "f"), 49)}, {2, shape(1, "a", "f")}}),
                         options)),
            "nothing");
  EXPECT_EQ(text_of(pick(*version_of({{1, tombstones(shape(12, "d", "f"), 50)}, {2, shape(1, "a", "f")}}),
                         options)),
            "merge L1 -> L2 (mostly tombstones): L1 000012 | L2 000001");
  EXPECT_EQ(text_of(pick(*version_of({{1, tombstones(shape(12, "d", "f"), 50)}, {3, shape(1, "a", "f")}}),
                         options)),
            "move L1 -> L2 (mostly tombstones): L1 000012");
  const auto bottom = version_of({{3, tombstones(shape(12, "d", "f"), 50)}});
  options.oldest_boundary = Sequence(128);
  EXPECT_EQ(text_of(pick(*bottom, options)), "nothing") << "a snapshot may still need what they hide";
  options.oldest_boundary = Sequence(129);
  EXPECT_EQ(text_of(pick(*bottom, options)), "merge L3 -> L3 (mostly tombstones): L3 000012");
  EXPECT_EQ(text_of(pick(*version_of({{0, tombstones(shape(12, "d", "f"), 100)}, {1, shape(1, "a", "f")}}),
                         options)),
            "merge L0 -> L1 (tombstones or a dropped keyspace in level 0): L0 000012 | L1 000001");
}

TEST(Picker, DroppedKeyspacesGo) {
  PickerOptions options;
  options.is_dropped = [](KeyspaceId id) { return id.value == 7; };
  RunShape dropped = shape(5, "a", "z");
  dropped.keyspace = 7;
  EXPECT_EQ(text_of(pick(*version_of({{0, dropped}, {1, shape(4, "a", "z")}}), options)),
            "drop L0 -> L0 (keyspaces were dropped): L0 000005");

  run::Properties mixed = shaped_run(shape(6, "a", "z"))->properties();
  mixed.keyspaces = {KeyspaceId(0), KeyspaceId(7)};
  Levels levels;
  levels[2].push_back(std::make_shared<RunMeta>(nullptr, RunId(6), mixed));
  EXPECT_EQ(text_of(pick(*Version::create(levels).value(), options)),
            "merge L2 -> L2 (a keyspace was dropped): L2 000006");
}

TEST(Picker, EverythingGoesToOneLevel) {
  EXPECT_EQ(text_of(pick_everything(*Version::empty(), {})), "nothing");
  EXPECT_EQ(text_of(pick_everything(*version_of({{1, shape(1, "a", "c")}, {1, shape(2, "d", "f")}}), {})),
            "nothing");
  EXPECT_EQ(text_of(pick_everything(*version_of({{0, shape(1, "a", "c")}}), {})),
            "merge L0 -> L1 (everything): L0 000001");
  EXPECT_EQ(text_of(pick_everything(*version_of({{1, tombstones(shape(1, "a", "c"), 1)}}), {})),
            "merge L1 -> L1 (everything): L1 000001");
  RunShape versions = shape(1, "a", "c");
  versions.keys = 99;
  EXPECT_EQ(text_of(pick_everything(*version_of({{3, versions}}), {})),
            "merge L3 -> L3 (everything): L3 000001");
  EXPECT_EQ(text_of(pick_everything(*version_of({{0, shape(9, "a", "z")},
                                                 {1, shape(8, "a", "c")},
                                                 {1, shape(7, "d", "f", 300)},
                                                 {2, shape(1, "a", "c")}}),
                                    {})),
            "merge L0 -> L2 (everything): L0 000009 | L1 000008 000007 | L2 000001");
}

// P1 and P2 on random versions; and every pick has work to do.
void check_promises(const Version& version, const Compaction& compaction) {
  ASSERT_FALSE(compaction.inputs.empty());
  std::vector<RunId> taken;
  for (const auto& input : compaction.inputs) taken.push_back(input.run->id());
  const auto is_taken = [&](const RunRef& run) {
    return std::find(taken.begin(), taken.end(), run->id()) != taken.end();
  };
  if (compaction.kind == Compaction::Kind::move) {
    for (const auto& input : compaction.inputs)
      EXPECT_TRUE(
          version.overlapping(compaction.target_level, input.run->smallest_key(), input.run->largest_key())
              .empty());
  }
  if (compaction.level == 0) {
    for (const auto& input : compaction.inputs) {
      if (input.level != 0) continue;
      for (const RunRef& older :
           version.overlapping(0, input.run->smallest_key(), input.run->largest_key())) {
        const bool is_older = older->properties().largest_sequence < input.run->properties().largest_sequence;
        EXPECT_TRUE(!is_older || is_taken(older));
      }
    }
  }
  if (compaction.kind != Compaction::Kind::merge || compaction.level == compaction.target_level) return;
  Bytes smallest = compaction.inputs[0].run->smallest_key();
  Bytes largest = compaction.inputs[0].run->largest_key();
  for (const auto& input : compaction.inputs) {
    smallest = std::min(smallest, input.run->smallest_key());
    largest = std::max(largest, input.run->largest_key());
  }
  for (const RunRef& run : version.overlapping(compaction.target_level, smallest, largest))
    EXPECT_TRUE(is_taken(run));
}

TEST(Picker, KeepsItsPromisesOnRandomVersions) {
  static const char* const kKeys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  size_t picks = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    std::vector<std::pair<size_t, RunShape>> shapes;
    uint64_t id = 1;
    for (size_t level = 4; level > 0; --level) {
      for (size_t key = prng.below(4); key < 12; key += 1 + prng.below(3)) {
        const size_t first = key;
        key += prng.below(3);
        if (key >= 12) break;
        RunShape run = shape(id++, kKeys[first], kKeys[key], 1 + prng.below(100));
        run.tombstones = prng.one_in(5) ? 100 : 0;
        shapes.push_back({level, run});
      }
    }
    for (uint64_t i = prng.below(7); i > 0; --i) {
      const size_t first = prng.below(12);
      shapes.push_back(
          {0, shape(id++, kKeys[first], kKeys[first + prng.below(12 - first)], 1 + prng.below(100))});
    }
    PickerOptions options;
    options.level_base_bytes = (1 + prng.below(200)) * kMiB;
    options.level_multiplier = 1 + prng.below(4);
    options.oldest_boundary = Sequence(prng.below(id * 10));
    const auto version = version_of(shapes);
    const auto compaction = pick(*version, options);
    if (!compaction.has_value()) continue;
    ++picks;
    check_promises(*version, *compaction);
  }
  EXPECT_GT(picks, 2000u);
}

}  // namespace
}  // namespace ashlar::lsm
