// Every file of a small database is cut at every byte and has every bit flipped, one image at a time. Each image is opened
// and read wholly: it gives exactly the right data, or an error of code corruption that names the damaged file.
//
// The database was either closed or its process was killed; in both cases the machine went on, so nothing may be
// missing, not even the last frame of the journal: damage there is corruption, never a torn tail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "damage/specimen.h"

namespace ashlar::damage {
namespace {

struct Variant {
  const char* name;
  Ending ending;
  run::Compression compression;
};

constexpr Variant kVariants[] = {
    {"killed_lz4", Ending::killed, run::Compression::lz4},
    {"closed_plain", Ending::closed, run::Compression::none},
};

struct Tally {
  uint64_t images = 0;
  uint64_t kinds[4] = {};

  void print(const std::string& what) const {
    std::printf("%-44s %8llu images: %8llu right, %6llu noticed by verify, %8llu refused, %llu wrong\n",
                what.c_str(), static_cast<unsigned long long>(images),
                static_cast<unsigned long long>(kinds[0]), static_cast<unsigned long long>(kinds[1]),
                static_cast<unsigned long long>(kinds[2]), static_cast<unsigned long long>(kinds[3]));
  }
};

std::string kind_of(const std::string& file) {
  if (file.ends_with(".seg")) return "segment";
  if (file.ends_with(".run")) return "run";
  if (file.starts_with("MANIFEST")) return "manifest";
  if (file == "CURRENT") return "CURRENT";
  return "other";
}

class DamageTest : public testing::TestWithParam<Variant> {
 protected:
  DamageTest() : specimen_(make_specimen(GetParam().ending, GetParam().compression)) {}

  std::vector<std::string> files_of(const std::string& kind) const {
    std::vector<std::string> files;
    for (const std::string& file : specimen_.files) {
      if (kind_of(file) == kind) files.push_back(file);
    }
    return files;
  }

  // One image: a copy of the world, changed by `damage`, examined.
  void try_image(const std::vector<std::string>& suspects, const std::string& what, Tally& tally,
                 const std::function<void(io::sim::World&)>& damage) {
    const auto world = specimen_.world->clone(tally.images);
    damage(*world);
    const Verdict verdict = examine(*world, specimen_, suspects);
    ++tally.images;
    ++tally.kinds[static_cast<size_t>(verdict.kind)];
    if (verdict.kind == Verdict::Kind::wrong && ++complaints_ <= 10)
      ADD_FAILURE() << what << ": " << verdict.text;
  }

  void flip_bits(const std::string& kind);
  void truncate(const std::string& kind);

  std::string bytes_of(const std::string& file) const {
    return specimen_.world->read_file(path_of(file)).value_or("");
  }

