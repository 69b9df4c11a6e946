// Every call that changes the disk fails, once and for ever, in create, append and switch.
#include <gtest/gtest.h>

#include <set>

#include "lsm/manifest.h"
#include "lsm/memory_directory.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

RunContext context_of(std::shared_ptr<MemoryDirectory> directory) {
  return {std::move(directory), {}, nullptr, {}};
}

std::string recovered_text(const std::shared_ptr<MemoryDirectory>& directory) {
  auto recovery = Manifest::recover(context_of(directory->copy()));
  if (!recovery.ok()) return recovery.status().to_string();
  return recovery->manifest == nullptr ? "no database" : state_text(*recovery->manifest->state());
}

enum class Failing { once, for_ever };

// Fails the n-th change from now on.
void fail(MemoryDirectory& directory, uint64_t nth, Failing failing) {
  directory.before_change = [nth, failing, calls = uint64_t{0}](const char*, const std::string&) mutable {
    ++calls;
    const bool fails = failing == Failing::once ? calls == nth : calls >= nth;
    return fails ? Status(Code::no_space, "planned") : Status();
  };
}

TEST(ManifestFailure, ACreationIsWholeOrMayBeRepeated) {
  for (const Failing failing : {Failing::once, Failing::for_ever}) {
    bool succeeded = false;
    for (uint64_t nth = 1; !succeeded; ++nth) {
      auto directory = std::make_shared<MemoryDirectory>();
      fail(*directory, nth, failing);
      auto manifest = Manifest::create(context_of(directory), sample_first_state());
      directory->before_change = nullptr;
      succeeded = manifest.ok();
      EXPECT_EQ(succeeded, nth > 9);
      if (succeeded) continue;
      EXPECT_EQ(manifest.status().code(), Code::no_space);
      const std::string found = recovered_text(directory);
      if (found == "no database") {
        ASSERT_TRUE(Manifest::create(context_of(directory), sample_first_state()).ok()) << nth;
      }
      EXPECT_EQ(recovered_text(directory), state_text(sample_first_state())) << nth;
    }
  }
}

// After a failure the state in memory is the old one; on disk it may be either; and a switch decides for the
// old one.
void recover_in_process(MemoryDirectory& directory, Manifest& manifest, const std::string& before) {
  directory.before_change = nullptr;
  EXPECT_EQ(state_text(*manifest.state()), before);
  if (!manifest.must_switch()) return;
  EXPECT_EQ(manifest.append(Edit()).code(), Code::io) << "nothing may be appended before a switch";
  ASSERT_TRUE(manifest.switch_to_new().ok());
  EXPECT_FALSE(manifest.must_switch());
}

TEST(ManifestFailure, AFailedAppendIsUndoneByASwitch) {
  for (const Failing failing : {Failing::once, Failing::for_ever}) {
    std::set<bool> outcomes;
    for (uint64_t nth = 1; nth <= 4; ++nth) {
      auto directory = std::make_shared<MemoryDirectory>();
      auto manifest = std::move(Manifest::create(context_of(directory), sample_first_state())).value();
      for (uint64_t step = 1; step <= 4; ++step)
        ASSERT_TRUE(manifest->append(sample_edit(step, manifest->context())).ok());
      const std::string before = state_text(*manifest->state());
      const std::string after = state_text(manifest->state()->apply(sample_edit(5, nullptr)).value());
      fail(*directory, nth, failing);
      EXPECT_EQ(manifest->append(sample_edit(5, manifest->context())).code(), Code::no_space);
      EXPECT_TRUE(manifest->must_switch());
      const std::string found = recovered_text(directory);
      EXPECT_TRUE(found == before || found == after) << found;
      outcomes.insert(found == after);
      recover_in_process(*directory, *manifest, before);
      EXPECT_EQ(recovered_text(directory), before);
      ASSERT_TRUE(manifest->append(sample_edit(5, manifest->context())).ok());
      EXPECT_EQ(recovered_text(directory), after);
    }
    EXPECT_EQ(outcomes.size(), 2u) << "both outcomes must have been met";
  }
}

TEST(ManifestFailure, AFailedSwitchKeepsTheState) {
  for (const Failing failing : {Failing::once, Failing::for_ever}) {
    for (const bool append_failed_before : {false, true}) {
      bool succeeded = false;
      for (uint64_t nth = 1; !succeeded; ++nth) {
        auto directory = std::make_shared<MemoryDirectory>();
        auto manifest = std::move(Manifest::create(context_of(directory), sample_first_state())).value();
        for (uint64_t step = 1; step <= 4; ++step)
          ASSERT_TRUE(manifest->append(sample_edit(step, manifest->context())).ok());
        const std::string before = state_text(*manifest->state());
        std::string other = before;  // what a recovery may find instead, until a switch has decided
        if (append_failed_before) {
          other = state_text(manifest->state()->apply(sample_edit(5, nullptr)).value());
          fail(*directory, 1 + nth % 4, Failing::once);
          EXPECT_FALSE(manifest->append(sample_edit(5, manifest->context())).ok());
        }
        fail(*directory, nth, failing);
        succeeded = manifest->switch_to_new().ok();
        const std::string found = recovered_text(directory);
        EXPECT_TRUE(found == before || (!succeeded && found == other)) << nth;
        EXPECT_TRUE(succeeded || nth <= 9);
        recover_in_process(*directory, *manifest, before);
        EXPECT_EQ(recovered_text(directory), before);
        ASSERT_TRUE(manifest->append(sample_edit(5, manifest->context())).ok());
        EXPECT_EQ(recovered_text(directory), state_text(*manifest->state()));
        ASSERT_TRUE(manifest->switch_to_new().ok());
        EXPECT_EQ(directory->files.size(), 2u) << "strays of failed switches go with the next one";
      }
    }
  }
}

TEST(ManifestFailure, ARecoveredManifestSettlesOnTheSecondTry) {
  auto directory = std::make_shared<MemoryDirectory>();
  ASSERT_TRUE(Manifest::create(context_of(directory), sample_first_state()).ok());
  auto recovery = Manifest::recover(context_of(directory));
  ASSERT_TRUE(recovery.ok());
  Manifest& manifest = *recovery->manifest;
  fail(*directory, 1, Failing::once);
  EXPECT_EQ(manifest.append(sample_edit(1, manifest.context())).code(), Code::no_space)
      << "the directory's sync";
  ASSERT_TRUE(manifest.append(sample_edit(1, manifest.context())).ok());
  EXPECT_EQ(manifest.file_name(), "MANIFEST-000002") << "a failed sync is not made good by another one";
  EXPECT_EQ(recovered_text(directory), state_text(*manifest.state()));
}

}  // namespace
}  // namespace ashlar::lsm
