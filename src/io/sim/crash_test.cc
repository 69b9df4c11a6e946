#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>

#include "io/sim/world.h"

namespace ashlar::io::sim {
namespace {

class CrashTest : public testing::Test {
 protected:
  static std::unique_ptr<Directory> open(World& world) {
    return std::move(world.open_directory("db", CreateMode::create_if_missing)).value();
  }
  // A file of `bytes`, durable with its name.
  static std::unique_ptr<File> create_durable(Directory& directory, const std::string& name, Bytes bytes) {
    auto file = std::move(directory.open(name, OpenMode::create)).value();
    EXPECT_TRUE(file->write_at(0, bytes).ok());
    EXPECT_TRUE(file->sync().ok());
    EXPECT_TRUE(directory.sync().ok());
    return file;
  }
  // What `prepare` leaves after power cuts of many seeds: every distinct content of "db/a" ("<gone>" when missing).
  static std::set<std::string> outcomes(Survival survival,
                                        const std::function<void(World&, Directory&)>& prepare,
                                        uint64_t write_back_one_in = 0) {
    std::set<std::string> found;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      World world(seed);
      world.set_write_back(write_back_one_in);
      const auto directory = open(world);
      prepare(world, *directory);
      world.power_cut(survival);
      found.insert(world.read_file("db/a").value_or("<gone>"));
    }
    return found;
  }

  World world_{3};
  std::unique_ptr<Directory> directory_ = open(world_);
};

TEST_F(CrashTest, TheDeathOfAProcessLosesNothing) {
  const auto file = std::move(directory_->open("a", OpenMode::create)).value();
  ASSERT_TRUE(file->fill_zeros(4096).ok());
  const auto mapping = std::move(file->map(4096)).value();
  std::memcpy(mapping->data() + 1000, "stored", 6);
  ASSERT_TRUE(file->write_at(2000, "written").ok());
  ASSERT_TRUE(std::move(directory_->open("b", OpenMode::create)).value()->write_at(0, "other").ok());
  ASSERT_TRUE(directory_->rename("b", "c").ok());
  const auto lock = std::move(directory_->lock("LOCK")).value();
  const Uuid boot = world_.boot_id();

  world_.kill_process();
  EXPECT_EQ(world_.boot_id(), boot);
  EXPECT_EQ(world_.files(), (std::vector<std::string>{"db/LOCK", "db/a", "db/c"}));
  const std::string bytes = *world_.read_file("db/a");
  EXPECT_EQ(bytes.substr(1000, 6), "stored");
  EXPECT_EQ(bytes.substr(2000, 7), "written");
  EXPECT_EQ(*world_.read_file("db/c"), "other");
  EXPECT_TRUE(open(world_)->lock("LOCK").ok());
}

TEST_F(CrashTest, HandlesOfADeadProcessRefuseEverythingAndTouchNothing) {
  auto file = create_durable(*directory_, "a", std::string(4096, '.'));
  auto mapping = std::move(file->map(4096)).value();
  auto lock = std::move(directory_->lock("LOCK")).value();
  const auto executor = world_.create_executor();
  world_.kill_process();
  const uint64_t history = world_.history_hash();

  char buffer[8];
  std::memset(mapping->data(), 'x', 4096);
  for (const Status& status :
       {file->read_at(0, buffer, 8).status(), file->write_at(0, "y"), file->sync(),
        file->size_bytes().status(), file->resize(0), file->fill_zeros(10), file->map(10).status(),
        mapping->sync(0, 10), directory_->open("a", OpenMode::read_only).status(),
        directory_->list().status(), directory_->rename("a", "b"), directory_->remove("a"),
        directory_->sync(), directory_->lock("L").status(), directory_->free_bytes().status()}) {
    EXPECT_EQ(status.code(), Code::io);
    EXPECT_NE(status.message().find("simulated crash"), std::string::npos);
  }
  EXPECT_EQ(world_.history_hash(), history);
  EXPECT_EQ(*world_.read_file("db/a"), std::string(4096, '.'));

  const auto fresh = open(world_);
  const auto own_lock = std::move(fresh->lock("LOCK")).value();
  const auto own_file = std::move(fresh->open("a", OpenMode::read_write)).value();
  const auto own_mapping = std::move(own_file->map(4096)).value();
  mapping.reset();
  file.reset();
  lock.reset();
  EXPECT_EQ(fresh->lock("LOCK").status().code(), Code::busy) << "a dead lock must not release the new one";
  EXPECT_EQ(std::string(own_mapping->data(), 4), "....");
}

TEST_F(CrashTest, StoresOfBeforeTheKillStayUnsyncedUntilTheNextProcessSyncs) {
  for (const bool sync : {false, true}) {
    World world(1);
    world.set_write_back(0);
    {
      const auto directory = open(world);
      const auto file = create_durable(*directory, "a", std::string(512, '.'));
      const auto mapping = std::move(file->map(512)).value();
      std::memset(mapping->data(), 'x', 512);
      world.kill_process();
    }
    const auto directory = open(world);
    const auto file = std::move(directory->open("a", OpenMode::read_write)).value();
    if (sync) {
      ASSERT_TRUE(file->sync().ok());
    }
    world.power_cut(Survival::none);
    EXPECT_EQ(*world.read_file("db/a"), std::string(512, sync ? 'x' : '.'));
  }
}

TEST_F(CrashTest, APowerCutChangesTheBootIdAndDropsLocks) {
  const auto lock = std::move(directory_->lock("LOCK")).value();
  const Uuid boot = world_.boot_id();
  world_.power_cut();
  EXPECT_NE(world_.boot_id(), boot);
  EXPECT_TRUE(open(world_)->lock("LOCK").ok());
}

TEST_F(CrashTest, AnUnsyncedWriteCanBeLostKeptOrTornAtSectors) {
  const auto overwrite = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1024, '.'));
    ASSERT_TRUE(file->write_at(0, std::string(1024, 'x')).ok());
  };
  const std::string kept(512, 'x');
  const std::string lost(512, '.');
  EXPECT_EQ(outcomes(Survival::none, overwrite), std::set<std::string>{lost + lost});
  EXPECT_EQ(outcomes(Survival::all, overwrite), std::set<std::string>{kept + kept});
  const std::set<std::string> all = {lost + lost, lost + kept, kept + lost, kept + kept};
  EXPECT_EQ(outcomes(Survival::random, overwrite), all);
  EXPECT_EQ(outcomes(Survival::any, overwrite), all);
  EXPECT_EQ(outcomes(Survival::prefix, overwrite),
            (std::set<std::string>{lost + lost, kept + lost, kept + kept}));
  EXPECT_EQ(outcomes(Survival::latest, overwrite),
            (std::set<std::string>{lost + lost, lost + kept, kept + kept}));
}

