#include "delta/delta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/prng.h"
#include "delta/cursors.h"

namespace ashlar::delta {
namespace {

std::unique_ptr<journal::Segment> memory_segment(uint64_t bytes = 1 << 20) {
  return journal::Segment::in_memory(SegmentId(1), Uuid{1, 2}, bytes).value();
}

// Writes mutations the way the pipeline does: into the segment, then into the index.
class Filler {
 public:
  explicit Filler(Delta& delta) : delta_(delta), next_(delta.first_sequence()) {}
  Sequence add(kv::Kind kind, uint32_t keyspace, Bytes key, Bytes value = Bytes()) {
    const kv::Mutation mutation{kind, KeyspaceId(keyspace), key, value};
    char* key_at = nullptr;
    char* body = delta_.segment().tail_data() + journal::kFrameHeaderBytes;
    kv::encode_mutation(body, mutation, &key_at);
    delta_.segment().append_frame(static_cast<uint32_t>(kv::encoded_size(mutation)), 1, next_, Sequence(), 0);
    kv::Mutation placed = mutation;
    placed.key = Bytes(key_at, key.size());
    placed.value = Bytes(key_at + key.size(), value.size());
    delta_.apply(placed, next_);
    const Sequence used = next_;
    next_ = next_.next();
    return used;
  }

 private:
  Delta& delta_;
  Sequence next_;
};

TEST(Delta, FindsTheVersionOfASequence) {
  Delta delta(memory_segment(), Sequence(10), nullptr);
  Filler filler(delta);
  EXPECT_TRUE(delta.empty());
  const Sequence first = filler.add(kv::Kind::put, 0, "k", "one");
  const Sequence second = filler.add(kv::Kind::put, 0, "k", "two");
  const Sequence removed = filler.add(kv::Kind::remove, 0, "k");
  EXPECT_EQ(delta.find(KeyspaceId(0), "k", Sequence(9)), nullptr);
  EXPECT_EQ(delta.find(KeyspaceId(0), "k", first)->value(), "one");
  EXPECT_EQ(delta.find(KeyspaceId(0), "k", second)->value(), "two");
  EXPECT_EQ(delta.find(KeyspaceId(0), "k", removed)->kind(), static_cast<uint8_t>(kv::Kind::remove));
  EXPECT_EQ(delta.find(KeyspaceId(0), "l", removed), nullptr);
  EXPECT_EQ(delta.find(KeyspaceId(3), "k", removed), nullptr);
  EXPECT_EQ(delta.last_sequence(), Sequence(12));
}

TEST(Delta, GivesItsSegmentBackOnlyWhenFlushed) {
  int released = 0;
  const auto release = [&](std::unique_ptr<journal::Segment> segment) {
    released += segment != nullptr ? 1 : 0;
  };
  { Delta delta(memory_segment(), Sequence(1), release); }
  EXPECT_EQ(released, 0);
  {
    Delta delta(memory_segment(), Sequence(1), release);
    delta.mark_flushed();
  }
  EXPECT_EQ(released, 1);
}

TEST(Delta, RefusesAFrameThatDoesNotDecode) {
  Delta delta(memory_segment(), Sequence(1), nullptr);
  journal::Frame frame;
  frame.first_sequence = Sequence(1);
  frame.mutations = 1;
  frame.body = Bytes("\x09nonsense", 9);
  EXPECT_EQ(delta.apply_frame(frame, "000001.seg").code(), Code::corruption);
  kv::Batch batch;
  ASSERT_TRUE(batch.put(KeyspaceId(0), "a", "b").ok());
  frame.body = batch.body();
  frame.mutations = 2;
  EXPECT_EQ(delta.apply_frame(frame, "000001.seg").code(), Code::corruption);
}

TEST(ReadCursor, EqualsAModelAtEverySequenceBothWays) {
  Delta delta(memory_segment(), Sequence(1), nullptr);
  Filler filler(delta);
  Prng prng(7);
  std::vector<std::map<std::string, std::string>> at;  // by sequence
  at.emplace_back();
  for (int i = 0; i < 300; ++i) {
    std::map<std::string, std::string> now = at.back();
    const std::string key(prng.below(4), static_cast<char>('a' + prng.below(3)));
    if (prng.one_in(3)) {
      filler.add(kv::Kind::remove, 2, key);
      now.erase(key);
    } else {
      now[key] = std::to_string(i);
      filler.add(kv::Kind::put, 2, key, now[key]);
    }
    at.push_back(std::move(now));
  }
  for (size_t sequence = 0; sequence < at.size(); sequence += 7) {
    const std::unique_ptr<kv::Cursor> cursor = read_cursor(delta, KeyspaceId(2), Sequence(sequence));
    std::map<std::string, std::string> forward;
    std::vector<std::string> order;
    for (cursor->seek_first(); cursor->valid(); cursor->next()) {
      order.emplace_back(cursor->key());
      EXPECT_LE(kv::trailer_sequence(cursor->trailer()).value, sequence);
      if (kv::trailer_kind(cursor->trailer()) == kv::Kind::put)
        forward.emplace(cursor->key(), cursor->value());
    }
    EXPECT_EQ(forward, at[sequence]);
    std::vector<std::string> backward;
    for (cursor->seek_last(); cursor->valid(); cursor->previous()) backward.emplace_back(cursor->key());
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(order, backward);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  }
}

TEST(FlushCursor, YieldsEveryVersionOfEveryKeyspaceInInternalOrder) {
  Delta delta(memory_segment(), Sequence(1), nullptr);
  Filler filler(delta);
  Prng prng(3);
  size_t added = 0;
  for (int i = 0; i < 500; ++i, ++added) {
    const auto keyspace = static_cast<uint32_t>(prng.below(3) * 300);
    const std::string key(prng.below(3), static_cast<char>('a' + prng.below(2)));
    filler.add(prng.one_in(4) ? kv::Kind::remove : kv::Kind::put, keyspace, key, "");
  }
  const std::unique_ptr<kv::Cursor> cursor = flush_cursor(delta);
  std::string last_key;
  uint64_t last_trailer = 0;
  size_t met = 0;
  for (cursor->seek_first(); cursor->valid(); cursor->next(), ++met) {
    if (met > 0) {
      EXPECT_LT(kv::compare_entries(last_key, last_trailer, cursor->key(), cursor->trailer()), 0);
    }
    last_key = std::string(cursor->key());
    last_trailer = cursor->trailer();
  }
  EXPECT_EQ(met, added);
}

}  // namespace
}  // namespace ashlar::delta
