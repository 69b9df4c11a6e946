#include "journal/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "journal/recovery_test.h"

namespace ashlar::journal {
namespace {

TEST(Recovery, FindsAllFramesOverSegments) {
  World world(1);
  Journal journal(world);
  journal.start_segment();
  journal.append("a");
  journal.append("b");
  journal.start_segment();
  journal.append("c");
  journal.lose_handles();
  world.kill_process();
  EXPECT_EQ(journal.recover().value(), "a b c ");
  EXPECT_EQ(journal.last.last, Sequence(3));
  EXPECT_EQ(journal.last.segments.size(), 2u);
}

// Where every frame of the first segment begins, and where the last one ends.
std::vector<uint64_t> frame_ends(World& world, uint64_t salt) {
  const std::string bytes = world.read_file("db/000001.seg").value();
  std::vector<uint64_t> ends = {kHeaderBytes};
  while (const std::optional<Frame> frame = read_frame(bytes, ends.back(), salt)) ends.push_back(frame->end);
  return ends;
}

TEST(Recovery, AfterAPowerCutTheLastRecordCutAtAnyByteLeavesTheWholeOnesBeforeIt) {
  World world(2);
  Journal journal(world);
  journal.start_segment();
  journal.append("first");
  journal.append("second");
  journal.append("the third one");
  journal.sync();
  journal.lose_handles();
  world.power_cut(Survival::all);
  const std::vector<uint64_t> ends = frame_ends(world, salt_of(kDatabase, SegmentId(1)));
  ASSERT_EQ(ends.size(), 4u);
  const std::string whole = world.read_file("db/000001.seg").value();
  for (uint64_t cut = ends[2]; cut < ends[3]; ++cut) {
    std::string torn = whole;
    std::memset(torn.data() + cut, 0, torn.size() - cut);
    // What is cut must differ from what stood there, else nothing was cut.
    const bool is_whole = torn == whole;
    world.replace_file("db/000001.seg", torn);
    const Result<std::string> applied = journal.recover();
    ASSERT_TRUE(applied.ok()) << cut << applied.status().to_string();
    EXPECT_EQ(*applied, is_whole ? "first second the third one " : "first second ") << cut;
    journal.last = {};
    journal.lose_handles();
  }
}

TEST(Recovery, InTheSameBootEveryAcknowledgedFrameMustVerify) {
  World world(3);
  Journal journal(world);
  journal.start_segment();
  journal.append("first");
  journal.append("second");
  journal.lose_handles();
  world.kill_process();
  const std::vector<uint64_t> ends = frame_ends(world, salt_of(kDatabase, SegmentId(1)));
  for (const uint64_t offset : {ends[0], ends[1], ends[2] - 9}) {
    flip(world, "db/000001.seg", offset);
    const Result<std::string> applied = journal.recover();
    ASSERT_FALSE(applied.ok()) << offset;
    EXPECT_EQ(applied.status().code(), Code::corruption);
    EXPECT_NE(applied.status().message().find("000001.seg at "), std::string::npos);
    flip(world, "db/000001.seg", offset);
    journal.lose_handles();
  }
  EXPECT_EQ(journal.recover().value(), "first second ");
}

TEST(Recovery, AfterAPowerCutTheWatermarkTellsDamageFromATornTail) {
  World world(4);
  Journal journal(world);
  journal.start_segment();
  journal.append("durable");
  journal.append("durable too");
  journal.sync();
  journal.append("maybe");
  journal.append("perhaps");
  journal.lose_handles();
  world.power_cut(Survival::all);
  const std::vector<uint64_t> ends = frame_ends(world, salt_of(kDatabase, SegmentId(1)));
  flip(world, "db/000001.seg", ends[1] + 8);  // covered by the watermark of the frames behind it
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
  flip(world, "db/000001.seg", ends[1] + 8);
  journal.lose_handles();
  flip(world, "db/000001.seg", ends[2] + 8);  // not covered: lost, and what follows it too
  EXPECT_EQ(journal.recover().value(), "durable durable too ");
  EXPECT_GT(journal.last.dropped_bytes, 0u);
}

TEST(Recovery, WhatWasCutNeverComesBack) {
  World world(5);
  Journal journal(world);
  journal.start_segment();
  journal.append("one");
  journal.sync();
  journal.append("two.");
  journal.append("three");
  journal.lose_handles();
  world.power_cut(Survival::all);
  const std::vector<uint64_t> ends = frame_ends(world, salt_of(kDatabase, SegmentId(1)));
  flip(world, "db/000001.seg", ends[1] + 33);
  EXPECT_EQ(journal.recover().value(), "one ");
  journal.adopt();
  journal.append("TWO.");  // as long as the frame it replaces, so "three" would follow it seamlessly
  journal.lose_handles();
  world.kill_process();
  EXPECT_EQ(journal.recover().value(), "one TWO. ");
  journal.adopt();
  journal.append("four");
  journal.lose_handles();
  world.kill_process();
  EXPECT_EQ(journal.recover().value(), "one TWO. four ");
}

TEST(Recovery, AHoleBetweenSegmentsDropsTheLaterOnes) {
  World world(6);
  Journal journal(world);
  journal.start_segment();
  journal.append("one");
  journal.sync();
  journal.append("two");
  journal.start_segment();
  journal.append("three");
  journal.lose_handles();
  world.power_cut(Survival::all);
  const std::vector<uint64_t> ends = frame_ends(world, salt_of(kDatabase, SegmentId(1)));
  flip(world, "db/000001.seg", ends[1] + 33);
  EXPECT_EQ(journal.recover().value(), "one ");
  EXPECT_EQ(journal.last.empty.size(), 1u);
  journal.adopt();
  journal.append("new");
  journal.lose_handles();
  world.kill_process();
  EXPECT_EQ(journal.recover().value(), "one new ");
}

TEST(Recovery, AMissingSegmentIsCorruption) {
  World world(7);
  Journal journal(world);
  journal.start_segment();
  journal.append("one");
  journal.start_segment();
  journal.append("two");
  journal.start_segment();
  journal.append("three");
  journal.lose_handles();
  world.kill_process();
  const std::string second = world.read_file("db/000002.seg").value();
  world.remove_file("db/000002.seg");
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
  journal.lose_handles();
  world.replace_file("db/000002.seg", second);
  world.remove_file("db/000001.seg");
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
}

TEST(Recovery, StaleFramesOfARecycledSegmentAreNotRead) {
  World world(9);
  Journal journal(world);
  Segment& first = journal.start_segment();
  journal.append("old");
  journal.append("older");
  std::unique_ptr<io::Directory> directory = world.open_directory("db", io::CreateMode::must_exist).value();
  first.renew(SegmentId(2), salt_of(kDatabase, SegmentId(2)), "000002.seg");
  EXPECT_FALSE(read_frame(first.bytes(), kHeaderBytes, first.salt()).has_value());
  EXPECT_TRUE(read_frame(first.bytes(), kHeaderBytes, salt_of(kDatabase, SegmentId(1))).has_value());
}

TEST(Recovery, RefusesForeignCutAndMisnamedSegments) {
  World world(10);
  Journal journal(world);
  journal.start_segment();
  journal.append("one");
  journal.lose_handles();
  world.kill_process();
  const std::string whole = world.read_file("db/000001.seg").value();
  for (const size_t size : {size_t{0}, size_t{100}, size_t{4096}, whole.size() - 1}) {
    world.replace_file("db/000001.seg", Bytes(whole).substr(0, size));
    EXPECT_EQ(journal.recover().status().code(), Code::corruption) << size;
    journal.lose_handles();
  }
  world.replace_file("db/000001.seg", whole + "more");
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
  journal.lose_handles();
  world.replace_file("db/000001.seg", whole);
  world.replace_file("db/000002.seg", whole);
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
  journal.lose_handles();
  world.remove_file("db/000002.seg");
  std::string foreign = whole;
  encode_identity(foreign.data(), {Medium::mapped, Uuid{9, 9}, SegmentId(1), kCapacity});
  world.replace_file("db/000001.seg", foreign);
  EXPECT_EQ(journal.recover().status().code(), Code::corruption);
}

TEST(Recovery, WrittenSegmentsSurviveAnyPowerCut) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    World world(seed);
    Journal journal(world, Medium::written);
    journal.start_segment();
    const uint64_t commits = seed % 6;
    std::string expected;
    for (uint64_t i = 0; i < commits; ++i) {
      journal.append("commit" + std::to_string(i));
      expected += "commit" + std::to_string(i) + " ";
    }
    journal.lose_handles();
    world.power_cut(Survival::any);
    const Result<std::string> applied = journal.recover();
    ASSERT_TRUE(applied.ok()) << seed << applied.status().to_string();
    EXPECT_EQ(*applied, expected) << seed;
  }
}

TEST(Recovery, MappedSegmentsLeaveAPrefixAfterAnyPowerCut) {
  size_t shorter = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    World world(seed);
    Journal journal(world);
    journal.start_segment();
    std::vector<std::string> prefixes = {""};
    size_t durable = 0;
    for (size_t i = 0; i < 40; ++i) {
      if (i == 15) {
        journal.sync();
        durable = i;
      }
      if (i == 25) journal.start_segment();
      const std::string text = "commit" + std::to_string(i) + std::string(i * 7, '.');
      journal.append(text);
      prefixes.push_back(prefixes.back() + text + " ");
      world.write_back(1);
    }
    journal.lose_handles();
    world.power_cut(Survival::any);
    const Result<std::string> applied = journal.recover();
    ASSERT_TRUE(applied.ok()) << seed << applied.status().to_string();
    const auto found = std::find(prefixes.begin(), prefixes.end(), *applied);
    ASSERT_NE(found, prefixes.end()) << seed;
    EXPECT_GE(static_cast<size_t>(found - prefixes.begin()), durable) << seed;
    if (found + 1 != prefixes.end()) ++shorter;
  }
  EXPECT_GT(shorter, 50u);  // the machine really loses something
}

}  // namespace
}  // namespace ashlar::journal