TEST_F(CrashTest, UnsyncedStoresThroughAMappingFareTheSame) {
  const auto store = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1024, '.'));
    const auto mapping = std::move(file->map(1024)).value();
    std::memset(mapping->data(), 'x', 1024);
  };
  const std::string kept(512, 'x');
  const std::string lost(512, '.');
  EXPECT_EQ(outcomes(Survival::none, store), std::set<std::string>{lost + lost});
  EXPECT_EQ(outcomes(Survival::all, store), std::set<std::string>{kept + kept});
  EXPECT_EQ(outcomes(Survival::any, store),
            (std::set<std::string>{lost + lost, lost + kept, kept + lost, kept + kept}));
}

TEST_F(CrashTest, PrefixAndLatestFollowTheOrderOfWritingNotOfPlace) {
  const auto backwards = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1024, '.'));
    ASSERT_TRUE(file->write_at(512, std::string(512, 'x')).ok());
    ASSERT_TRUE(file->write_at(0, std::string(512, 'x')).ok());
  };
  const std::string kept(512, 'x');
  const std::string lost(512, '.');
  EXPECT_EQ(outcomes(Survival::prefix, backwards),
            (std::set<std::string>{lost + lost, lost + kept, kept + kept}));
  EXPECT_EQ(outcomes(Survival::latest, backwards),
            (std::set<std::string>{lost + lost, kept + lost, kept + kept}));
}

