#include "lsm/manifest.h"

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "lsm/manifest_format.h"
#include "lsm/memory_directory.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

RunContext context_of(std::shared_ptr<MemoryDirectory> directory) {
  return {std::move(directory), {}, nullptr, {}};
}

std::unique_ptr<Manifest> create_in(std::shared_ptr<MemoryDirectory> directory) {
  auto manifest = Manifest::create(context_of(std::move(directory)), sample_first_state());
  EXPECT_TRUE(manifest.ok()) << manifest.status().to_string();
  return std::move(manifest).value();
}

// A manifest to which edits 1 to `steps` of the sample story were appended.
std::unique_ptr<Manifest> sample_in(std::shared_ptr<MemoryDirectory> directory, uint64_t steps) {
  auto manifest = create_in(std::move(directory));
  for (uint64_t step = 1; step <= steps; ++step) {
    const Status appended = manifest->append(sample_edit(step, manifest->context()));
    EXPECT_TRUE(appended.ok()) << appended.to_string();
  }
  return manifest;
}

// The state as text, or the error.
std::string recovered_text(std::shared_ptr<MemoryDirectory> directory) {
  auto recovery = Manifest::recover(context_of(std::move(directory)));
  if (!recovery.ok()) return recovery.status().to_string();
  if (recovery->manifest == nullptr) return "no database";
  return state_text(*recovery->manifest->state());
}

Code recovery_code(std::shared_ptr<MemoryDirectory> directory) {
  auto recovery = Manifest::recover(context_of(std::move(directory)));
  return recovery.ok() ? Code::ok : recovery.status().code();
}

TEST(Manifest, IsRecoveredAfterEveryAppendWithoutAWrite) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = create_in(directory);
  for (uint64_t step = 1; step <= 9; ++step) {
    ASSERT_TRUE(manifest->append(sample_edit(step, manifest->context())).ok());
    const auto copy = directory->copy();
    copy->before_change = [](const char* what, const std::string& name) {
      return io_error(std::string(what) + name);
    };
    EXPECT_EQ(recovered_text(copy), state_text(*manifest->state()));
  }
  EXPECT_EQ(directory->files.size(), 2u) << "CURRENT and one manifest";
}

TEST(Manifest, GoesOnAfterARecovery) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = create_in(directory);
  for (uint64_t step = 1; step <= 9; ++step) {
    ASSERT_TRUE(manifest->append(sample_edit(step, manifest->context())).ok());
    auto recovery = Manifest::recover(context_of(directory));
    ASSERT_TRUE(recovery.ok());
    EXPECT_EQ(recovery->edits_behind_tail, 0u);
    EXPECT_EQ(recovery->torn_bytes, 0u);
    EXPECT_FALSE(recovery->manifest->must_switch());
    manifest = std::move(recovery->manifest);
  }
  EXPECT_EQ(manifest->file_name(), "MANIFEST-000001");
}

TEST(Manifest, WithoutCurrentThereIsNoDatabase) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto nothing = Manifest::recover(context_of(directory));
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->manifest, nullptr);
  EXPECT_FALSE(nothing->has_manifest_files);
  sample_in(directory, 2);
  directory->files.erase("CURRENT");
  auto lost = Manifest::recover(context_of(directory));
  ASSERT_TRUE(lost.ok());
  EXPECT_EQ(lost->manifest, nullptr);
  EXPECT_TRUE(lost->has_manifest_files);
}

TEST(Manifest, CreateRefusesAnExistingDatabase) {
  auto directory = std::make_shared<MemoryDirectory>();
  sample_in(directory, 2);
  auto again = Manifest::create(context_of(directory), sample_first_state());
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.status().code(), Code::invalid_argument);
}

TEST(Manifest, ASwitchKeepsTheStateAndLeavesOneFile) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = sample_in(directory, 5);
  const std::string before = state_text(*manifest->state());
  directory->files["CURRENT.tmp"] = std::make_shared<std::string>("left by a crash");
  directory->files["MANIFEST-000009"] = std::make_shared<std::string>("left by a crash");
  ASSERT_TRUE(manifest->switch_to_new().ok());
  EXPECT_EQ(manifest->file_name(), "MANIFEST-000010") << "no id is used twice";
  EXPECT_EQ(recovered_text(directory), before);
  EXPECT_EQ(directory->files.size(), 2u);
  ASSERT_TRUE(manifest->append(sample_edit(6, manifest->context())).ok());
  EXPECT_EQ(recovered_text(directory), state_text(*manifest->state()));
}

TEST(Manifest, GrowsOnlySoFar) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = create_in(directory);
  uint64_t step = 1;
  while (!manifest->is_overgrown())
    ASSERT_TRUE(manifest->append(sample_edit(step++, manifest->context())).ok());
  EXPECT_GT(step, 100u);
  ASSERT_TRUE(manifest->switch_to_new().ok());
  EXPECT_FALSE(manifest->is_overgrown());
  EXPECT_LT(manifest->size_bytes(), uint64_t{1} << 16);
}

TEST(Manifest, AnEditThatContradictsTheStateChangesNothing) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = sample_in(directory, 3);
  const std::string before = *directory->files["MANIFEST-000001"];
  Edit edit;
  edit.removed = {{4, RunId(1)}};
  EXPECT_EQ(manifest->append(edit).code(), Code::invalid_argument);
  EXPECT_FALSE(manifest->must_switch());
  EXPECT_EQ(*directory->files["MANIFEST-000001"], before);
}

