#include <gtest/gtest.h>

#include "journal/recovery.h"
#include "journal/recovery_test.h"

namespace ashlar::journal {
namespace {

TEST(Recovery, PassesOverCommitsThatFailedAndWereReplaced) {
  World world(8);
  Journal journal(world);
  journal.start_segment();
  journal.append("one");
  journal.append("failed");
  journal.lose_handles();
  Journal later(world);  // a second writer over the same files, where the sequence is taken over
  world.kill_process();
  ASSERT_EQ(journal.recover().value(), "one failed ");
  journal.last.last = Sequence(1);
  journal.adopt();
  journal.start_segment();
  journal.append("instead", kReplacesFailed);
  journal.append("next");
  journal.lose_handles();
  world.kill_process();
  EXPECT_EQ(journal.recover().value(), "one instead next ");
}

TEST(Recovery, DamageInAWrittenSegmentShowsWhileTheMachineRuns) {
  World world(12);
  Journal journal(world, Medium::written);
  journal.start_segment();
  journal.append("a");
  journal.append("b");
  journal.start_segment();
  journal.append("c");
  journal.append("d");
  journal.lose_handles();
  world.kill_process();
  const uint64_t second = kHeaderBytes + kBlockBytes;
  const std::pair<std::string, uint64_t> places[] = {{"db/000001.seg", kHeaderBytes},
                                                     {"db/000001.seg", second},
                                                     {"db/000002.seg", kHeaderBytes},
                                                     {"db/000002.seg", second}};
  for (const auto& [file, offset] : places) {
    flip(world, file, offset + kFrameHeaderBytes);
    const Result<std::string> found = journal.recover();
    EXPECT_EQ(found.status().code(), Code::corruption) << file << " at " << offset;
    journal.lose_handles();
    flip(world, file, offset + kFrameHeaderBytes);
  }
  EXPECT_EQ(journal.recover().value(), "a b c d ");
}

// What a killed process failed to sync may be on the disk and no longer in memory.
TEST(Recovery, OnlyAClosedSegmentOrOneOfAnEarlierBootIsContinued) {
  for (const Medium medium : {Medium::mapped, Medium::written}) {
    World world(13);
    Journal journal(world, medium);
    journal.start_segment();
    journal.append("a");
    journal.sync();
    journal.lose_handles();
    world.kill_process();
    EXPECT_EQ(journal.recover().value(), "a ");
    EXPECT_FALSE(journal.last.last_is_open);

    journal.adopt();
    journal.segment().store_closed();
    journal.lose_handles();
    EXPECT_EQ(journal.recover().value(), "a ");
    EXPECT_TRUE(journal.last.last_is_open);

    journal.adopt();
    journal.append("b");
    journal.sync();
    journal.lose_handles();
    EXPECT_EQ(journal.recover().value(), "a b ");
    EXPECT_FALSE(journal.last.last_is_open);
    journal.last = {};
    journal.lose_handles();
    world.power_cut(Survival::all);
    EXPECT_EQ(journal.recover().value(), "a b ");
    EXPECT_TRUE(journal.last.last_is_open);
  }
}

TEST(Recovery, FramesThatAreReplacedEndASegmentHoweverTheyLook) {
  World world(14);
  Journal journal(world, Medium::written);
  journal.start_segment();
  journal.append("a");
  journal.append("failed, and torn");
  journal.append("failed, and whole");
  journal.renumber(2);
  journal.start_segment();
  journal.append("b", kReplacesFailed);
  journal.lose_handles();
  world.power_cut(Survival::all);
  flip(world, "db/000001.seg", kHeaderBytes + kBlockBytes + kFrameHeaderBytes);
  EXPECT_EQ(journal.recover().value(), "a b ");
}

}  // namespace
}  // namespace ashlar::journal