TEST_F(CrashTest, WhatWasSyncedIsNeverLost) {
  const auto synced = [](World& world, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(2048, '.'));
    const auto mapping = std::move(file->map(2048)).value();
    ASSERT_TRUE(file->write_at(100, "written").ok());
    std::memcpy(mapping->data() + 1200, "stored", 6);
    ASSERT_TRUE((world.prng().one_in(2) ? file->sync() : mapping->sync(0, 2048)).ok());
  };
  std::string expected(2048, '.');
  expected.replace(100, 7, "written");
  expected.replace(1200, 6, "stored");
  EXPECT_EQ(outcomes(Survival::any, synced, 2), std::set<std::string>{expected});
}

TEST_F(CrashTest, ASyncOfAMappedRangeCoversThatRangeOnly) {
  const auto range = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1536, '.'));
    const auto mapping = std::move(file->map(1536)).value();
    std::memset(mapping->data(), 'x', 1024);
    ASSERT_TRUE(file->write_at(1024, std::string(512, 'x')).ok());
    ASSERT_TRUE(mapping->sync(600, 1).ok());
  };
  EXPECT_EQ(outcomes(Survival::none, range),
            std::set<std::string>{std::string(512, '.') + std::string(512, 'x') + std::string(512, '.')});
}

TEST_F(CrashTest, AnIntermediateVersionCanBeTheOneThatSurvives) {
  const auto twice = [](World& world, Directory& directory) {
    const auto file = create_durable(directory, "a", "0");
    const auto mapping = std::move(file->map(1)).value();
    for (const char version : {'1', '2', '3'}) {
      mapping->data()[0] = version;
      world.write_back(world.prng().below(2));
    }
  };
  EXPECT_EQ(outcomes(Survival::none, twice), (std::set<std::string>{"0", "1", "2", "3"}));
  const auto written = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", "0");
    for (const char* version : {"1", "2", "3"}) ASSERT_TRUE(file->write_at(0, version).ok());
  };
  EXPECT_EQ(outcomes(Survival::none, written, 2), (std::set<std::string>{"0", "1", "2"}))
      << "the last version has had no moment to get there";
  EXPECT_EQ(outcomes(Survival::all, written, 2), std::set<std::string>{"3"});
}

TEST_F(CrashTest, AnUnsyncedSizeCanBeOldNewOrBetweenAndItsBytesZeros) {
  const auto append = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(10, '.'));
    ASSERT_TRUE(file->write_at(10, std::string(5000, 'x')).ok());
  };
  bool zeros_seen = false;
  std::set<size_t> sizes;
  for (const std::string& bytes : outcomes(Survival::random, append)) {
    sizes.insert(bytes.size());
    EXPECT_EQ(bytes.find_first_not_of(std::string(".x\0", 3)), std::string::npos);
    EXPECT_EQ(bytes.substr(0, 10), std::string(10, '.'));
    if (bytes.find('\0') != std::string::npos) zeros_seen = true;
  }
  EXPECT_TRUE(zeros_seen);
  EXPECT_EQ(*sizes.begin(), 10u);
  EXPECT_EQ(*sizes.rbegin(), 5010u);
  EXPECT_GT(sizes.size(), 5u);
}

TEST_F(CrashTest, AnUnsyncedTruncationCanBringOldBytesBack) {
  const auto cut = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1024, '.'));
    ASSERT_TRUE(file->fill_zeros(1024).ok());
  };
  const std::string old(512, '.');
  const std::string zeros(512, '\0');
  EXPECT_EQ(outcomes(Survival::random, cut),
            (std::set<std::string>{old + old, old + zeros, zeros + old, zeros + zeros}));
  const auto cut_and_synced = [](World&, Directory& directory) {
    const auto file = create_durable(directory, "a", std::string(1024, '.'));
    ASSERT_TRUE(file->resize(3).ok());
    ASSERT_TRUE(file->sync().ok());
    ASSERT_TRUE(file->resize(600).ok());
    ASSERT_TRUE(file->sync().ok());
  };
  EXPECT_EQ(outcomes(Survival::any, cut_and_synced), std::set<std::string>{"..." + std::string(597, '\0')});
}

