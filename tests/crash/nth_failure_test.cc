// For every call of the store: let its first I/O fail, then its second, and so on until no failure is met any more; once
// and for ever; as EIO, as ENOSPC, as a full disk, as failed syncs, as failed reads. Background work that the call sets off
// belongs to it. After each failure:
//
//   - the error has a proper code, and nothing crashed
//   - what was acknowledged is still there, in this process and in the next
//   - with the fault gone, writes resume in this process
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "crash/calls.h"
#include "io/sim/world.h"

namespace ashlar::crash {
namespace {

constexpr char kPath[] = "db";

// Which calls fail, and how.
enum class Trouble { io_error, no_space, full_disk, failed_sync, failed_read };

store::Options small_options(store::Preset preset) {
  store::Options options;
  options.preset = preset;
  options.delta_bytes = store::kMinDeltaBytes;
  options.first_segment_bytes = 16 << 10;
  options.block_cache_bytes = 0;
  options.run_target_bytes = 16 << 10;
  options.level_base_bytes = 32 << 10;
  options.run_block_bytes = 1024;
  options.level0_trigger = 2;
  return options;
}

struct Case {
  store::Preset preset;
  Trouble trouble;
};

const char* name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::io_error:
      return "io_error";
    case Trouble::no_space:
      return "no_space";
    case Trouble::full_disk:
      return "full_disk";
    case Trouble::failed_sync:
      return "failed_sync";
    case Trouble::failed_read:
      return "failed_read";
  }
  return "other";
}

io::sim::Fault make_fault(Trouble trouble, uint64_t n, bool for_ever) {
  using io::sim::Call;
  using io::sim::CallSet;
  using io::sim::Effect;
  io::sim::Fault fault{.calls = CallSet::all()};
  fault.nth = n;
  fault.times = for_ever ? io::sim::Fault::kForEver : 1;
  switch (trouble) {
    case Trouble::io_error:
      break;
    case Trouble::no_space:
      fault.effect = Effect::no_space;
      break;
    case Trouble::full_disk:
      fault.calls = {Call::create, Call::write, Call::fill, Call::resize};
      fault.effect = Effect::no_space;
      break;
    case Trouble::failed_sync:
      fault.calls = {Call::sync, Call::sync_directory};
      break;
    case Trouble::failed_read:
      fault.calls = {Call::read, Call::open, Call::map, Call::size};
      break;
  }
  return fault;
}

class NthFailureTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    options_ = small_options(GetParam().preset);
    auto store = open(*base_);
    ASSERT_NE(store, nullptr);
    ASSERT_TRUE(store->create_keyspace("second").ok());
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 12; ++i) {
        ASSERT_TRUE(put(*store, base_ledger_, "key" + std::to_string(i + round), 300).ok());
      }
      ASSERT_TRUE(store->flush().ok());
    }
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(put(*store, base_ledger_, "late" + std::to_string(i), 50).ok());
    // Closed, so that every preset finds everything.
    ASSERT_TRUE(store->close().ok());
  }

  std::unique_ptr<store::Store> open(io::sim::World& world) {
    auto store = store::Store::open(world, kPath, options_);
    EXPECT_TRUE(store.ok()) << store.status().to_string();
    if (!store.ok()) return nullptr;
    return std::move(store).value();
  }

  static void expect_proper(const Status& status) {
    if (status.ok()) return;
    EXPECT_TRUE(status.code() == Code::io || status.code() == Code::no_space ||
                status.code() == Code::indeterminate)
        << status.to_string();
    EXPECT_FALSE(status.message().empty());
  }

  static void expect_contents(store::Store& store, const Ledger& ledger) {
    for (const auto& [key, value] : ledger.sure) {
      lsm::PinnedValue pinned;
      bool found = false;
      const Status status = store.get(nullptr, kDefault, key, &pinned, &found);
      ASSERT_TRUE(status.ok()) << status.to_string();
      const auto perhaps = ledger.perhaps.find(key);
      if (perhaps != ledger.perhaps.end()) {
        EXPECT_TRUE(!found || pinned.bytes() == value || pinned.bytes() == perhaps->second) << key;
      } else {
        EXPECT_TRUE(found && pinned.bytes() == value) << key << (found ? " has another value" : " is lost");
      }
    }
    auto iterator = store.iterate(nullptr, kDefault, store::ScanOptions());
    ASSERT_TRUE(iterator.ok()) << iterator.status().to_string();
    for (bool on = (*iterator)->first(); on; on = (*iterator)->next()) {
      const std::string key((*iterator)->key());
      EXPECT_TRUE(ledger.sure.count(key) == 1 || ledger.perhaps.count(key) == 1)
          << key << " was refused, and is there";
    }
    EXPECT_TRUE((*iterator)->status().ok()) << (*iterator)->status().to_string();
  }

  // With the fault gone: writes go on, in this process.
  static void expect_recovery(io::sim::World& world, store::Store& store, Ledger& ledger) {
    Status status;
    for (int attempt = 0; attempt < 30; ++attempt) {
      status = put(store, ledger, "after", 200);
      if (status.ok()) break;
      world.advance(200'000'000);
    }
    ASSERT_TRUE(status.ok()) << "writes do not resume: " << status.to_string();
  }

  // Returns whether the fault was met.
  bool fail_in_call(const Call& call, uint64_t n, bool for_ever) {
    const auto machine = base_->clone(n);
    io::sim::World& world = *machine;
    Ledger ledger = base_ledger_;
    auto store = open(world);
    if (store == nullptr) return false;
    const size_t fault = world.inject(make_fault(GetParam().trouble, n, for_ever));
    expect_proper(call.run(*store, ledger));
    world.advance(50'000'000);
    const bool met = world.fault_hits(fault) > 0;
    expect_contents_or_error(*store, ledger);
    world.end_faults();
    expect_recovery(world, *store, ledger);
    expect_contents(*store, ledger);
    if (testing::Test::HasFailure()) return met;
    // Half of the images end by kill -9, half by a close.
    if (n % 2 == 0 && GetParam().preset != store::Preset::fast) {
      world.kill_process();
      store.reset();
    } else {
      const Status closed = store->close();
      EXPECT_TRUE(closed.ok()) << closed.to_string();
      store.reset();
    }
    store = open(world);
    if (store == nullptr) return met;
    expect_contents(*store, ledger);
    const Status verified = store->verify();
    EXPECT_TRUE(verified.ok()) << verified.to_string();
    return met;
  }

  // While the fault lasts: right answers or proper errors.
  static void expect_contents_or_error(store::Store& store, const Ledger& ledger) {
    for (const auto& [key, value] : ledger.sure) {
      lsm::PinnedValue pinned;
      bool found = false;
      const Status status = store.get(nullptr, kDefault, key, &pinned, &found);
      expect_proper(status);
      if (status.ok() && ledger.perhaps.count(key) == 0) {
        EXPECT_TRUE(found && pinned.bytes() == value) << key;
      }
    }
  }

  store::Options options_;
  std::unique_ptr<io::sim::World> base_ = std::make_unique<io::sim::World>(77);
  Ledger base_ledger_;
};

