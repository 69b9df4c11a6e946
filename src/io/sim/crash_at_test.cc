#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "io/sim/world.h"

namespace ashlar::io::sim {
namespace {

// A small program with one call of every kind that changes the disk; stops at the first failure.
Status run_program(World& world) {
  ASHLAR_ASSIGN(const auto directory, world.open_directory("db", CreateMode::create_if_missing));
  ASHLAR_ASSIGN(auto file, directory->open("a", OpenMode::create));  // 1
  ASHLAR_TRY(file->fill_zeros(2048));                                // 2
  ASHLAR_TRY(file->sync());                                          // 3
  ASHLAR_ASSIGN(const auto mapping, file->map(2048));                // 4
  std::memset(mapping->data(), 's', 512);
  ASHLAR_TRY(mapping->sync(0, 512));                                   // 5
  ASHLAR_TRY(file->write_at(512, std::string(1024, 'w')));             // 6
  ASHLAR_TRY(directory->rename("a", "b"));                             // 7
  ASHLAR_TRY(directory->sync());                                       // 8
  ASHLAR_ASSIGN(auto second, directory->open("c", OpenMode::create));  // 9
  ASHLAR_TRY(second->resize(100));                                     // 10
  return directory->remove("c");                                       // 11
}
constexpr uint64_t kProgramChanges = 11;

TEST(CrashAt, CountsTheCallsThatChangeTheDiskAndFailsFromThereOn) {
  World counted(1);
  ASSERT_TRUE(run_program(counted).ok());
  EXPECT_EQ(counted.disk_changes(), kProgramChanges);
  for (uint64_t nth = 1; nth <= kProgramChanges; ++nth) {
    for (const Crash crash : {Crash::process, Crash::power_cut}) {
      World world(nth);
      const Uuid boot = world.boot_id();
      world.crash_at(nth, crash);
      const Status status = run_program(world);
      EXPECT_EQ(status.to_string(), "io: simulated crash");
      EXPECT_TRUE(world.crashed());
      EXPECT_EQ(world.disk_changes(), nth);
      EXPECT_EQ(world.open_directory("db", CreateMode::must_exist).status().code(), Code::io);
      EXPECT_EQ(world.boot_id() != boot, crash == Crash::power_cut);
      const auto survived = world.read_file("db/b");
      world.restart();
      EXPECT_FALSE(world.crashed());
      EXPECT_EQ(world.read_file("db/b"), survived);
      EXPECT_TRUE(world.open_directory("db", CreateMode::must_exist).ok());
    }
  }
  World beyond(1);
  beyond.crash_at(kProgramChanges + 1, Crash::process);
  EXPECT_TRUE(run_program(beyond).ok());
  EXPECT_FALSE(beyond.crashed());
}

TEST(CrashAt, ARestartCancelsACrashThatHasNotHappened) {
  World world(1);
  world.crash_at(100, Crash::process);
  world.kill_process();
  for (int i = 0; i < 20; ++i) {
    const auto directory = world.open_directory("db" + std::to_string(i), CreateMode::create_if_missing);
    ASSERT_TRUE((*directory)->sync().ok());
    ASSERT_TRUE((*directory)->open("a", OpenMode::create).ok());
    for (int j = 0; j < 10; ++j) ASSERT_TRUE((*directory)->sync().ok());
  }
}

// A call that would have been refused anyway is where the crash happens all the same.
TEST(CrashAt, RefusedCallsCrashToo) {
  World world(1);
  const auto directory = std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
  ASSERT_TRUE(directory->open("a", OpenMode::create).ok());
  for (int kind = 0; kind < 3; ++kind) {
    const auto copy = world.clone(1);
    const auto own = std::move(copy->open_directory("db", CreateMode::must_exist)).value();
    copy->crash_at(1, Crash::process);
    const Status status = kind == 0   ? own->open("a", OpenMode::create).status()
                          : kind == 1 ? own->rename("none", "b")
                                      : own->remove("none");
    EXPECT_EQ(status.to_string(), "io: simulated crash");
    EXPECT_TRUE(copy->crashed());
    EXPECT_EQ(copy->files(), std::vector<std::string>{"db/a"});
  }
}

// Contents of "a" over many seeds when the one write to it crashes.
std::set<std::string> interrupted_write(Crash crash) {
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    World world(seed);
    const auto directory = std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
    const auto file = std::move(directory->open("a", OpenMode::create)).value();
    EXPECT_TRUE(file->write_at(0, std::string(1536, '.')).ok());
    EXPECT_TRUE(file->sync().ok());
    EXPECT_TRUE(directory->sync().ok());
    world.crash_at(1, crash);
    EXPECT_FALSE(file->write_at(0, std::string(1536, 'x')).ok());
    found.insert(*world.read_file("db/a"));
  }
  return found;
}

TEST(CrashAt, TheWriteItselfTakesEffectNotAtAllPartlyOrWholly) {
  const std::set<std::string> killed = interrupted_write(Crash::process);
  EXPECT_EQ(killed.count(std::string(1536, '.')), 1u);
  EXPECT_EQ(killed.count(std::string(1536, 'x')), 1u);
  EXPECT_GT(killed.size(), 10u);
  for (const std::string& bytes : killed) {
    EXPECT_EQ(bytes.find('x', std::min(bytes.find('.'), bytes.size())), std::string::npos) << "a prefix";
  }
  bool hole = false;
  for (const std::string& bytes : interrupted_write(Crash::power_cut)) {
    if (bytes.find('x', std::min(bytes.find('.'), bytes.size())) != std::string::npos) hole = true;
  }
  EXPECT_TRUE(hole) << "a power cut may keep any subset of the sectors";
}

TEST(CrashAt, AnInterruptedSyncMayHaveDoneAnyPartOfItsWork) {
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    World world(seed);
    world.set_write_back(0);
    const auto directory = std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
    const auto file = std::move(directory->open("a", OpenMode::create)).value();
    ASSERT_TRUE(file->write_at(0, std::string(1024, '.')).ok());
    ASSERT_TRUE(file->sync().ok());
    ASSERT_TRUE(directory->sync().ok());
    ASSERT_TRUE(file->write_at(0, std::string(1024, 'x')).ok());
    world.crash_at(1, Crash::power_cut, Survival::none);
    ASSERT_FALSE(file->sync().ok());
    found.insert(*world.read_file("db/a"));
  }
  const std::string kept(512, 'x');
  const std::string lost(512, '.');
  EXPECT_EQ(found, (std::set<std::string>{lost + lost, lost + kept, kept + lost, kept + kept}));
}

