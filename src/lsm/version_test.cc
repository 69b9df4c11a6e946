#include "lsm/version.h"

#include <gtest/gtest.h>

#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

Status create_status(std::vector<std::pair<size_t, RunShape>> shapes) {
  Levels levels;
  for (const auto& [level, shape] : shapes) levels[level].push_back(shaped_run(shape));
  auto version = Version::create(std::move(levels));
  return version.ok() ? ok_status() : version.status();
}

RunShape shape(uint64_t id, const char* smallest, const char* largest, uint64_t from, uint64_t to) {
  return {
      .id = id, .smallest = smallest, .largest = largest, .smallest_sequence = from, .largest_sequence = to};
}

TEST(Version, PutsItsLevelsInOrder) {
  Levels levels;
  levels[0] = {shaped_run(shape(1, "a", "c", 1, 5)), shaped_run(shape(2, "b", "d", 6, 9))};
  levels[2] = {shaped_run(shape(4, "m", "z", 1, 3)), shaped_run(shape(3, "a", "l", 1, 3))};
  auto version = Version::create(levels);
  ASSERT_TRUE(version.ok());
  EXPECT_EQ((*version)->level(0)[0]->id(), RunId(2));
  EXPECT_EQ((*version)->level(2)[0]->id(), RunId(3));
  EXPECT_EQ((*version)->run_count(), 4u);
  EXPECT_EQ((*version)->deepest_level(), 2u);
  EXPECT_EQ((*version)->level_bytes(2), 2000u);
  EXPECT_EQ(Version::empty()->deepest_level(), 0u);
}

TEST(Version, RefusesWhatBreaksV1) {
  EXPECT_FALSE(create_status({{0, shape(1, "a", "c", 1, 5)}, {3, shape(1, "x", "z", 6, 9)}}).ok());
  EXPECT_FALSE(create_status({{1, shape(1, "c", "a", 1, 5)}}).ok());
  EXPECT_FALSE(create_status({{1, shape(1, "a", "c", 5, 1)}}).ok());
  RunShape without_entries = shape(1, "a", "c", 1, 5);
  without_entries.entries = 0;
  EXPECT_FALSE(create_status({{1, without_entries}}).ok());
}

TEST(Version, RefusesWhatBreaksV2) {
  EXPECT_FALSE(create_status({{0, shape(1, "a", "c", 1, 6)}, {0, shape(2, "c", "d", 5, 9)}}).ok());
  EXPECT_TRUE(create_status({{0, shape(1, "a", "c", 1, 5)}, {0, shape(2, "c", "d", 6, 9)}}).ok());
  EXPECT_TRUE(create_status({{0, shape(1, "a", "b", 1, 6)}, {0, shape(2, "c", "d", 5, 9)}}).ok())
      << "two outputs of one flush share sequences and no keys";
}

TEST(Version, RefusesWhatBreaksV3) {
  EXPECT_FALSE(create_status({{1, shape(1, "a", "c", 1, 5)}, {1, shape(2, "c", "d", 6, 9)}}).ok());
  EXPECT_TRUE(create_status({{1, shape(1, "a", "c", 1, 5)}, {1, shape(2, "d", "d", 1, 9)}}).ok());
  EXPECT_TRUE(create_status({{1, shape(1, "a", "c", 1, 5)}, {2, shape(2, "a", "d", 1, 9)}}).ok());
}

TEST(Version, FindsWhatARangeTouches) {
  Levels levels;
  levels[1] = {shaped_run(shape(1, "b", "d", 1, 1)), shaped_run(shape(2, "f", "f", 1, 1)),
               shaped_run(shape(3, "h", "k", 1, 1))};
  const auto version = Version::create(levels).value();
  const auto ids = [&](const char* smallest, const char* largest) {
    std::string text;
    for (const RunRef& run : version->overlapping(1, stored_key(0, smallest), stored_key(0, largest)))
      text += std::to_string(run->id().value);
    return text;
  };
  EXPECT_EQ(ids("a", "a"), "");
  EXPECT_EQ(ids("a", "b"), "1");
  EXPECT_EQ(ids("d", "f"), "12");
  EXPECT_EQ(ids("e", "e"), "");
  EXPECT_EQ(ids("c", "z"), "123");
}

TEST(RunMeta, NamesAreExact) {
  EXPECT_EQ(run_file_name(RunId(42)), "000042.run");
  EXPECT_EQ(run_file_name(RunId(12345678)), "12345678.run");
  for (const uint64_t id : {uint64_t{0}, uint64_t{7}, uint64_t{999999}, uint64_t{1000000}, UINT64_MAX})
    EXPECT_EQ(parse_run_file_name(run_file_name(RunId(id))), RunId(id));
  for (const char* name : {"", ".run", "42.run", "0000042.run", "00004x.run", "000042.ru", "000042.run~",
                           "-00042.run", "18446744073709551616.run", "000042run"})
    EXPECT_FALSE(parse_run_file_name(name).has_value()) << name;
}

}  // namespace
}  // namespace ashlar::lsm