TEST_P(NthFailureTest, EveryCallSurvivesTheFailureOfItsNthIo) {
  uint64_t images = 0;
  for (const Call& call : all_calls()) {
    for (const bool for_ever : {false, true}) {
      for (uint64_t n = 1; n < 10000; ++n) {
        SCOPED_TRACE(std::string(call.name) + ", I/O " + std::to_string(n) +
                     (for_ever ? " and all after" : " only"));
        ++images;
        const bool met = fail_in_call(call, n, for_ever);
        if (testing::Test::HasFailure()) return;
        if (!met) break;
      }
    }
  }
  std::printf("n-th failure, %s: %llu images\n", name_of(GetParam().trouble),
              static_cast<unsigned long long>(images));
  EXPECT_GT(images, all_calls().size() * 2);
}

TEST_P(NthFailureTest, OpenFailsProperlyAndWorksAfterwards) {
  for (const bool after_kill : {false, true}) {
    const auto ready_machine = base_->clone(1);
    io::sim::World& ready = *ready_machine;
    Ledger ledger = base_ledger_;
    if (after_kill) {
      auto store = open(ready);
      ASSERT_NE(store, nullptr);
      if (GetParam().preset != store::Preset::fast) {
        for (int i = 0; i < 60; ++i) ASSERT_TRUE(put(*store, ledger, "more" + std::to_string(i), 1000).ok());
      }
      ready.kill_process();
      store.reset();
    }
    for (const bool for_ever : {false, true}) {
      for (uint64_t n = 1; n < 10000; ++n) {
        SCOPED_TRACE(std::string(after_kill ? "after a kill" : "after a close") + ", I/O " +
                     std::to_string(n) + (for_ever ? " and all after" : " only"));
        const auto machine = ready.clone(n);
        io::sim::World& world = *machine;
        const size_t fault = world.inject(make_fault(GetParam().trouble, n, for_ever));
        auto opened = store::Store::open(world, kPath, options_);
        if (!opened.ok()) expect_proper(opened.status());
        const bool met = world.fault_hits(fault) > 0;
        world.end_faults();
        if (opened.ok()) {
          expect_recovery(world, **opened, ledger);
          expect_contents(**opened, ledger);
          EXPECT_TRUE((*opened)->close().ok());
          opened->reset();
        }
        auto store = open(world);
        ASSERT_NE(store, nullptr);
        expect_contents(*store, ledger);
        if (HasFailure()) return;
        ledger.sure.erase("after");
        ledger.perhaps.erase("after");
        if (!met) break;
      }
    }
  }
}

TEST_P(NthFailureTest, CloseFailsProperlyAndLosesNothingPromised) {
  for (const bool for_ever : {false, true}) {
    for (uint64_t n = 1; n < 10000; ++n) {
      SCOPED_TRACE("I/O " + std::to_string(n) + (for_ever ? " and all after" : " only"));
      const auto machine = base_->clone(n);
      io::sim::World& world = *machine;
      Ledger ledger = base_ledger_;
      auto store = open(world);
      ASSERT_NE(store, nullptr);
      ASSERT_TRUE(put(*store, ledger, "unflushed", 100).ok());
      const size_t fault = world.inject(make_fault(GetParam().trouble, n, for_ever));
      const Status closed = store->close();
      expect_proper(closed);
      store.reset();
      const bool met = world.fault_hits(fault) > 0;
      world.end_faults();
      // What the preset promises without a close, or what close() said it did.
      if (!closed.ok() && GetParam().preset == store::Preset::fast)
        ledger.perhaps["unflushed"] = ledger.sure["unflushed"];
      store = open(world);
      ASSERT_NE(store, nullptr);
      expect_contents(*store, ledger);
      if (HasFailure()) return;
      if (!met) break;
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto preset : {store::Preset::fast, store::Preset::durable, store::Preset::paranoid}) {
    for (const auto trouble : {Trouble::io_error, Trouble::no_space, Trouble::full_disk, Trouble::failed_sync,
                               Trouble::failed_read}) {
      cases.push_back({preset, trouble});
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& instance) {
  constexpr const char* kPresets[] = {"fast", "durable", "paranoid"};
  return std::string(kPresets[static_cast<size_t>(instance.param.preset)]) + "_" +
         name_of(instance.param.trouble);
}

INSTANTIATE_TEST_SUITE_P(All, NthFailureTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace ashlar::crash
