// Every bit of a manifest and of CURRENT flipped, every length of both: the right state or a named error,
// never another state.
#include <gtest/gtest.h>

#include <map>

#include "lsm/manifest.h"
#include "lsm/manifest_format.h"
#include "lsm/memory_directory.h"
#include "lsm/sample_state.h"

namespace ashlar::lsm {
namespace {

constexpr char kManifest[] = "MANIFEST-000001";
constexpr uint64_t kSteps = 4;

// What the same edits lead to in memory.
std::string text_after(uint64_t steps) {
  State state = sample_first_state();
  for (uint64_t step = 1; step <= steps; ++step) state = state.apply(sample_edit(step, nullptr)).value();
  return state_text(state);
}

std::shared_ptr<MemoryDirectory> sample_directory(uint64_t steps) {
  auto directory = std::make_shared<MemoryDirectory>();
  auto manifest = Manifest::create({directory, {}, nullptr, {}}, sample_first_state());
  EXPECT_TRUE(manifest.ok());
  for (uint64_t step = 1; step <= steps; ++step)
    EXPECT_TRUE((*manifest)->append(sample_edit(step, (*manifest)->context())).ok());
  return directory;
}

// The file as a crash between the two syncs of the last append leaves it.
std::shared_ptr<MemoryDirectory> unfinished_directory(uint64_t steps) {
  auto directory = sample_directory(steps);
  const std::string before =
      sample_directory(steps - 1)->files[kManifest]->substr(0, manifest_format::kFirstEditOffset);
  directory->files[kManifest]->replace(0, before.size(), before);
  return directory;
}

// State text, or the code of the error.
std::string outcome_of(const std::shared_ptr<MemoryDirectory>& directory) {
  auto recovery = Manifest::recover({directory, {}, nullptr, {}});
  if (!recovery.ok()) {
    EXPECT_NE(recovery.status().message().find(" at "), std::string::npos) << "file and offset are named";
    return std::string(code_name(recovery.status().code()));
  }
  return recovery->manifest == nullptr ? "no database" : state_text(*recovery->manifest->state());
}

using Outcomes = std::map<std::string, uint64_t>;

Outcomes flip_every_bit(const std::shared_ptr<MemoryDirectory>& directory, const std::string& file) {
  Outcomes outcomes;
  std::string& bytes = *directory->files[file];
  for (char& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ 1 << bit);
      ++outcomes[outcome_of(directory)];
      byte = static_cast<char>(byte ^ 1 << bit);
    }
  }
  return outcomes;
}

Outcomes cut_at_every_byte(const std::shared_ptr<MemoryDirectory>& directory, const std::string& file) {
  Outcomes outcomes;
  const std::string whole = *directory->files[file];
  for (size_t size = 0; size < whole.size(); ++size) {
    *directory->files[file] = whole.substr(0, size);
    ++outcomes[outcome_of(directory)];
  }
  *directory->files[file] = whole;
  return outcomes;
}

void report(const char* what, const Outcomes& outcomes, const std::string& right) {
  for (const auto& [outcome, count] : outcomes) {
    const std::string name = outcome == right ? "right state" : outcome.substr(0, outcome.find('\n'));
    testing::Test::RecordProperty(std::string(what) + ", " + name, std::to_string(count));
  }
}

TEST(ManifestDamage, EveryBitFlipOfAnIntactManifest) {
  const auto directory = sample_directory(kSteps);
  const std::string right = text_after(kSteps);
  ASSERT_EQ(outcome_of(directory), right);
  Outcomes outcomes = flip_every_bit(directory, kManifest);
  report("flips", outcomes, right);
  EXPECT_GT(outcomes["corruption"], 8 * 4096u);
  EXPECT_GT(outcomes[right], 8 * 4096u);
  EXPECT_EQ(outcomes.size(), 2u);
}

TEST(ManifestDamage, EveryTruncationOfAnIntactManifest) {
  const auto directory = sample_directory(kSteps);
  Outcomes outcomes = cut_at_every_byte(directory, kManifest);
  report("cuts", outcomes, text_after(kSteps));
  EXPECT_EQ(outcomes["corruption"], directory->files[kManifest]->size());
}

// The last append never returned: with its edit or without it, both are right.
TEST(ManifestDamage, EveryBitFlipAndTruncationOfAnUnfinishedAppend) {
  const auto directory = unfinished_directory(kSteps);
  const std::string with = text_after(kSteps);
  const std::string without = text_after(kSteps - 1);
  ASSERT_EQ(outcome_of(directory), with);
  for (Outcomes outcomes : {flip_every_bit(directory, kManifest), cut_at_every_byte(directory, kManifest)}) {
    report("unfinished", outcomes, with);
    EXPECT_GT(outcomes["corruption"], 4096u);
    EXPECT_GT(outcomes[with], 50u);
    EXPECT_GT(outcomes[without], 50u);
    EXPECT_EQ(outcomes.size(), 3u);
  }
}