TEST(CrashAt, StoresAfterTheCrashDoNotCount) {
  for (const Crash crash : {Crash::process, Crash::power_cut}) {
    World world(5);
    const auto directory = std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
    const auto file = std::move(directory->open("a", OpenMode::create)).value();
    ASSERT_TRUE(file->fill_zeros(1024).ok());
    const auto mapping = std::move(file->map(1024)).value();
    std::memset(mapping->data(), 'x', 512);
    ASSERT_TRUE(file->sync().ok());
    ASSERT_TRUE(directory->sync().ok());
    world.crash_at(1, crash);
    ASSERT_FALSE(directory->sync().ok());
    std::memset(mapping->data(), 'y', 1024);
    EXPECT_EQ(*world.read_file("db/a"), std::string(512, 'x') + std::string(512, '\0'));
    world.restart();
    EXPECT_EQ(*world.read_file("db/a"), std::string(512, 'x') + std::string(512, '\0'));
  }
}

TEST(CrashAt, ACrashInsideATaskEndsTheWorkOfThatProcessOnly) {
  World world(1);
  std::string order;
  {
    const auto directory = std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
    const auto executor = world.create_executor();
    world.crash_at(1, Crash::process);
    executor->submit(Lane::flush, [&] {
      EXPECT_FALSE(directory->sync().ok());
      order += 'c';
    });
    executor->submit(Lane::flush, [&] {
      EXPECT_FALSE(directory->list().ok());
      order += 'd';
    });
    world.run_until_idle();
    EXPECT_EQ(order, "cd") << "the dying process runs on, with every call refused";
    executor->submit(Lane::flush, [&] { order += 'e'; });
    world.restart();
    world.run_until_idle();
  }
  EXPECT_EQ(order, "cd");
}

}  // namespace
}  // namespace ashlar::io::sim