TEST(Manifest, RunsThatLeaveEveryLevelLoseTheirFileWithTheirLastReader) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = create_in(directory);
  for (uint64_t id : {101, 102}) directory->files[run_file_name(RunId(id))] = std::make_shared<std::string>();
  ASSERT_TRUE(manifest->append(sample_edit(1, manifest->context())).ok());
  ASSERT_TRUE(manifest->append(sample_edit(2, manifest->context())).ok());
  auto old_version = manifest->state()->version;
  Edit edit;
  edit.removed = {{0, RunId(101)}, {0, RunId(102)}};
  edit.added = {{1, old_version->level(0)[1]}};  // 101 moves, 102 goes
  ASSERT_TRUE(manifest->append(edit).ok());
  EXPECT_TRUE(directory->files.contains("000102.run")) << "still in a version that somebody holds";
  old_version.reset();
  EXPECT_FALSE(directory->files.contains("000102.run"));
  EXPECT_TRUE(directory->files.contains("000101.run"));
}

// What is written when an append stops before its tail is: edit `steps` stands behind the tail.
std::shared_ptr<MemoryDirectory> stopped_before_tail(uint64_t steps) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = sample_in(directory, steps - 1);
  int writes = 0;
  directory->before_change = [&](const char* what, const std::string&) {
    return std::string(what) == "write" && ++writes == 2 ? io_error("planned") : Status();
  };
  const std::string head_and_tails = directory->files["MANIFEST-000001"]->substr(0, 3 * 4096);
  EXPECT_FALSE(manifest->append(sample_edit(steps, manifest->context())).ok());
  directory->before_change = nullptr;
  // The refused write was begun; here it is not done at all.
  directory->files["MANIFEST-000001"]->replace(0, head_and_tails.size(), head_and_tails);
  return directory;
}

TEST(Manifest, AnEditBehindTheTailIsInForceAndSettled) {
  auto directory = stopped_before_tail(4);
  auto recovery = Manifest::recover(context_of(directory));
  ASSERT_TRUE(recovery.ok()) << recovery.status().to_string();
  EXPECT_EQ(recovery->edits_behind_tail, 1u);
  EXPECT_EQ(recovery->manifest->state()->flushed_sequence, Sequence(40));
  EXPECT_TRUE(recovery->manifest->must_switch());
  EXPECT_TRUE(directory->files.contains("MANIFEST-000001")) << "a read does not repair";
  ASSERT_TRUE(recovery->manifest->settle().ok());
  EXPECT_EQ(recovery->manifest->file_name(), "MANIFEST-000002");
  ASSERT_TRUE(recovery->manifest->append(sample_edit(5, recovery->manifest->context())).ok());
  EXPECT_EQ(recovered_text(directory), state_text(*recovery->manifest->state()));
}

TEST(Manifest, ATornTailIsCutBeforeTheNextAppend) {
  for (size_t cut = 1; cut < 4096; cut += 37) {
    auto directory = stopped_before_tail(4);
    auto& bytes = *directory->files["MANIFEST-000001"];
    bytes.resize(bytes.size() - cut);
    auto recovery = Manifest::recover(context_of(directory));
    ASSERT_TRUE(recovery.ok()) << recovery.status().to_string();
    if (recovery->edits_behind_tail == 1) continue;  // only padding was cut
    EXPECT_EQ(recovery->manifest->state()->flushed_sequence, Sequence(30));
    EXPECT_EQ(recovery->torn_bytes, 4096 - cut);
    ASSERT_TRUE(recovery->manifest->append(sample_edit(4, recovery->manifest->context())).ok());
    auto again = Manifest::recover(context_of(directory));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->torn_bytes, 0u);
    EXPECT_EQ(again->manifest->state()->flushed_sequence, Sequence(40));
  }
}

TEST(Manifest, NewerVersionsAreUnsupportedNotDamaged) {
  auto directory = std::make_shared<MemoryDirectory>();
  sample_in(directory, 2);
  const auto newer_head = directory->copy();
  std::string& head = *newer_head->files["MANIFEST-000001"];
  store_u32(head.data() + 16, manifest_format::kVersion + 1);
  EXPECT_EQ(recovery_code(newer_head), Code::corruption) << "the checksum does not cover the change yet";
  store_u64(head.data(), checksum(Bytes(head).substr(8, 4096 - 8), 0x4d414e01));
  EXPECT_EQ(recovery_code(newer_head), Code::unsupported_format);

  const auto newer_current = directory->copy();
  *newer_current->files["CURRENT"] =
      manifest_format::seal_current("ashlar current 2\nsomething else altogether\n");
  EXPECT_EQ(recovery_code(newer_current), Code::unsupported_format);
}

TEST(Manifest, FilesOfAnotherDatabaseOrAMissingOneAreCorruption) {
  auto directory = std::make_shared<MemoryDirectory>();
  sample_in(directory, 2);
  auto other = std::make_shared<MemoryDirectory>();
  State state = sample_first_state();
  state.uuid.low ^= 1;
  ASSERT_TRUE(Manifest::create(context_of(other), state).ok());

  auto swapped = directory->copy();
  swapped->files["MANIFEST-000001"] = other->files["MANIFEST-000001"];
  EXPECT_EQ(recovery_code(swapped), Code::corruption);
  auto missing = directory->copy();
  missing->files.erase("MANIFEST-000001");
  EXPECT_EQ(recovery_code(missing), Code::corruption);
}

}  // namespace
}  // namespace ashlar::lsm