TEST_F(CrashTest, AnUnsyncedNameCanVanishAndAnUnlinkedOneComeBack) {
  const auto created = [](World&, Directory& directory) {
    const auto file = std::move(directory.open("a", OpenMode::create)).value();
    ASSERT_TRUE(file->write_at(0, "new").ok());
    ASSERT_TRUE(file->sync().ok());
  };
  EXPECT_EQ(outcomes(Survival::any, created), (std::set<std::string>{"<gone>", "new"}));
  const auto removed = [](World&, Directory& directory) {
    create_durable(directory, "a", "old");
    ASSERT_TRUE(directory.remove("a").ok());
  };
  EXPECT_EQ(outcomes(Survival::any, removed), (std::set<std::string>{"<gone>", "old"}));
  const auto removed_and_synced = [](World&, Directory& directory) {
    create_durable(directory, "a", "old");
    ASSERT_TRUE(directory.remove("a").ok());
    ASSERT_TRUE(directory.sync().ok());
  };
  EXPECT_EQ(outcomes(Survival::any, removed_and_synced, 2), std::set<std::string>{"<gone>"});
}

TEST_F(CrashTest, TheTargetOfARenameHoldsTheOldFileOrTheNew) {
  const auto renamed = [](World&, Directory& directory) {
    create_durable(directory, "a", "old");
    create_durable(directory, "tmp", "new");
    ASSERT_TRUE(directory.rename("tmp", "a").ok());
  };
  EXPECT_EQ(outcomes(Survival::any, renamed), (std::set<std::string>{"old", "new"}));
  const auto renamed_and_synced = [&](World& world, Directory& directory) {
    renamed(world, directory);
    ASSERT_TRUE(directory.sync().ok());
  };
  EXPECT_EQ(outcomes(Survival::any, renamed_and_synced, 2), std::set<std::string>{"new"});
  const auto renamed_without_syncing_the_file = [](World&, Directory& directory) {
    create_durable(directory, "a", "old");
    const auto file = std::move(directory.open("tmp", OpenMode::create)).value();
    ASSERT_TRUE(file->write_at(0, "new").ok());
    ASSERT_TRUE(directory.rename("tmp", "a").ok());
    ASSERT_TRUE(directory.sync().ok());
  };
  EXPECT_EQ(outcomes(Survival::none, renamed_without_syncing_the_file), std::set<std::string>{""})
      << "the classic empty file";
}

TEST_F(CrashTest, ACloneIsAnotherMachineWithTheSameDisk) {
  world_.set_write_back(0);
  const auto file = create_durable(*directory_, "a", std::string(512, '.'));
  const auto mapping = std::move(file->map(512)).value();
  std::memset(mapping->data(), 'x', 512);
  ASSERT_TRUE(directory_->rename("a", "b").ok());
  const auto lost = world_.clone(1);
  const auto kept = world_.clone(2);
  std::memset(mapping->data(), 'y', 512);
  EXPECT_EQ(lost->boot_id(), world_.boot_id());
  lost->power_cut(Survival::none);
  kept->power_cut(Survival::all);
  EXPECT_EQ(lost->files(), std::vector<std::string>{"db/a"});
  EXPECT_EQ(*lost->read_file("db/a"), std::string(512, '.'));
  EXPECT_EQ(*kept->read_file("db/b"), std::string(512, 'x'));
  EXPECT_EQ(*world_.read_file("db/b"), std::string(512, 'y'));
}

TEST_F(CrashTest, TestsCanReplaceAndRemoveFiles) {
  create_durable(*directory_, "a", "old");
  const uint64_t changes = world_.disk_changes();
  world_.replace_file("db/a", "damaged");
  world_.replace_file("db/b", "new");
  world_.remove_file("db/a");
  world_.replace_file("db/c", "c");
  world_.replace_file("db/c", "");
  EXPECT_EQ(world_.disk_changes(), changes);
  world_.power_cut(Survival::none);
  EXPECT_EQ(world_.files(), (std::vector<std::string>{"db/b", "db/c"}));
  EXPECT_EQ(*world_.read_file("db/b"), "new");
  EXPECT_EQ(*world_.read_file("db/c"), "");
  EXPECT_EQ(world_.read_file("db/a"), std::nullopt);
  EXPECT_EQ(world_.read_file("elsewhere/a"), std::nullopt);
}

}  // namespace
}  // namespace ashlar::io::sim
