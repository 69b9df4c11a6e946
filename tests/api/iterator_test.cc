// Iterators: bounds, directions, standing nowhere, misuse.
#include "scratch.h"

namespace ashlar_test {
namespace {

class Iterators : public ::testing::Test {
 protected:
  void SetUp() override {
    db_ = open_db(scratch_.at("db"));
    for (const char* key : {"", "a", "ab", "abc", "b", "ba", "c"}) {
      ASSERT_EQ(put(db_, key, std::string("value of ") + key), ASHLAR_OK);
    }
  }
  void TearDown() override { EXPECT_EQ(ashlar_close(db_), ASHLAR_OK); }

  static ashlar_bytes bytes(const char* text) { return {text, std::char_traits<char>::length(text)}; }

  ashlar_iterator* iterate(const ashlar_scan* scan = nullptr) {
    ashlar_iterator* iterator = nullptr;
    EXPECT_EQ(ashlar_iterator_create(db_, nullptr, 0, scan, &iterator), ASHLAR_OK) << ashlar_last_error();
    return iterator;
  }

  // All keys, both ways; "forward | backward".
  std::string walk(const ashlar_scan* scan) {
    ashlar_iterator* it = iterate(scan);
    std::string keys;
    for (int on = ashlar_iterator_first(it); on; on = ashlar_iterator_next(it)) {
      keys += "<" + std::string(view(ashlar_iterator_key(it))) + ">";
    }
    keys += " | ";
    for (int on = ashlar_iterator_last(it); on; on = ashlar_iterator_previous(it)) {
      keys += "<" + std::string(view(ashlar_iterator_key(it))) + ">";
    }
    EXPECT_EQ(ashlar_iterator_status(it), ASHLAR_OK);
    ashlar_iterator_destroy(it);
    return keys;
  }

