#include "art/cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "art/sample_keys.h"
#include "base/prng.h"

namespace ashlar::art {
namespace {

class Keys {
 public:
  explicit Keys(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) put(key);
  }
  void put(const std::string& key) {
    bytes_.push_back(key);
    tree_.insert(new_record(arena_, Sequence(bytes_.size()), 0, bytes_.back().data(),
                            static_cast<uint32_t>(key.size()), 0));
    sorted_.insert(key);
  }
  const Tree& tree() const { return tree_; }
  const std::set<std::string>& sorted() const { return sorted_; }

 private:
  Arena arena_;
  Tree tree_{arena_};
  std::deque<std::string> bytes_;
  std::set<std::string> sorted_;
};

using Position = std::set<std::string>::const_iterator;

void expect_at(const Cursor& cursor, const std::set<std::string>& sorted, Position position) {
  ASSERT_EQ(cursor.valid(), position != sorted.end());
  if (cursor.valid()) {
    ASSERT_EQ(cursor.key(), *position);
  }
}

void next(Cursor& cursor, Position& position) {
  cursor.next();
  ++position;
}

void previous(Cursor& cursor, const std::set<std::string>& sorted, Position& position) {
  cursor.previous();
  position == sorted.begin() ? position = sorted.end() : --position;
}

// The last key <= `key`, or end.
Position at_or_before(const std::set<std::string>& sorted, const std::string& key) {
  auto position = sorted.upper_bound(key);
  return position == sorted.begin() ? sorted.end() : --position;
}

std::vector<std::string> neighbours(const std::string& key) {
  std::vector<std::string> all = {key, key + '\0', key + '\xff'};
  for (const size_t cut : {size_t{1}, size_t{2}, key.size() / 2, key.size()}) {
    if (cut > key.size()) continue;
    std::string shorter = key.substr(0, key.size() - cut);
    all.push_back(shorter);
    if (cut == 0) continue;
    all.push_back(shorter + static_cast<char>(key[shorter.size()] + 1));
    all.push_back(shorter + static_cast<char>(key[shorter.size()] - 1) + key.substr(shorter.size() + 1) +
                  "~");
  }
  return all;
}

TEST(Cursor, NothingInAnEmptyTree) {
  const Keys keys({});
  Cursor cursor(keys.tree());
  EXPECT_FALSE(cursor.valid());
  cursor.first();
  EXPECT_FALSE(cursor.valid());
  cursor.last();
  EXPECT_FALSE(cursor.valid());
  cursor.seek("a");
  EXPECT_FALSE(cursor.valid());
  cursor.seek_for_previous("a");
  EXPECT_FALSE(cursor.valid());
  EXPECT_FALSE(Scan(keys.tree()).valid());
}

TEST(Cursor, WalksBothWaysInOrderForEveryShapeOfKey) {
  for (const KeySet& set : sample_key_sets(1200, 4)) {
    SCOPED_TRACE(set.name);
    const Keys keys(set.keys);
    const auto& sorted = keys.sorted();
    Cursor cursor(keys.tree());
    Scan scan(keys.tree());
    cursor.first();
    for (const std::string& key : sorted) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.key(), key);
      ASSERT_TRUE(scan.valid());
      ASSERT_EQ(scan.record(), cursor.record());
      cursor.next();
      scan.next();
    }
    ASSERT_FALSE(cursor.valid());
    ASSERT_FALSE(scan.valid());
    cursor.last();
    for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.key(), *it);
      cursor.previous();
    }
    ASSERT_FALSE(cursor.valid());
  }
}

