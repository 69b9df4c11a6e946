// Cases about crashes, torn tails, damage and full disks.
#include <map>

#include "base/prng.h"
#include "cases/case_fixture.h"

namespace ashlar::cases {
namespace {

class CrashCases : public CaseTest {
 protected:
  // The segment file that the newest frames are in, by its content.
  std::string newest_segment(const std::string& needle) {
    for (const std::string& path : world_->files()) {
      if (path.ends_with(".seg") && world_->read_file(path)->find(needle) != std::string::npos) return path;
    }
    ADD_FAILURE() << "no segment holds " << needle;
    return "";
  }
};

// cqlite 1390, amelie 17: over and over, each time with other survivors.
TEST_F(CrashCases, K14ATornTailIsCutBeforeTheFirstAppend) {
  options_.preset = store::Preset::paranoid;
  options_.sync_interval_ms = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    new_world(seed);
    Prng prng(seed);
    std::map<std::string, std::string> acknowledged;
    for (uint64_t life = 0; life < 5; ++life) {
      open();
      for (const auto& [key, value] : acknowledged)
        ASSERT_EQ(get(key), value) << "seed " << seed << " life " << life;
      const uint64_t writes = prng.between(1, 6);
      for (uint64_t i = 0; i < writes; ++i) {
        const std::string key = numbered("k" + std::to_string(life), i);
        put(key, std::string(prng.below(9000), 'v'));
        acknowledged[key] = *get(key);
      }
      // The last write dies somewhere inside.
      world_->crash_at(prng.between(1, 3), io::sim::Crash::power_cut);
      (void)store_->put(kDefault, "torn", std::string(prng.below(20000), 't'));
      end_after_crash();
    }
  }
}

// leveldb 160: the machine lost power, so a torn tail is legal at every byte.
TEST_F(CrashCases, K15TheLogCutAtEveryByteOfItsLastRecordGivesTheWholeRecordsBefore) {
  open();
  put("first", "1");
  put("second", "2");
  ASSERT_TRUE(store_->sync().ok());
  put("third", "the last record");
  kill();
  const std::string segment = newest_segment("the last record");
  world_->power_cut(io::sim::Survival::all);
  const auto before = std::move(world_);
  const std::string bytes = *before->read_file(segment);
  const size_t begin = bytes.find("third") - 36;  // frame header 32, sizes of the entry 4
  const size_t end = bytes.find("the last record") + 15;
  for (size_t cut = begin; cut < end; ++cut) {
    world_ = before->clone(cut);
    std::string torn = bytes;
    std::fill(torn.begin() + static_cast<ptrdiff_t>(cut), torn.end(), '\0');
    if (torn.find("second") == std::string::npos) continue;
    world_->replace_file(segment, torn);
    open();
    EXPECT_EQ(rows(), (Rows{{"first", "1"}, {"second", "2"}})) << "cut at " << cut;
    kill();
  }
}

// leveldb 251, badger 434.
TEST_F(CrashCases, K16DamageInTheMiddleOfTheLogIsReportedNotCut) {
  open();
  put("first", "1");
  put("second", "to be damaged");
  for (uint64_t i = 0; i < 20; ++i) put(numbered("later", i), "valid");
  kill();
  const std::string segment = newest_segment("to be damaged");
  std::string bytes = *world_->read_file(segment);
  const size_t at = bytes.find("to be damaged") + 3;
  bytes[at] ^= 1;
  world_->replace_file(segment, bytes);
  const auto opened = store::Store::open(*world_, "db", options_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), Code::corruption);
  EXPECT_NE(opened.status().message().find(segment.substr(segment.find('/') + 1) + " at "), Bytes::npos)
      << opened.status().to_string();
  // Nothing was cut: with the byte mended, everything is there.
  bytes[at] ^= 1;
  world_->replace_file(segment, bytes);
  open();
  EXPECT_EQ(count(), 22u);
}

// fjall 304, 308.
TEST_F(CrashCases, K18AFailedBatchIsNeverThereTheNextOneIs) {
  for (const auto preset : {store::Preset::durable, store::Preset::paranoid}) {
    for (uint64_t n = 1; n < 12; ++n) {
      new_world(n);
      options_.preset = preset;
      open();
      put("before", "1");
      kv::Batch failing;
      for (uint64_t i = 0; i < 40; ++i)
        ASSERT_TRUE(failing.put(kDefault, numbered("bad", i), std::string(3000, 'x')).ok());
      io::sim::Fault full{.calls = io::sim::CallSet::all()};
      full.nth = n;
      full.times = io::sim::Fault::kForEver;
      full.effect = io::sim::Effect::no_space;
      world_->inject(full);
      const Status failed = store_->write(failing);
      world_->end_faults();
      kv::Batch good;
      ASSERT_TRUE(good.put(kDefault, "good1", "1").ok());
      ASSERT_TRUE(good.put(kDefault, "good2", "2").ok());
      Status written;
      for (int attempt = 0; attempt < 30; ++attempt) {
        written = store_->write(good, store::WriteMode::sync);
        if (written.ok()) break;
        world_->advance(100'000'000);
      }
      ASSERT_TRUE(written.ok()) << written.to_string();
      power_cut();
      open();
      EXPECT_EQ(get("good1"), "1");
      EXPECT_EQ(get("good2"), "2");
      EXPECT_EQ(get("before"), "1");
      const bool there = get(numbered("bad", 0)).has_value();
      if (failed.ok()) {
        EXPECT_TRUE(there);
      } else if (failed.code() != Code::indeterminate) {
        EXPECT_FALSE(there) << failed.to_string();
      }
      for (uint64_t i = 0; i < 40; ++i) EXPECT_EQ(get(numbered("bad", i)).has_value(), there);
      close();
    }
  }
}

