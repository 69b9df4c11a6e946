#include "art/node.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "art/node_pool.h"
#include "base/prng.h"

namespace ashlar::art {
namespace {

// Records in more stretches of memory than a leaf word can name, keys far apart: words still lead to their Records.
TEST(LeafMap, ReachesRecordsAnywhere) {
  constexpr size_t kStretch = size_t{16} << 20;
  constexpr size_t kCount = 80;
  void* memory = ::mmap(nullptr, kStretch * kCount, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  LeafMap leaves;
  std::vector<std::pair<const Record*, Word>> words;
  for (size_t i = 0; i < 3 * kCount; ++i) {
    char* at = static_cast<char*>(memory) + i * 37 % kCount * kStretch + i * 32 * 1000;
    auto* record = new (at) Record;
    record->key_data = at + sizeof(Record);
    record->key_bytes = 3;
    std::memcpy(at + sizeof(Record), "xyz", 3);
    words.emplace_back(record, leaves.word(record, i % 4));
  }
  size_t far = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [record, leaf] = words[i];
    EXPECT_EQ(leaves.record(leaf), record);
    EXPECT_TRUE(is_leaf(leaf));
    leaves.prefetch_key(leaf);
    if ((leaf & kKindMask) == kFarLeaf) {
      ++far;
      EXPECT_EQ(held_count(leaf), 0u);
      EXPECT_EQ(held_mask(leaf), 0u);
    } else {
      EXPECT_EQ(held_count(leaf), std::min<size_t>(3 - i % 4, 2));
      EXPECT_EQ(held_bytes(leaf) & held_mask(leaf), held_bytes(leaf));
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(&leaf) + 6, held_count(leaf)),
                std::string("xyz").substr(i % 4, 2));
    }
  }
  EXPECT_GT(far, 0u);
  EXPECT_LT(far, words.size() / 2);
  ::munmap(memory, kStretch * kCount);
}

TEST(Word, HoldsTheNextKeyBytesAndGivesThemUpOneByOne) {
  Arena arena;
  const std::string key = "ab\xff\x01z";
  const Record* record = new_record(arena, Sequence(1), 0, key.data(), 5, 0);
  LeafMap leaves;
  const Word leaf = leaves.word(record, 1);
  EXPECT_TRUE(is_leaf(leaf));
  EXPECT_EQ(leaves.record(leaf), record);
  EXPECT_EQ(held_count(leaf), 2u);
  EXPECT_EQ(held_bytes(leaf), 0xff00u | 'b');

  const Word once = consume(leaf, 1);
  EXPECT_EQ(leaves.record(once), record);
  EXPECT_EQ(held_count(once), 1u);
  EXPECT_EQ(held_bytes(once), 0xffu);
  const Word twice = consume(leaf, 2);
  EXPECT_EQ(leaves.record(twice), record);
  EXPECT_EQ(held_count(twice), 0u);

  EXPECT_EQ(held_count(leaves.word(record, 4)), 1u);
  EXPECT_EQ(held_count(leaves.word(record, 5)), 0u);
}

// Every search against a plain loop, for both implementations.
template <typename View>
void check_lanes(uint64_t seed) {
  Prng prng(seed);
  for (int round = 0; round < 400; ++round) {
    Lanes lanes;
    const size_t used = 1 + prng.below(16);
    std::vector<int> bytes;
    const uint64_t alphabet = prng.one_in(2) ? 256 : 24;
    for (size_t lane = 0; lane < used;) {
      auto byte = static_cast<int>(prng.below(alphabet));
      if (prng.one_in(8)) byte = prng.one_in(2) ? 0 : 255;
      if (std::find(bytes.begin(), bytes.end(), byte) != bytes.end()) continue;
      lane == 0 ? lanes.fill(static_cast<uint8_t>(byte)) : lanes.set(lane, static_cast<uint8_t>(byte));
      bytes.push_back(byte);
      ++lane;
    }
    const View view(lanes);
    for (int byte = -1; byte <= 256; ++byte) {
      int lane = -1;
      int above = -1;
      int below = -1;
      for (size_t i = 0; i < used; ++i) {
        if (bytes[i] == byte) lane = static_cast<int>(i);
        if (bytes[i] > byte && (above < 0 || bytes[i] < above)) above = bytes[i];
        if (bytes[i] < byte && bytes[i] > below) below = bytes[i];
      }
      if (byte >= 0 && byte < 256) {
        ASSERT_EQ(view.lane_of(static_cast<uint8_t>(byte)), lane) << byte;
      }
      ASSERT_EQ(view.lowest_above(byte), above) << byte;
      ASSERT_EQ(view.highest_below(byte), below) << byte;
    }
  }
}

