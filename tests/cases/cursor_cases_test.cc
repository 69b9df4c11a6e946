// Cases about cursors: bounds, direction changes, and writes beside them.
#include "cases/case_fixture.h"

namespace ashlar::cases {
namespace {

// Each case runs with the keys in the delta, in a run, and spread over both.
enum class Place { delta, run, both };

class CursorCases : public CaseTest, public testing::WithParamInterface<Place> {
 protected:
  void put_all(const std::vector<std::string>& keys) {
    open();
    for (size_t i = 0; i < keys.size(); ++i) {
      put(keys[i], "value of " + keys[i]);
      if (GetParam() == Place::both && i == keys.size() / 2) flush();
    }
    if (GetParam() == Place::run) flush();
  }
  static store::ScanOptions below(const std::string& upper) {
    store::ScanOptions scan;
    scan.upper = upper;
    scan.has_upper = true;
    return scan;
  }
};

// leveldb 206.
TEST_P(CursorCases, K6LaterWritesNeverMoveAnOpenCursor) {
  put_all({"1", "2", "3", "4", "5"});
  const auto at = snapshot();
  const auto cursor = iterate({}, at.get());
  ASSERT_TRUE(cursor->seek("4"));
  ASSERT_TRUE(cursor->previous());
  ASSERT_EQ(cursor->key(), "3");
  put("35", "new");
  put("1", "changed");
  remove("5");
  ASSERT_TRUE(cursor->next());
  EXPECT_EQ(cursor->key(), "4");
  flush();
  ASSERT_TRUE(cursor->next());
  EXPECT_EQ(cursor->key(), "5");
  EXPECT_FALSE(cursor->next());
  ASSERT_TRUE(cursor->first());
  EXPECT_EQ(cursor->value(), "value of 1");
  EXPECT_EQ(rows(at.get()).size(), 5u);
}

// rocksdb 3989, 3199.
TEST_P(CursorCases, K7SeeksBeyondABoundStandOnTheNearestKeyInside) {
  put_all({"b", "d", "f", "h"});
  auto cursor = iterate(below("g"));
  EXPECT_FALSE(cursor->seek("z"));
  ASSERT_TRUE(cursor->seek_for_previous("z"));
  EXPECT_EQ(cursor->key(), "f");
  EXPECT_FALSE(cursor->next());
  ASSERT_TRUE(cursor->last());
  EXPECT_EQ(cursor->key(), "f");
  ASSERT_TRUE(cursor->previous());
  EXPECT_EQ(cursor->key(), "d");

  store::ScanOptions from;
  from.lower = "c";
  cursor = iterate(from);
  ASSERT_TRUE(cursor->seek("a"));
  EXPECT_EQ(cursor->key(), "d");
  EXPECT_FALSE(cursor->previous());
  EXPECT_FALSE(cursor->seek_for_previous("b"));
  ASSERT_TRUE(cursor->first());
  EXPECT_EQ(cursor->key(), "d");

  // The bound itself is excluded above and included below.
  cursor = iterate(below("f"));
  ASSERT_TRUE(cursor->last());
  EXPECT_EQ(cursor->key(), "d");
  from.lower = "d";
  cursor = iterate(from);
  ASSERT_TRUE(cursor->first());
  EXPECT_EQ(cursor->key(), "d");
}

// rocksdb 3133: prefixes arrive as bounds here, and the same answer is due.
TEST_P(CursorCases, K8SeekForPreviousOutsideThePrefixFindsNothing) {
  put_all({"a", "d"});
  const auto cursor = iterate(store::with_prefix(store::ScanOptions(), "c"));
  EXPECT_FALSE(cursor->seek_for_previous("c"));
  EXPECT_FALSE(cursor->seek_for_previous("zz"));
  EXPECT_FALSE(cursor->last());
  EXPECT_FALSE(cursor->first());
}

// bbolt 146, py-lmdb 44.
TEST_P(CursorCases, K9DeletingUnderACursorSkipsNothingAndRepeatsNothing) {
  put_all({"1", "2", "3", "4", "5", "6"});
  const auto cursor = iterate();
  const auto second = iterate();
  std::vector<std::string> seen;
  for (bool on = cursor->first(); on; on = cursor->next()) {
    seen.emplace_back(cursor->key());
    remove(seen.back());
    if (seen.size() == 2) {
      ASSERT_TRUE(second->seek("5"));
      remove(std::string(second->key()));
    }
    if (seen.size() == 3) flush();
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));
  ASSERT_TRUE(second->next());
  EXPECT_EQ(second->key(), "6");
  EXPECT_EQ(rows().size(), 0u);
  EXPECT_FALSE(iterate()->first());
}

// A cursor of the present made after each deletion steps over what is gone.
TEST_P(CursorCases, K9AFreshCursorStandsOnTheNextSurvivor) {
  put_all({"1", "2", "3", "4", "5", "6"});
  remove("3");
  remove("4");
  const auto cursor = iterate();
  ASSERT_TRUE(cursor->seek("3"));
  EXPECT_EQ(cursor->key(), "5");
  ASSERT_TRUE(cursor->previous());
  EXPECT_EQ(cursor->key(), "2");
  ASSERT_TRUE(cursor->next());
  EXPECT_EQ(cursor->key(), "5");
}

INSTANTIATE_TEST_SUITE_P(Places, CursorCases, testing::Values(Place::delta, Place::run, Place::both),
                         [](const auto& instance) {
                           switch (instance.param) {
                             case Place::delta:
                               return "delta";
                             case Place::run:
                               return "run";
                             default:
                               return "both";
                           }
                         });

}  // namespace
}  // namespace ashlar::cases
