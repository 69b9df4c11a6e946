#include "lsm/edit.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

Edit full_edit() {
  Edit edit;
  edit.removed = {{0, RunId(7)}, {6, RunId(UINT64_MAX)}};
  edit.added = {{3, shaped_run({.id = 9})}, {0, shaped_run({.id = 10, .smallest = "", .largest = ""})}};
  edit.journal_floor = SegmentId(5);
  edit.flushed_sequence = kMaxSequence;
  edit.journaled = false;
  edit.next_run = RunId(12);
  edit.next_segment = SegmentId(13);
  edit.next_keyspace = KeyspaceId(UINT32_MAX);
  edit.created = {{KeyspaceId(3), "name", std::string("\0opt", 4)}, {KeyspaceId(4), "", ""}};
  edit.dropped = {KeyspaceId(1), KeyspaceId(2)};
  return edit;
}

std::string field(uint64_t tag, Bytes bytes) {
  std::string out;
  append_varint(out, tag);
  append_sized(out, bytes);
  return out;
}

TEST(Edit, SurvivesItsBytes) {
  const Edit edit = full_edit();
  const std::string bytes = encode_edit(edit);
  auto decoded = decode_edit(bytes, nullptr);
  ASSERT_TRUE(decoded.ok()) << decoded.status().to_string();
  EXPECT_EQ(encode_edit(*decoded), bytes);
  ASSERT_EQ(decoded->removed.size(), 2u);
  EXPECT_EQ(decoded->removed[1].level, 6u);
  EXPECT_EQ(decoded->removed[1].id, RunId(UINT64_MAX));
  ASSERT_EQ(decoded->added.size(), 2u);
  EXPECT_EQ(decoded->added[0].level, 3u);
  EXPECT_EQ(decoded->added[0].run->id(), RunId(9));
  EXPECT_EQ(decoded->added[0].run->properties(), edit.added[0].run->properties());
  EXPECT_EQ(decoded->journal_floor, edit.journal_floor);
  EXPECT_EQ(decoded->flushed_sequence, edit.flushed_sequence);
  EXPECT_EQ(decoded->journaled, false);
  EXPECT_EQ(decoded->next_run, edit.next_run);
  EXPECT_EQ(decoded->next_segment, edit.next_segment);
  EXPECT_EQ(decoded->next_keyspace, edit.next_keyspace);
  EXPECT_EQ(decoded->created, edit.created);
  EXPECT_EQ(decoded->dropped, edit.dropped);
}

TEST(Edit, AnEmptyOneHasNoBytes) {
  EXPECT_EQ(encode_edit(Edit()), "");
  auto decoded = decode_edit("", nullptr);
  ASSERT_TRUE(decoded.ok());
  EXPECT_FALSE(decoded->journaled.has_value());
}

TEST(Edit, UnknownFieldsAreRefusedOnlyWhereCritical) {
  const std::string known = encode_edit(full_edit());
  for (const uint64_t number : {uint64_t{0}, uint64_t{11}, uint64_t{1} << 40}) {
    auto refused = decode_edit(known + field(number << 1 | 1, "new"), nullptr);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), Code::unsupported_format);
    auto skipped = decode_edit(field(number << 1, "new") + known, nullptr);
    ASSERT_TRUE(skipped.ok());
    EXPECT_EQ(encode_edit(*skipped), known);
  }
}

TEST(Edit, EveryTruncationIsAWholeEditOrMalformed) {
  const std::string bytes = encode_edit(full_edit());
  size_t whole = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto decoded = decode_edit(Bytes(bytes).substr(0, size), nullptr);
    if (decoded.ok()) {
      ++whole;
      EXPECT_EQ(encode_edit(*decoded), Bytes(bytes).substr(0, size));
    } else {
      EXPECT_EQ(decoded.status().code(), Code::corruption);
    }
  }
  EXPECT_EQ(whole, 14u) << "only between fields";
}

TEST(Edit, MalformedFieldsAreCorruption) {
  const std::string too_long = field(3 << 1 | 1, std::string("\x05\x00", 2));
  const std::string too_large =
      field(4 << 1 | 1, std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
  const std::string no_flag = field(5 << 1 | 1, "\x02");
  const std::string wide_keyspace = field(10 << 1 | 1, std::string("\xff\xff\xff\xff\x7f", 5));
  const std::string level_seven = field(2 << 1 | 1, std::string("\x07\x01", 2));
  const std::string once = field(3 << 1 | 1, "\x05");
  for (const std::string& bytes : {too_long, too_large, no_flag, wide_keyspace, level_seven, once + once}) {
    auto decoded = decode_edit(bytes, nullptr);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.status().code(), Code::corruption);
  }
}

}  // namespace
}  // namespace ashlar::lsm
