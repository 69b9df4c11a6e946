#include "txn/pipeline.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ashlar::txn {
namespace {

constexpr uint64_t kSegmentBytes = 64 * 1024;

// Rotates into memory segments; can be told to fail.
class TestHost final : public Host {
 public:
  Pipeline* pipeline = nullptr;
  std::vector<std::unique_ptr<delta::Delta>> deltas;
  Status next_room = ok_status();
  int syncs = 0;
  Status sync_result = ok_status();

  void start(Pipeline* p) {
    pipeline = p;
    add(kSegmentBytes);
  }
  void add(uint64_t bytes) {
    auto segment = journal::Segment::in_memory(SegmentId(deltas.size() + 1), Uuid{1, 1}, bytes).value();
    deltas.push_back(std::make_unique<delta::Delta>(std::move(segment), pipeline->next_sequence(), nullptr));
    pipeline->set_active(deltas.back().get());
  }
  Status make_room(uint64_t frame_bytes) override {
    if (!next_room.ok()) return next_room;
    add(std::max(kSegmentBytes, journal::kHeaderBytes + frame_bytes));
    return ok_status();
  }
  Status wait_until_ready(uint64_t) override { return ok_status(); }
  Status sync_journal(Sequence) override {
    ++syncs;
    return sync_result;
  }
  const art::Record* find(Bytes key, Sequence at) const {
    for (auto it = deltas.rbegin(); it != deltas.rend(); ++it) {
      if (const art::Record* record = (*it)->find(KeyspaceId(0), key, at)) return record;
    }
    return nullptr;
  }
};

kv::Mutation put(Bytes key, Bytes value) { return {kv::Kind::put, KeyspaceId(0), key, value}; }

TEST(Pipeline, ShowsACommitOnceItIsAcknowledged) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  EXPECT_EQ(pipeline.visible(), Sequence(0));
  ASSERT_TRUE(pipeline.commit(put("a", "1"), false).ok());
  EXPECT_EQ(pipeline.visible(), Sequence(1));
  EXPECT_EQ(host.find("a", pipeline.visible())->value(), "1");
  kv::Batch batch;
  ASSERT_TRUE(batch.put(KeyspaceId(0), "b", "2").ok());
  ASSERT_TRUE(batch.remove(KeyspaceId(0), "a").ok());
  ASSERT_TRUE(pipeline.commit(batch, false).ok());
  EXPECT_EQ(pipeline.visible(), Sequence(3));
  EXPECT_EQ(host.find("a", pipeline.visible())->kind(), static_cast<uint8_t>(kv::Kind::remove));
}

TEST(Pipeline, AnEmptyBatchChangesNothing) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  ASSERT_TRUE(pipeline.commit(kv::Batch(), false).ok());
  EXPECT_EQ(pipeline.visible(), Sequence(0));
  EXPECT_EQ(pipeline.active()->segment().tail(), journal::kHeaderBytes);
}

TEST(Pipeline, RotatesWhenTheSegmentIsFullAndMakesRoomForLargeBatches) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  const std::string value(3000, 'v');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pipeline.commit(put(std::to_string(i), value), false).ok());
  EXPECT_GT(host.deltas.size(), 4u);
  ASSERT_TRUE(pipeline.commit(put("large", std::string(200'000, 'x')), false).ok());
  EXPECT_EQ(host.find("large", pipeline.visible())->value().size(), 200'000u);
  for (int i = 0; i < 100; ++i) ASSERT_NE(host.find(std::to_string(i), pipeline.visible()), nullptr) << i;
}

TEST(Pipeline, AFailedRotationFailsOnlyThatCommit) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  const std::string value(60'000, 'v');
  ASSERT_TRUE(pipeline.commit(put("a", value), false).ok());
  host.next_room = Status(Code::no_space, "full");
  EXPECT_EQ(pipeline.commit(put("b", value), false).code(), Code::no_space);
  ASSERT_TRUE(pipeline.commit(put("small", "1"), false).ok());
  host.next_room = ok_status();
  ASSERT_TRUE(pipeline.commit(put("b", value), false).ok());
  EXPECT_EQ(pipeline.visible(), Sequence(3));
}

TEST(Pipeline, ExclusiveSectionsAndCommitsNeverOverlap) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  int inside = 0;  // unguarded on purpose: a race here is what ThreadSanitizer would report
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 0) {
          pipeline.exclusively([&] { return ++inside; });
        } else {
          const std::string key = std::to_string(t) + "/" + std::to_string(i);
          ASSERT_TRUE(pipeline.commit(put(key, key), false).ok());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inside, 2000);
  EXPECT_EQ(pipeline.visible(), Sequence(4000));
}

TEST(Pipeline, ManyWritersLoseNothingAndReadersSeeWholeBatches) {
  TestHost host;
  Pipeline pipeline(host, {});
  host.start(&pipeline);
  host.deltas.reserve(1024);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1500; ++i) {
        const std::string value = std::to_string(t * 10000 + i);
        kv::Batch batch;
        ASSERT_TRUE(batch.put(KeyspaceId(0), "left", value).ok());
        ASSERT_TRUE(batch.put(KeyspaceId(0), "right", value).ok());
        ASSERT_TRUE(pipeline.commit(batch, false).ok());
      }
    });
  }
  delta::Delta* const first = host.deltas.front().get();
  for (int i = 0; i < 2000; ++i) {
    const Sequence at = std::min(pipeline.visible(), Sequence(200));  // still in the first delta
    const art::Record* left = first->find(KeyspaceId(0), "left", at);
    const art::Record* right = first->find(KeyspaceId(0), "right", at);
    ASSERT_EQ(left == nullptr, right == nullptr);
    if (left != nullptr) {
      ASSERT_EQ(left->value(), right->value());
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pipeline.visible(), Sequence(12000));
}

}  // namespace
}  // namespace ashlar::txn
