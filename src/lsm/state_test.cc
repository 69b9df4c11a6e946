#include "lsm/state.h"

#include <gtest/gtest.h>

#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

TEST(State, FollowsItsEdits) {
  State state = sample_first_state();
  for (uint64_t step = 1; step <= 7; ++step) {
    auto next = state.apply(sample_edit(step, nullptr));
    ASSERT_TRUE(next.ok()) << step << ": " << next.status().to_string();
    state = std::move(next).value();
  }
  EXPECT_EQ(state_text(state),
            "uuid 11,22 floor 7 flushed 70 journaled next 507,12,8\n"
            "keyspace 0 default \n"
            "keyspace 1 space 1 options\n"
            "keyspace 5 space 5 options\n"
            "keyspace 7 space 7 options\n"
            "L0 000107.run 1007 bytes \"\\x00\\x00\\x00\\x00a\"..\"\\x00\\x00\\x00\\x00z\" 61-70\n"
            "L0 000106.run 1006 bytes \"\\x00\\x00\\x00\\x00a\"..\"\\x00\\x00\\x00\\x00z\" 51-60\n"
            "L1 000506.run 1000 bytes \"\\x00\\x00\\x00\\x00a\"..\"\\x00\\x00\\x00\\x00z\" 1-50\n");
  EXPECT_TRUE(state.is_dropped(KeyspaceId(3)));
  EXPECT_TRUE(state.is_dropped(KeyspaceId(2))) << "passed over";
  EXPECT_FALSE(state.is_dropped(KeyspaceId(5)));
  EXPECT_FALSE(state.is_dropped(KeyspaceId(8))) << "not given out yet";
}

TEST(State, IsRebuiltByItsOwnEdit) {
  State state = sample_first_state();
  for (uint64_t step = 1; step <= 9; ++step) {
    state = state.apply(sample_edit(step, nullptr)).value();
    State empty;
    empty.uuid = state.uuid;
    auto decoded = decode_edit(encode_edit(state.as_edit()), nullptr);
    ASSERT_TRUE(decoded.ok());
    auto rebuilt = empty.apply(*decoded);
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status().to_string();
    EXPECT_EQ(state_text(*rebuilt), state_text(state));
  }
}

TEST(State, RefusesContradictions) {
  State state = sample_first_state();
  for (uint64_t step = 1; step <= 4; ++step) state = state.apply(sample_edit(step, nullptr)).value();
  const std::string before = state_text(state);

  std::vector<Edit> contradictions(13);
  contradictions[0].removed = {{1, RunId(104)}};                   // in level 0
  contradictions[1].removed = {{0, RunId(104)}, {0, RunId(104)}};  // twice
  contradictions[2].added = {{2, shaped_run({.id = 503})}};        // in level 1 already
  contradictions[3].added = {{1, shaped_run({.id = 600})}};        // overlaps 503
  contradictions[4].added = {{0, shaped_run({.id = 600, .smallest_sequence = 25, .largest_sequence = 45})}};
  contradictions[5].journal_floor = SegmentId(3);
  contradictions[6].flushed_sequence = Sequence(39);
  contradictions[7].next_run = RunId(500);
  contradictions[8].next_segment = SegmentId(8);
  contradictions[9].created = {{KeyspaceId(3), "again", ""}};     // dropped, never used again
  contradictions[10].created = {{KeyspaceId(9), "default", ""}};  // the name is taken
  contradictions[11].dropped = {KeyspaceId(3)};
  contradictions[12].next_keyspace = KeyspaceId(3);
  for (const Edit& edit : contradictions) {
    auto next = state.apply(edit);
    ASSERT_FALSE(next.ok()) << encode_edit(edit);
    EXPECT_EQ(next.status().code(), Code::invalid_argument);
    EXPECT_EQ(state_text(state), before);
  }
}

}  // namespace
}  // namespace ashlar::lsm