TEST(ManifestDamage, EveryBitFlipAndTruncationOfCurrent) {
  const auto directory = sample_directory(kSteps);
  for (const Outcomes& outcomes :
       {flip_every_bit(directory, "CURRENT"), cut_at_every_byte(directory, "CURRENT")}) {
    EXPECT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes.begin()->first, "corruption");
  }
}

void destroy(std::string& bytes, uint64_t offset, uint64_t size) {
  for (uint64_t i = offset; i < offset + size; ++i) bytes[i] = static_cast<char>(~bytes[i]);
}

TEST(ManifestDamage, ALostTailBlockIsMissedOnlyWhereTheEditBehindTheOtherOneProvesIt) {
  const uint64_t newer = manifest_format::tail_offset(kSteps + 1);
  const uint64_t older = manifest_format::tail_offset(kSteps);
  auto directory = sample_directory(kSteps);
  destroy(*directory->files[kManifest], newer, 4096);
  EXPECT_EQ(outcome_of(directory), text_after(kSteps)) << "the last edit stands behind the older tail";

  // With the last edit lost as well the older tail looks like the end. It must not pass for it.
  destroy(*directory->files[kManifest], directory->files[kManifest]->size() - 4096, 4096);
  EXPECT_EQ(outcome_of(directory), "corruption");

  directory = sample_directory(kSteps);
  destroy(*directory->files[kManifest], older, 4096);
  EXPECT_EQ(outcome_of(directory), "corruption") << "which of the two was lost cannot be told";
  destroy(*directory->files[kManifest], newer, 4096);
  EXPECT_EQ(outcome_of(directory), "corruption");
}

TEST(ManifestDamage, ALostSectorOfATailBlockCostsNothing) {
  for (uint64_t offset = 4096; offset < 3 * 4096; offset += 512) {
    const auto directory = sample_directory(kSteps);
    destroy(*directory->files[kManifest], offset, 512);
    EXPECT_EQ(outcome_of(directory), text_after(kSteps));
  }
}

// A tail block half overwritten by the next tail, as a torn write leaves it, for every mixture of its
// sectors.
TEST(ManifestDamage, EveryTornTailBlockGivesTheNewState) {
  const auto before = unfinished_directory(kSteps);
  const auto after = sample_directory(kSteps);
  const uint64_t offset = manifest_format::tail_offset(kSteps + 1);
  for (uint32_t mixture = 0; mixture < 256; ++mixture) {
    const auto directory = before->copy();
    for (uint32_t sector = 0; sector < 8; ++sector) {
      const uint64_t at = offset + sector * 512;
      if ((mixture >> sector & 1) != 0)
        directory->files[kManifest]->replace(at, 512, *after->files[kManifest], at, 512);
    }
    EXPECT_EQ(outcome_of(directory), text_after(kSteps));
  }
}

// A whole block of one file, or of one place, put somewhere else.
TEST(ManifestDamage, MisplacedBlocksAreNotTakenForOthers) {
  const auto other = sample_directory(kSteps);
  {
    // The same database and the same edits in a file of another id.
    auto recovery = Manifest::recover({other, {}, nullptr, {}});
    ASSERT_TRUE(recovery->manifest->switch_to_new().ok());
  }
  const auto original = sample_directory(kSteps);
  const uint64_t blocks = original->files[kManifest]->size() / 4096;
  uint64_t refused = 0;
  for (uint64_t from = 0; from < blocks; ++from) {
    for (uint64_t to = 0; to < blocks; ++to) {
      const auto directory = original->copy();
      directory->files[kManifest]->replace(to * 4096, 4096, *original->files[kManifest], from * 4096, 4096);
      const std::string outcome = outcome_of(directory);
      refused += outcome == "corruption" ? 1 : 0;
      EXPECT_TRUE(outcome == "corruption" || outcome == text_after(kSteps)) << from << " over " << to;
    }
  }
  EXPECT_GT(refused, blocks * (blocks - 3));
  for (uint64_t block = 0; block < 4; ++block) {
    const auto directory = original->copy();
    directory->files[kManifest]->replace(block * 4096, 4096, *other->files["MANIFEST-000002"], block * 4096,
                                         4096);
    const std::string outcome = outcome_of(directory);
    EXPECT_TRUE(outcome == "corruption" || outcome == text_after(kSteps)) << block;
  }
}

}  // namespace
}  // namespace ashlar::lsm
