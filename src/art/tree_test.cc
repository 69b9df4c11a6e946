#include "art/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>

#include "art/cursor.h"
#include "art/sample_keys.h"
#include "base/prng.h"

namespace ashlar::art {
namespace {

// A tree beside a sorted map of all versions.
class Model {
 public:
  void put(const std::string& key) {
    bytes_.push_back(key + "value of " + std::to_string(sequence_ + 1));
    Record* record =
        new_record(arena_, Sequence(++sequence_), 1, bytes_.back().data(), static_cast<uint32_t>(key.size()),
                   static_cast<uint32_t>(bytes_.back().size() - key.size()));
    auto& versions = map_[key];
    const Record* before = tree_.insert(record);
    ASSERT_EQ(before, versions.empty() ? nullptr : versions.back());
    versions.push_back(record);
  }

  void expect_equal() const {
    ASSERT_EQ(tree_.size(), map_.size());
    for (const auto& [key, versions] : map_) {
      const Record* record = tree_.find(key);
      for (size_t i = versions.size(); i-- > 0;) {
        ASSERT_EQ(record, versions[i]);
        ASSERT_EQ(record->key(), key);
        record = record->previous_version();
      }
      ASSERT_EQ(record, nullptr);
    }
    Cursor cursor(tree_);
    cursor.first();
    for (const auto& [key, versions] : map_) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.record(), versions.back());
      cursor.next();
    }
    ASSERT_FALSE(cursor.valid());
  }

  void expect_absent(const std::string& key) const {
    if (!map_.contains(key)) {
      ASSERT_EQ(tree_.find(key), nullptr);
    }
  }

  Arena arena_;
  Tree tree_{arena_};
  std::map<std::string, std::vector<const Record*>> map_;

 private:
  std::deque<std::string> bytes_;
  uint64_t sequence_ = 0;
};

void insert_all_and_compare(const std::vector<std::string>& keys) {
  Model model;
  for (const std::string& key : keys) {
    ASSERT_NO_FATAL_FAILURE(model.put(key));
    ASSERT_EQ(model.tree_.find(key)->key(), key);
  }
  model.expect_equal();
}

// Keys that are nearly there: one byte more, less or changed.
void probe_neighbours(const Model& model, Prng& prng) {
  for (const auto& [key, versions] : model.map_) {
    model.expect_absent(key + '\0');
    model.expect_absent(key + "a");
    if (key.empty()) continue;
    model.expect_absent(key.substr(0, key.size() - 1));
    model.expect_absent(key.substr(0, prng.below(key.size())));
    std::string other = key;
    other[prng.below(other.size())] ^= static_cast<char>(1 << prng.below(8));
    model.expect_absent(other);
  }
}

TEST(Tree, EmptyHoldsNothing) {
  Arena arena;
  const Tree tree(arena);
  EXPECT_EQ(tree.find(""), nullptr);
  EXPECT_EQ(tree.find("a"), nullptr);
  EXPECT_TRUE(tree.empty());
  EXPECT_EQ(tree.bytes(), 0u);
}

TEST(Tree, EqualsASortedMapForEveryShapeOfKey) {
  for (const KeySet& set : sample_key_sets(1500, 11)) {
    SCOPED_TRACE(set.name);
    Model model;
    Prng prng(3);
    for (const std::string& key : set.keys) {
      ASSERT_NO_FATAL_FAILURE(model.expect_absent(key));
      ASSERT_NO_FATAL_FAILURE(model.put(key));
      ASSERT_NE(model.tree_.find(key), nullptr);
    }
    ASSERT_NO_FATAL_FAILURE(model.expect_equal());
    ASSERT_NO_FATAL_FAILURE(probe_neighbours(model, prng));
    // Again in another order: every one is a new version now.
    const size_t distinct = model.tree_.size();
    for (size_t i = 0; i < set.keys.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(model.put(set.keys[prng.below(set.keys.size())]));
    }
    ASSERT_EQ(model.tree_.size(), distinct);
    ASSERT_NO_FATAL_FAILURE(model.expect_equal());
  }
}

TEST(Tree, AllShapesMixedInOneTree) {
  std::vector<std::string> keys;
  for (const KeySet& set : sample_key_sets(400, 5)) keys.insert(keys.end(), set.keys.begin(), set.keys.end());
  Prng prng(9);
  for (size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[prng.below(i)]);
  insert_all_and_compare(keys);
}

// Small worlds, searched widely: every tree of few keys over few letters, in many orders.
TEST(Tree, ThousandsOfSmallTrees) {
  Prng prng(21);
  for (int round = 0; round < 4000; ++round) {
    Model model;
    const uint64_t alphabet = prng.between(1, 3);
    const uint64_t longest = prng.between(1, 24);
    const std::string shared(prng.one_in(3) ? prng.below(30) : 0, 's');
    const size_t count = 1 + prng.below(24);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_NO_FATAL_FAILURE(
          model.put(shared.substr(0, prng.one_in(9) ? prng.below(shared.size() + 1) : shared.size()) +
                    random_bytes(prng, prng.below(longest + 1), alphabet)));
    }
    ASSERT_NO_FATAL_FAILURE(model.expect_equal()) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(probe_neighbours(model, prng)) << "round " << round;
  }
}