  Specimen specimen_;
  int complaints_ = 0;
};

// The bytes worth damaging one by one are those that are not deep inside zeros; of the zeros, 4 KiB behind the last
// other byte and a sample.
constexpr uint64_t kNearBytes = 16;
constexpr uint64_t kSampleStep = 97;

bool inside_zeros(const std::string& bytes, uint64_t at) {
  const uint64_t from = at < kNearBytes ? 0 : at - kNearBytes;
  const uint64_t to = std::min<uint64_t>(bytes.size(), at + kNearBytes + 1);
  return std::all_of(bytes.begin() + static_cast<ptrdiff_t>(from), bytes.begin() + static_cast<ptrdiff_t>(to),
                     [](char c) { return c == 0; });
}

void DamageTest::flip_bits(const std::string& kind) {
  for (const std::string& file : files_of(kind)) {
    Tally tally;
    const std::string bytes = bytes_of(file);
    const uint64_t used = bytes.find_last_not_of('\0') + 1;
    for (uint64_t at = 0; at < bytes.size(); ++at) {
      const bool zeros = inside_zeros(bytes, at);
      const bool behind = at >= used && at < used + 4096;
      if (zeros && !behind && at % kSampleStep != 0) continue;
      for (int bit = 0; bit < 8; ++bit) {
        if (zeros && bit != static_cast<int>(at % 8)) continue;
        try_image({file}, file + " byte " + std::to_string(at) + " bit " + std::to_string(bit), tally,
                  [&](io::sim::World& world) {
                    std::string changed = bytes;
                    changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
                    world.replace_file(path_of(file), changed);
                  });
      }
    }
    tally.print(std::string(GetParam().name) + " " + file + ", bits flipped");
  }
}

void DamageTest::truncate(const std::string& kind) {
  for (const std::string& file : files_of(kind)) {
    Tally tally;
    const std::string bytes = bytes_of(file);
    const uint64_t used = bytes.find_last_not_of('\0') + 1;
    for (uint64_t size = 0; size < bytes.size(); ++size) {
      const bool behind = size >= used && size < used + 4096;
      if (inside_zeros(bytes, size) && !behind && size % kSampleStep != 0) continue;
      try_image({file}, file + " cut to " + std::to_string(size), tally,
                [&](io::sim::World& world) { world.replace_file(path_of(file), bytes.substr(0, size)); });
    }
    tally.print(std::string(GetParam().name) + " " + file + ", cut");
  }
}

TEST_P(DamageTest, TheSpecimenHoldsEverything) {
  EXPECT_FALSE(files_of("segment").empty());
  EXPECT_GE(files_of("run").size(), 2u);
  EXPECT_EQ(files_of("manifest").size(), 1u);
  EXPECT_EQ(files_of("CURRENT").size(), 1u);
  Tally tally;
  try_image({}, "undamaged", tally, [](io::sim::World&) {});
  EXPECT_EQ(tally.kinds[0], 1u);
}

// The checker itself: with the expectation changed, the same undamaged image is a silent difference.
TEST_P(DamageTest, ASilentDifferenceIsSeen) {
  Specimen other;
  other.options = specimen_.options;
  other.contents = specimen_.contents;
  other.contents["default"]["key1"].push_back('!');
  EXPECT_EQ(examine(*specimen_.world->clone(1), other, {}).kind, Verdict::Kind::wrong);
  other.contents = specimen_.contents;
  other.contents["default"].erase("key1");
  EXPECT_EQ(examine(*specimen_.world->clone(1), other, {}).kind, Verdict::Kind::wrong);
}

TEST_P(DamageTest, EveryBitOfTheSegments) { flip_bits("segment"); }
TEST_P(DamageTest, EveryBitOfTheManifest) { flip_bits("manifest"); }
TEST_P(DamageTest, EveryBitOfCurrent) { flip_bits("CURRENT"); }
TEST_P(DamageTest, EveryBitOfTheRuns) { flip_bits("run"); }
TEST_P(DamageTest, EveryTruncationOfTheSegments) { truncate("segment"); }
TEST_P(DamageTest, EveryTruncationOfTheManifest) { truncate("manifest"); }
TEST_P(DamageTest, EveryTruncationOfCurrent) { truncate("CURRENT"); }
TEST_P(DamageTest, EveryTruncationOfTheRuns) { truncate("run"); }

TEST_P(DamageTest, GarbageBehindTheEnd) {
  Tally tally;
  for (const std::string& file : specimen_.files) {
    const std::string bytes = bytes_of(file);
    for (const size_t size : {1u, 8u, 100u, 4096u, 5000u}) {
      for (const char fill : {'\0', 'g', '\xff'}) {
        try_image({file}, file + " with " + std::to_string(size) + " bytes appended", tally,
                  [&](io::sim::World& world) {
                    world.replace_file(path_of(file), bytes + std::string(size, fill));
                  });
      }
      // A copy of its own beginning: plausible bytes in the wrong place.
      try_image({file}, file + " followed by its own beginning", tally, [&](io::sim::World& world) {
        world.replace_file(path_of(file), bytes + bytes.substr(0, size));
      });
    }
  }
  tally.print(std::string(GetParam().name) + " garbage appended");
}

TEST_P(DamageTest, AnotherFileUnderThisName) {
  Tally tally;
  for (const std::string& file : specimen_.files) {
    for (const std::string& other : specimen_.files) {
      if (file == other || kind_of(file) == "other" || kind_of(other) == "other") continue;
      const std::string bytes = bytes_of(other);
      try_image({file}, file + " replaced by " + other, tally,
                [&](io::sim::World& world) { world.replace_file(path_of(file), bytes); });
      const std::string own = bytes_of(file);
      try_image({file, other}, file + " and " + other + " swapped", tally, [&](io::sim::World& world) {
        world.replace_file(path_of(file), bytes);
        world.replace_file(path_of(other), own);
      });
    }
  }
  tally.print(std::string(GetParam().name) + " files replaced and swapped");
}

TEST_P(DamageTest, MissingFiles) {
  Tally tally;
  for (const std::string& file : specimen_.files) {
    try_image({file}, file + " missing", tally,
              [&](io::sim::World& world) { world.remove_file(path_of(file)); });
  }
  tally.print(std::string(GetParam().name) + " files missing");
}

TEST_P(DamageTest, ForeignFilesAreLeftAlone) {
  const auto world = specimen_.world->clone(1);
  const std::vector<std::string> foreign = {
      "notes.txt", "000001.sst", "LOG",         "x.seg",     "99999999999999999999.seg",
      "MANIFEST",  "MANIFEST-x", "CURRENT.old", "a.run.bak", "-1.run"};
  for (const std::string& name : foreign) world->replace_file(path_of(name), "mine");
  const Verdict verdict = examine(*world, specimen_, foreign);
  EXPECT_EQ(verdict.kind, Verdict::Kind::right) << verdict.text;
  for (const std::string& name : foreign) EXPECT_EQ(world->read_file(path_of(name)), "mine") << name;
}

// A directory that holds other people's files and no database: it must not be taken over by a create.
TEST_P(DamageTest, ADirectoryOfForeignFilesIsNotHurt) {
  io::sim::World world(5);
  store::Options options = specimen_.options;
  {
    auto directory = world.open_directory(kPath, io::CreateMode::create_if_missing);
    ASSERT_TRUE(directory.ok());
  }
  world.replace_file(path_of("thesis.tex"), "years of work");
  auto store = store::Store::open(world, kPath, options);
  if (store.ok()) {
    EXPECT_TRUE((*store)->put(KeyspaceId(0), "key", "value").ok());
    EXPECT_TRUE((*store)->close().ok());
  }
  EXPECT_EQ(world.read_file(path_of("thesis.tex")), "years of work");
}

INSTANTIATE_TEST_SUITE_P(Variants, DamageTest, testing::ValuesIn(kVariants),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace ashlar::damage