TEST(Lanes, PortableSearchesEqualAPlainLoop) { check_lanes<PortableLanes>(1); }
TEST(Lanes, ChosenSearchesEqualAPlainLoop) { check_lanes<LaneView>(2); }

class NodeGrowth : public testing::Test {
 protected:
  Word leaf() {
    static const char key[] = "";
    return leaves_.word(new_record(arena_, Sequence(1), 0, key, 0, 0), 0);
  }

  // The node's children, seen by every way of reading it, are those of `model`.
  void expect_equal(Word node, const std::map<int, Word>& model) {
    for (int byte = 0; byte < 256; ++byte) {
      const auto it = model.find(byte);
      ASSERT_EQ(load_slot(find_slot(node, static_cast<uint8_t>(byte))), it == model.end() ? 0 : it->second)
          << byte;
    }
    const auto end = model.find(kEnd);
    ASSERT_EQ(load_slot(find_end_slot(node)), end == model.end() ? 0 : end->second);
    ASSERT_EQ(first_child(node).word, model.begin()->second);
    ASSERT_EQ(last_child(node).word, model.rbegin()->second);
    for (int position = kEnd; position <= kAfterAll; ++position) {
      const auto above = model.upper_bound(position);
      const Child child = child_above(node, position);
      ASSERT_EQ(child.word, above == model.end() ? 0 : above->second) << position;
      if (child.word != 0) {
        ASSERT_EQ(child.position, above->first);
      }
      auto below = model.lower_bound(position);
      const bool none = below == model.begin() || (--below)->first == kEnd;
      const Child other = child_below(node, position);
      ASSERT_EQ(other.word, none ? 0 : below->second) << position;
      if (other.word != 0) {
        ASSERT_EQ(other.position, below->first);
      }
    }
  }

  Arena arena_;
  NodePool pool_{arena_};
  LeafMap leaves_;
};

TEST_F(NodeGrowth, HoldsEveryPositionInEveryOrderOfArrival) {
  Prng prng(7);
  for (int round = 0; round < 12; ++round) {
    std::vector<int> positions;
    for (int position = kEnd; position < 256; ++position) positions.push_back(position);
    if (round == 1) std::reverse(positions.begin(), positions.end());
    if (round >= 2) {
      for (size_t i = positions.size(); i > 1; --i) std::swap(positions[i - 1], positions[prng.below(i)]);
    }
    std::map<int, Word> model;
    const Child a{positions[0], leaf()};
    const Child b{positions[1], leaf()};
    model[a.position] = a.word;
    model[b.position] = b.word;
    Word node = pool_.pair(3, "abc", a, b);
    for (size_t i = 2; i < positions.size(); ++i) {
      if (i < 20 || i % 9 == 0 || i > 250) expect_equal(node, model);
      const Child child{positions[i], leaf()};
      model[child.position] = child.word;
      const Word before = node;
      const std::map<int, Word> model_before = model;
      node = pool_.add(node, child);
      ASSERT_EQ(node_of<Node>(node)->depth, 3u);
      ASSERT_EQ(std::string(node_of<Node>(node)->prefix + 5, node_of<Node>(node)->prefix + 8), "abc");
      if (node != before) {  // the replaced node still holds what it held
        std::map<int, Word> old_model = model;
        old_model.erase(child.position);
        expect_equal(before, old_model);
      }
    }
    expect_equal(node, model);
    ASSERT_EQ(node & kKindMask, kNode256);
  }
}

TEST_F(NodeGrowth, DivergesWhereThePrefixSaysSo) {
  const std::string path = "0123456789";
  std::string left = path + "a";
  std::string right = path + "b";
  const Record* l = new_record(arena_, Sequence(1), 0, left.data(), 11, 0);
  const Record* r = new_record(arena_, Sequence(2), 0, right.data(), 11, 0);
  const Word node = pool_.pair(10, path, {'a', leaves_.word(l, 11)}, {'b', leaves_.word(r, 11)});
  for (size_t from = 0; from < 10; ++from) {
    EXPECT_EQ(diverge(node, leaves_, path, from).at, 10u);
    EXPECT_EQ(diverge(node, leaves_, path + "tail", from).at, 10u);
    for (size_t at = from; at < 10; ++at) {
      std::string key = path + "zz";
      key[at] = '!';
      EXPECT_EQ(diverge(node, leaves_, key, from).at, at);
      EXPECT_EQ(diverge(node, leaves_, key, from).node_byte, path[at]);
      EXPECT_EQ(diverge(node, leaves_, path.substr(0, at), from).at, at);
      EXPECT_EQ(diverge(node, leaves_, path.substr(0, at), from).node_byte, path[at]);
    }
  }
}

}  // namespace
}  // namespace ashlar::art