TEST(Tree, MebibyteKeys) {
  Model model;
  const std::string big(size_t{1} << 20, 'k');
  ASSERT_NO_FATAL_FAILURE(model.put(big));
  ASSERT_NO_FATAL_FAILURE(model.put(big.substr(0, big.size() - 1)));
  ASSERT_NO_FATAL_FAILURE(model.put(big.substr(0, big.size() / 2) + "m" + big.substr(big.size() / 2 + 1)));
  ASSERT_NO_FATAL_FAILURE(model.put(big + "z"));
  ASSERT_NO_FATAL_FAILURE(model.put("k"));
  ASSERT_NO_FATAL_FAILURE(model.put(""));
  ASSERT_NO_FATAL_FAILURE(model.put(big.substr(0, 10)));
  model.expect_equal();
  model.expect_absent(big.substr(0, big.size() - 2));
  model.expect_absent(big + "zz");
}

// A node at each of 30,000 depths: nothing may recurse on the length of a key, nor lose its place past kPathSteps.
TEST(Tree, KeysThatAreAllPrefixesOfOneAnother) {
  for (const bool rising : {true, false}) {
    Model model;
    for (size_t i = 0; i < 30000; ++i) {
      const size_t size = rising ? i : 30000 - i;
      if (size % 97 < 3 || size < 300) {
        ASSERT_NO_FATAL_FAILURE(model.put(std::string(size, 'a')));
      }
    }
    ASSERT_NO_FATAL_FAILURE(model.expect_equal());
  }
}

// Bug patterns of other radix trees, by name.

// libart #51: of {0} and {0, 1} the first was lost; "aa" beside "aa\0" (rafaelkallis #21, go-art #4).
TEST(KnownTraps, KeyThatIsThePrefixOfAnotherIsKept) {
  for (const bool reverse : {false, true}) {
    std::vector<std::string> keys = {
        std::string("\0", 1),   std::string("\0\1", 2),  "aa", std::string("aa\0", 3), "", "a",
        std::string("\0\0", 2), std::string("aa\0\0", 4)};
    if (reverse) std::reverse(keys.begin(), keys.end());
    insert_all_and_compare(keys);
  }
}

// unodb #838: keys that share more bytes than a node stores silently lost one of them.
TEST(KnownTraps, SharedPrefixLongerThanANodeStores) {
  for (size_t shared = 0; shared < 40; ++shared) {
    const std::string prefix(shared, 'p');
    insert_all_and_compare(
        {prefix + "a1", prefix + "a2", prefix + "b1", prefix + "b2", prefix, prefix + "a"});
    for (size_t cut = 0; cut < shared; ++cut) {
      std::string other = prefix;
      other[cut] = 'q';
      insert_all_and_compare({prefix + "a1", prefix + "a2", other + "a1", prefix.substr(0, cut), other});
      insert_all_and_compare(
          {prefix + "a1", prefix + "a2", prefix.substr(0, cut), other.substr(0, cut + 1), prefix});
      // The same with another key in between, so that the kept path does not help.
      insert_all_and_compare(
          {"zz", prefix + "a1", prefix + "a2", "zy", other + "a1", "zx", prefix.substr(0, cut)});
    }
  }
}

// Skipped prefix bytes are unverified on the way down: a lookup must not return the key it meets there.
TEST(KnownTraps, LookupThatDiffersInsideASkippedPrefixFindsNothing) {
  Model model;
  const std::string prefix(24, 'p');
  ASSERT_NO_FATAL_FAILURE(model.put(prefix + "a"));
  ASSERT_NO_FATAL_FAILURE(model.put(prefix + "b"));
  ASSERT_NO_FATAL_FAILURE(model.put(prefix));
  for (size_t i = 0; i < prefix.size(); ++i) {
    std::string other = prefix;
    other[i] = 'q';
    model.expect_absent(other + "a");
    model.expect_absent(other);
  }
}

// DuckDB PR 6168, 10325: NUL bytes inside keys, and order around them.
TEST(KnownTraps, NulBytesKeepTheirOrder) {
  std::vector<std::string> keys;
  for (size_t a = 0; a < 5; ++a) {
    for (const char* tail : {"", "\1", "a", "\xff"}) keys.push_back(std::string(a, '\0') + tail);
    keys.push_back("a" + std::string(a, '\0'));
    keys.push_back("a" + std::string(a, '\0') + "b");
  }
  insert_all_and_compare(keys);
}

// Splitting an edge twice at different depths, from both sides (prefix split and merge are where the bugs are).
TEST(KnownTraps, EdgeSplitAboveAndBelowAnEarlierSplit) {
  const std::string path(20, 'x');
  for (size_t first = 0; first < 20; ++first) {
    for (size_t second = 0; second < 20; ++second) {
      const std::string at_first = path.substr(0, first) + "1";
      const std::string at_second = path.substr(0, second) + "2";
      insert_all_and_compare(
          {path + "a", path + "b", at_first, at_second, path.substr(0, first), path.substr(0, second)});
    }
  }
}

// Full nodes of each kind that also hold a key which ends there.
TEST(KnownTraps, GrowthKeepsTheKeyThatEndsInTheNode) {
  for (const size_t when : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 47, 48, 49, 255, 256}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i <= 256; ++i) {
      if (i == when) keys.push_back("node");
      if (i < 256) keys.push_back(std::string("node") + static_cast<char>(i * 37 % 256) + "leaf");
    }
    insert_all_and_compare(keys);
  }
}

TEST(Record, VersionsAreSeenByTheirSequence) {
  Model model;
  for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(model.put("k"));  // sequences 1..4
  const Record* newest = model.tree_.find("k");
  EXPECT_EQ(newest->version_at(Sequence(9))->sequence(), Sequence(4));
  EXPECT_EQ(newest->version_at(Sequence(4))->sequence(), Sequence(4));
  EXPECT_EQ(newest->version_at(Sequence(2))->value(), "value of 2");
  EXPECT_EQ(newest->version_at(Sequence(0)), nullptr);
  EXPECT_EQ(newest->kind(), 1);
}

}  // namespace
}  // namespace ashlar::art