TEST(Cursor, SeeksAndTurnsAtEveryPosition) {
  for (const KeySet& set : sample_key_sets(220, 8)) {
    SCOPED_TRACE(set.name);
    const Keys keys(set.keys);
    const auto& sorted = keys.sorted();
    Cursor cursor(keys.tree());
    for (const std::string& key : sorted) {
      for (const std::string& target : neighbours(key)) {
        auto position = sorted.lower_bound(target);
        cursor.seek(target);
        ASSERT_NO_FATAL_FAILURE(expect_at(cursor, sorted, position));
        // next, previous, previous, next: every turn at this place.
        for (const int direction : {1, -1, -1, 1, 1, -1}) {
          if (!cursor.valid()) break;
          direction > 0 ? next(cursor, position) : previous(cursor, sorted, position);
          ASSERT_NO_FATAL_FAILURE(expect_at(cursor, sorted, position));
        }
        position = at_or_before(sorted, target);
        cursor.seek_for_previous(target);
        ASSERT_NO_FATAL_FAILURE(expect_at(cursor, sorted, position));
        for (const int direction : {-1, 1, 1, -1, -1, 1}) {
          if (!cursor.valid()) break;
          direction > 0 ? next(cursor, position) : previous(cursor, sorted, position);
          ASSERT_NO_FATAL_FAILURE(expect_at(cursor, sorted, position));
        }
      }
    }
  }
}

TEST(Cursor, LongRandomWalksEqualTheModel) {
  Prng prng(33);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> all;
    const uint64_t alphabet = prng.between(1, 4);
    for (size_t i = prng.below(60); i-- > 0;) all.push_back(random_bytes(prng, prng.below(18), alphabet));
    const Keys keys(all);
    const auto& sorted = keys.sorted();
    Cursor cursor(keys.tree());
    auto position = sorted.end();
    for (int step = 0; step < 200; ++step) {
      const uint64_t what = prng.below(16);
      const std::string target = random_bytes(prng, prng.below(20), alphabet + 1);
      if (what == 0) {
        cursor.first();
        position = sorted.begin();
      } else if (what == 1) {
        cursor.last();
        position = sorted.empty() ? sorted.end() : std::prev(sorted.end());
      } else if (what == 2) {
        cursor.seek(target);
        position = sorted.lower_bound(target);
      } else if (what == 3) {
        cursor.seek_for_previous(target);
        position = at_or_before(sorted, target);
      } else if (cursor.valid()) {
        what % 2 == 0 ? next(cursor, position) : previous(cursor, sorted, position);
      }
      ASSERT_NO_FATAL_FAILURE(expect_at(cursor, sorted, position)) << "round " << round << " step " << step;
    }
  }
}

// Deeper than the frames a cursor holds inline; copies are independent.
TEST(Cursor, SurvivesPathsDeeperThanItsInlineFrames) {
  std::vector<std::string> all;
  for (size_t i = 0; i < 500; ++i) all.push_back(std::string(i, 'a'));
  const Keys keys(all);
  Cursor cursor(keys.tree());
  cursor.seek(std::string(300, 'a'));
  Cursor copy = cursor;
  for (size_t i = 300; i < 500; ++i, cursor.next()) ASSERT_EQ(cursor.key().size(), i);
  ASSERT_FALSE(cursor.valid());
  for (size_t i = 300; i > 0; --i, copy.previous()) ASSERT_EQ(copy.key().size(), i);
  ASSERT_EQ(copy.key(), "");
}

// C2 while the tree changes under the cursor at every step: old keys all met, in order, once.
TEST(Cursor, MeetsEveryOldKeyWhateverIsInsertedMeanwhile) {
  Prng prng(77);
  for (int round = 0; round < 400; ++round) {
    const uint64_t alphabet = prng.one_in(3) ? 256 : prng.between(1, 6);
    const uint64_t longest = prng.between(1, 14);
    const auto make = [&] { return random_bytes(prng, prng.below(longest + 1), alphabet); };
    std::vector<std::string> all;
    for (size_t i = prng.below(120); i-- > 0;) all.push_back(make());
    Keys keys(all);
    const std::vector<std::string> old(keys.sorted().begin(), keys.sorted().end());
    const bool forward = prng.one_in(2);
    Cursor cursor(keys.tree());
    forward ? cursor.first() : cursor.last();
    std::vector<std::string> met;
    while (cursor.valid()) {
      met.emplace_back(cursor.key());
      for (size_t i = prng.below(4); i-- > 0;) keys.put(make());
      forward ? cursor.next() : cursor.previous();
    }
    if (!forward) std::reverse(met.begin(), met.end());
    for (size_t i = 1; i < met.size(); ++i) ASSERT_LT(met[i - 1], met[i]);
    ASSERT_TRUE(std::includes(met.begin(), met.end(), old.begin(), old.end())) << "round " << round;
  }
}

}  // namespace
}  // namespace ashlar::art