// leveldb 333, 779: a power cut at every I/O of creating a database, of its first table, and of the switch to it.
TEST_F(CrashCases, K19APowerCutAroundEverySwitchGivesTheOldStateOrTheNew) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    bool stopped = true;
    for (uint64_t n = 1; stopped; ++n) {
      new_world(seed);
      options_.preset = store::Preset::paranoid;
      bool acknowledged = false;
      world_->crash_at(n, io::sim::Crash::power_cut);
      {
        auto store = store::Store::open(*world_, "db", options_);
        if (store.ok()) {
          acknowledged = (*store)->put(kDefault, "key", "value").ok() && !world_->crashed();
          (void)(*store)->flush();
          (void)(*store)->compact();
        }
        stopped = world_->crashed();
      }
      end_after_crash();
      open();
      if (HasFailure()) FAIL() << "seed " << seed << ", I/O " << n;
      const auto found = get("key");
      if (acknowledged) {
        EXPECT_EQ(found, "value") << "seed " << seed << ", I/O " << n;
      } else if (found) {
        EXPECT_EQ(found, "value");
      }
      EXPECT_TRUE(store_->verify().ok());
      put("next", "life");
      close();
    }
  }
}

// rocksdb 11643, 9762: full at every amount of free space, so that it strikes in the flush, in the rotation and in the
// manifest in turn.
TEST_F(CrashCases, K20AFullDiskStopsWritesNotReadsAndHealsInProcess) {
  for (const auto preset : {store::Preset::durable, store::Preset::paranoid}) {
    uint64_t refused = 0;
    for (uint64_t spare_kib = 0; spare_kib <= 640; spare_kib += 20) {
      new_world(spare_kib);
      options_.preset = preset;
      open();
      std::map<std::string, std::string> acknowledged;
      for (uint64_t i = 0; i < 50; ++i) {
        put(numbered("early", i), "value");
        acknowledged[numbered("early", i)] = "value";
      }
      flush();
      world_->set_capacity(world_->used_bytes() + (spare_kib << 10));
      bool failed = false;
      for (uint64_t i = 0; i < 600; ++i) {
        const std::string key = numbered("key", i);
        const std::string value(1000, static_cast<char>('a' + i % 26));
        const Status status = store_->put(kDefault, key, value);
        if (status.ok()) {
          acknowledged[key] = value;
        } else {
          failed = true;
          ASSERT_TRUE(status.code() == Code::no_space || status.code() == Code::indeterminate)
              << status.to_string();
          if (status.code() == Code::indeterminate) acknowledged.erase(key);
        }
        if (i % 50 == 0) {
          ASSERT_EQ(get(numbered("early", i % 50)), "value");
        }
      }
      refused += failed ? 1 : 0;
      for (const auto& [key, value] : acknowledged) ASSERT_EQ(get(key), value) << key;
      world_->set_capacity(UINT64_MAX);
      Status status;
      for (int attempt = 0; attempt < 30; ++attempt) {
        status = store_->put(kDefault, "resumed", "yes");
        if (status.ok()) break;
        world_->advance(200'000'000);
      }
      ASSERT_TRUE(status.ok()) << "with " << spare_kib << " KiB: " << status.to_string();
      flush();
      settle();
      EXPECT_EQ(store_->background_error(), "");
      for (const auto& [key, value] : acknowledged) ASSERT_EQ(get(key), value) << key;
      kill();
      open();
      for (const auto& [key, value] : acknowledged) ASSERT_EQ(get(key), value) << key;
      EXPECT_EQ(get("resumed"), "yes");
      close();
    }
    EXPECT_GT(refused, 10u);
  }
}

// fjall 257, scaled: three kills under load; the load goes on at once after each.
TEST_F(CrashCases, K21HeavyWritingGoesOnRightAfterAKill) {
  uint64_t written = 0;
  for (int life = 0; life < 4; ++life) {
    open();
    EXPECT_EQ(count(), written);
    for (uint64_t i = 0; i < 3000; ++i) put(numbered("k", written++), std::string(500, 'h'));
    if (life < 3) kill();
  }
  settle();
  EXPECT_EQ(count(), written);
}

// redb 1290: a crash at every I/O of recovering from a crash at every I/O of a sync.
TEST_F(CrashCases, K28ACrashWhileSyncingAndAnotherWhileRecovering) {
  for (uint64_t first = 1; first <= 6; ++first) {
    bool stopped = true;
    for (uint64_t second = 1; stopped; ++second) {
      new_world(first * 1000 + second);
      open();
      for (uint64_t i = 0; i < 200; ++i) put(numbered("sure", i), std::string(700, 's'));
      ASSERT_TRUE(store_->sync().ok());
      for (uint64_t i = 0; i < 20; ++i) put(numbered("maybe", i), std::string(700, 'm'));
      world_->crash_at(first, io::sim::Crash::power_cut);
      (void)store_->sync();
      end_after_crash();
      world_->crash_at(second, io::sim::Crash::power_cut);
      {
        const auto opened = store::Store::open(*world_, "db", options_);
        stopped = world_->crashed();
      }
      end_after_crash();
      open();
      if (HasFailure()) FAIL() << "crashes at " << first << " and " << second;
      for (uint64_t i = 0; i < 200; ++i)
        ASSERT_TRUE(get(numbered("sure", i)).has_value()) << first << ", " << second;
      bool gap = false;
      for (uint64_t i = 0; i < 20; ++i) {
        const bool there = get(numbered("maybe", i)).has_value();
        EXPECT_FALSE(gap && there) << "not a prefix";
        gap = gap || !there;
      }
      close();
    }
  }
}

}  // namespace
}  // namespace ashlar::cases