  Scratch scratch_;
  ashlar_db* db_ = nullptr;
};

TEST_F(Iterators, WithoutAScanWalkEverything) {
  EXPECT_EQ(walk(nullptr), "<><a><ab><abc><b><ba><c> | <c><ba><b><abc><ab><a><>");
}

TEST_F(Iterators, BoundsAndPrefixCombine) {
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  EXPECT_EQ(walk(&scan), walk(nullptr));
  scan.lower = bytes("ab");
  EXPECT_EQ(walk(&scan), "<ab><abc><b><ba><c> | <c><ba><b><abc><ab>");
  scan.upper = bytes("ba");
  EXPECT_EQ(walk(&scan), "<ab><abc><b> | <b><abc><ab>");
  scan.prefix = bytes("b");
  EXPECT_EQ(walk(&scan), "<b> | <b>");
  scan.prefix = bytes("");
  EXPECT_EQ(walk(&scan), "<ab><abc><b> | <b><abc><ab>");
  scan.upper = bytes("aa");
  EXPECT_EQ(walk(&scan), " | ");
  scan.lower = {};
  scan.upper = bytes("");
  EXPECT_EQ(walk(&scan), " | ");
}

TEST_F(Iterators, WhatTheScanPointsToIsCopied) {
  std::string prefix = "ab";
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  scan.prefix = {prefix.data(), prefix.size()};
  ashlar_iterator* it = iterate(&scan);
  prefix = "zz";
  ASSERT_EQ(ashlar_iterator_first(it), 1);
  EXPECT_EQ(view(ashlar_iterator_key(it)), "ab");
  ashlar_iterator_destroy(it);
}

TEST_F(Iterators, SeeksStayWithinTheBounds) {
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  scan.lower = bytes("ab");
  scan.upper = bytes("c");
  ashlar_iterator* it = iterate(&scan);
  ASSERT_EQ(ashlar_iterator_seek(it, "", 0), 1);
  EXPECT_EQ(view(ashlar_iterator_key(it)), "ab");
  ASSERT_EQ(ashlar_iterator_seek_for_previous(it, "zzz", 3), 1);
  EXPECT_EQ(view(ashlar_iterator_key(it)), "ba");
  EXPECT_EQ(ashlar_iterator_seek(it, "bb", 2), 0);
  EXPECT_EQ(ashlar_iterator_seek_for_previous(it, "aa", 2), 0);
  EXPECT_EQ(ashlar_iterator_status(it), ASHLAR_OK);
  ashlar_iterator_destroy(it);
}

TEST_F(Iterators, StepsFromNowhereHaveNoEffect) {
  ashlar_iterator* it = iterate();
  EXPECT_EQ(ashlar_iterator_next(it), 0);
  EXPECT_EQ(ashlar_iterator_previous(it), 0);
  EXPECT_EQ(ashlar_iterator_valid(it), 0);
  EXPECT_EQ(ashlar_iterator_key(it).size, 0u);
  EXPECT_NE(ashlar_iterator_key(it).data, nullptr);
  ASSERT_EQ(ashlar_iterator_last(it), 1);
  EXPECT_EQ(ashlar_iterator_next(it), 0);
  EXPECT_EQ(ashlar_iterator_previous(it), 0);
  EXPECT_EQ(ashlar_iterator_status(it), ASHLAR_OK);
  ashlar_iterator_destroy(it);
}

TEST_F(Iterators, KeysOnlyHaveEmptyValues) {
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  scan.keys_only = 1;
  ashlar_iterator* it = iterate(&scan);
  ASSERT_EQ(ashlar_iterator_last(it), 1);
  EXPECT_EQ(view(ashlar_iterator_key(it)), "c");
  EXPECT_EQ(ashlar_iterator_value(it).size, 0u);
  ashlar_iterator_destroy(it);
}

TEST_F(Iterators, SeeTheMomentOfTheirCreation) {
  ashlar_iterator* it = iterate();
  ASSERT_EQ(put(db_, "new", "1"), ASHLAR_OK);
  ASSERT_EQ(ashlar_remove(db_, 0, "a", 1, 0), ASHLAR_OK);
  ASSERT_EQ(ashlar_flush(db_), ASHLAR_OK);
  int count = 0;
  for (int on = ashlar_iterator_first(it); on; on = ashlar_iterator_next(it)) ++count;
  EXPECT_EQ(count, 7);
  EXPECT_EQ(ashlar_iterator_seek(it, "new", 3), 0);
  ashlar_iterator_destroy(it);
}

TEST_F(Iterators, AWrongScanIsRefused) {
  ashlar_iterator* it = nullptr;
  ashlar_scan scan = {};
  scan.struct_size = sizeof scan;
  scan.keys_only = 2;
  EXPECT_TRUE(
      fails_with(ashlar_iterator_create(db_, nullptr, 0, &scan, &it), ASHLAR_INVALID_ARGUMENT, "keys_only"));
  scan.keys_only = 0;
  scan.upper.size = 3;
  EXPECT_TRUE(
      fails_with(ashlar_iterator_create(db_, nullptr, 0, &scan, &it), ASHLAR_INVALID_ARGUMENT, "scan.upper"));
}

TEST_F(Iterators, ASeekToANullKeyIsRefusedAndHeals) {
  ashlar_iterator* it = iterate();
  ASSERT_EQ(ashlar_iterator_first(it), 1);
  EXPECT_EQ(ashlar_iterator_seek(it, nullptr, 3), 0);
  EXPECT_EQ(ashlar_iterator_valid(it), 0);
  EXPECT_TRUE(fails_with(ashlar_iterator_status(it), ASHLAR_INVALID_ARGUMENT, "key is NULL"));
  EXPECT_EQ(ashlar_iterator_next(it), 0);
  EXPECT_EQ(ashlar_iterator_seek(it, nullptr, 0), 1);
  EXPECT_EQ(ashlar_iterator_status(it), ASHLAR_OK);
  ashlar_iterator_destroy(it);
}

}  // namespace
}  // namespace ashlar_test
