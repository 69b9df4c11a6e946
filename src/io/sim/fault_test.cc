#include "io/sim/fault.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "io/sim/world.h"

namespace ashlar::io::sim {
namespace {

class FaultTest : public testing::Test {
 protected:
  std::unique_ptr<File> create(const std::string& name, Bytes bytes) {
    auto file = std::move(directory_->open(name, OpenMode::create)).value();
    EXPECT_TRUE(file->write_at(0, bytes).ok());
    EXPECT_TRUE(file->sync().ok());
    EXPECT_TRUE(directory_->sync().ok());
    return file;
  }
  static std::string contents(const File& file) {
    std::string bytes(1 << 16, '?');
    bytes.resize(file.read_at(0, bytes.data(), bytes.size()).value());
    return bytes;
  }
  static int bits_apart(const std::string& a, const std::string& b) {
    int bits = 0;
    for (size_t i = 0; i < a.size(); ++i) bits += __builtin_popcount(static_cast<uint8_t>(a[i] ^ b[i]));
    return bits;
  }

  World world_{7};
  std::unique_ptr<Directory> directory_ =
      std::move(world_.open_directory("db", CreateMode::create_if_missing)).value();
};

TEST(FaultPlan, CountsOnlyCallsThatFit) {
  FaultPlan plan;
  const size_t number =
      plan.add({.calls = {Call::write, Call::sync}, .pattern = "0*.s?g", .nth = 3, .times = 2});
  EXPECT_EQ(plan.strike(Call::write, "01.seg", {}), nullptr);
  EXPECT_EQ(plan.strike(Call::read, "01.seg", {}), nullptr);
  EXPECT_EQ(plan.strike(Call::write, "1.seg", {}), nullptr);
  EXPECT_EQ(plan.strike(Call::write, "0.seg2", {}), nullptr);
  EXPECT_EQ(plan.strike(Call::sync, "0.sag", {}), nullptr);
  EXPECT_NE(plan.strike(Call::write, "0000.seg", {}), nullptr);
  EXPECT_EQ(plan.hits(number), 1u);
  EXPECT_NE(plan.strike(Call::sync, "0.s.sog", {}), nullptr);
  EXPECT_EQ(plan.strike(Call::write, "0.seg", {}), nullptr);
  EXPECT_EQ(plan.hits(number), 2u);
}

TEST(FaultPlan, ForEverLastsUntilItIsEndedAndRenamesMatchByEitherName) {
  FaultPlan plan;
  const size_t number = plan.add({.calls = CallSet::all(), .pattern = "M*", .times = Fault::kForEver});
  for (int i = 0; i < 5; ++i) EXPECT_NE(plan.strike(Call::rename, "tmp", "MANIFEST"), nullptr);
  EXPECT_EQ(plan.strike(Call::rename, "tmp", "OTHER"), nullptr);
  plan.end_all();
  EXPECT_EQ(plan.strike(Call::rename, "tmp", "MANIFEST"), nullptr);
  EXPECT_EQ(plan.hits(number), 5u);
}

TEST(FaultPlan, AnEffectStrikesOnlyCallsThatCanHaveIt) {
  FaultPlan plan;
  static_cast<void>(plan.add({.calls = CallSet::all(), .effect = Effect::misdirect}));
  for (size_t call = 0; call < kCallCount; ++call) {
    if (static_cast<Call>(call) == Call::write) continue;
    EXPECT_EQ(plan.strike(static_cast<Call>(call), "a", {}), nullptr) << call_name(static_cast<Call>(call));
  }
  EXPECT_NE(plan.strike(Call::write, "a", {}), nullptr);
}

TEST_F(FaultTest, EveryKindOfCallCanFailWithIoOrNoSpace) {
  const auto file = create("a", std::string(4096, 'x'));
  const auto mapping = std::move(file->map(4096)).value();
  char buffer[8];
  const std::vector<std::pair<Call, std::function<Status()>>> calls = {
      {Call::open, [&] { return directory_->open("a", OpenMode::read_only).status(); }},
      {Call::create, [&] { return directory_->open("new", OpenMode::create).status(); }},
      {Call::list, [&] { return directory_->list().status(); }},
      {Call::size, [&] { return file->size_bytes().status(); }},
      {Call::read, [&] { return file->read_at(0, buffer, 8).status(); }},
      {Call::write, [&] { return file->write_at(0, "y"); }},
      {Call::sync, [&] { return file->sync(); }},
      {Call::sync, [&] { return mapping->sync(0, 10); }},
      {Call::resize, [&] { return file->resize(4096); }},
      {Call::fill, [&] { return create("filled", "x")->fill_zeros(512); }},
      {Call::map, [&] { return file->map(10).status(); }},
      {Call::rename, [&] { return directory_->rename("a", "b"); }},
      {Call::remove, [&] { return directory_->remove("a"); }},
      {Call::sync_directory, [&] { return directory_->sync(); }},
      {Call::lock, [&] { return directory_->lock("LOCK").status(); }},
      {Call::free_bytes, [&] { return directory_->free_bytes().status(); }},
  };
  std::set<Call> tried;
  for (const auto& [call, run] : calls) {
    tried.insert(call);
    for (const Effect effect : {Effect::io_error, Effect::no_space}) {
      const size_t number = world_.inject({.calls = call, .effect = effect});
      EXPECT_EQ(run().code(), effect == Effect::io_error ? Code::io : Code::no_space) << call_name(call);
      EXPECT_EQ(world_.fault_hits(number), 1u) << call_name(call);
      if (call == Call::fill) {
        ASSERT_TRUE(directory_->remove("filled").ok());
      }
    }
  }
  EXPECT_EQ(tried.size(), kCallCount);
  EXPECT_EQ(world_.files(), std::vector<std::string>{"db/a"}) << "failed calls on names change nothing";
}

TEST_F(FaultTest, AFailedWriteLeavesAPrefix) {
  std::set<size_t> lengths;
  for (int round = 0; round < 50; ++round) {
    const auto file = create("a" + std::to_string(round), std::string(100, '.'));
    static_cast<void>(world_.inject({.calls = Call::write}));
    EXPECT_EQ(file->write_at(0, std::string(100, 'x')).code(), Code::io);
    const std::string bytes = contents(*file);
    const size_t length = bytes.find_first_not_of('x');
    EXPECT_EQ(bytes.find('x', length), std::string::npos);
    lengths.insert(std::min<size_t>(length, 100));
  }
  EXPECT_GT(lengths.size(), 10u);
}

TEST_F(FaultTest, AShortReadReturnsFewerBytesThanThereAre) {
  const auto file = create("a", std::string(100, 'x'));
  static_cast<void>(world_.inject({.calls = Call::read, .effect = Effect::short_read}));
  EXPECT_LT(contents(*file).size(), 100u);
  EXPECT_EQ(contents(*file).size(), 100u);
}

TEST_F(FaultTest, AFlippedBitIsOneBitAndOnlyInWhatWasRead) {
  const std::string bytes(3000, 'x');
  const auto file = create("a", bytes);
  static_cast<void>(world_.inject({.calls = Call::read, .effect = Effect::flip_bit}));
  EXPECT_EQ(bits_apart(contents(*file), bytes), 1);
  EXPECT_EQ(contents(*file), bytes);
  static_cast<void>(world_.inject({.calls = Call::map, .effect = Effect::flip_bit}));
  const auto mapping = std::move(file->map(3000)).value();
  EXPECT_EQ(bits_apart(std::string(mapping->data(), 3000), bytes), 1);
}

TEST_F(FaultTest, ALostWriteIsAcknowledgedAndNeverHappens) {
  const auto file = create("a", "before");
  static_cast<void>(world_.inject({.calls = Call::write, .effect = Effect::lose}));
  EXPECT_TRUE(file->write_at(0, "after!").ok());
  EXPECT_EQ(contents(*file), "before");
  EXPECT_TRUE(file->write_at(0, "after!").ok());
  EXPECT_EQ(contents(*file), "after!");
}

TEST_F(FaultTest, AMisdirectedWriteLandsOnAnotherSector) {
  for (int round = 0; round < 50; ++round) {
    const auto file = create("a" + std::to_string(round), std::string(2048, '.'));
    const auto mapping = round % 2 == 0 ? std::move(file->map(2048)).value() : nullptr;
    static_cast<void>(world_.inject({.calls = Call::write, .effect = Effect::misdirect}));
    ASSERT_TRUE(file->write_at(700, "hello").ok());
    const std::string bytes = contents(*file);
    EXPECT_EQ(bytes.substr(700, 5), ".....");
    const size_t landed = bytes.find("hello");
    ASSERT_NE(landed, std::string::npos);
    EXPECT_EQ(landed % 512, 700u % 512);
  }
}

// What Linux does: the pages of a failed write-back count as clean, so the next sync reports success and writes nothing.
TEST_F(FaultTest, AfterAFailedSyncAnotherSyncDoesNotBringTheDataBack) {
  world_.set_write_back(0);
  int lost = 0;
  int kept = 0;
  for (int round = 0; round < 100; ++round) {
    const bool mapped = round % 2 == 0;
    const std::string name = "a" + std::to_string(round);
    auto file = create(name, std::string(512, '.'));
    auto mapping = mapped ? std::move(file->map(512)).value() : nullptr;
    if (mapped) {
      std::memset(mapping->data(), 'x', 512);
    } else {
      ASSERT_TRUE(file->write_at(0, std::string(512, 'x')).ok());
    }
    static_cast<void>(world_.inject({.calls = Call::sync}));
    EXPECT_EQ((mapped ? mapping->sync(0, 512) : file->sync()).code(), Code::io);
    EXPECT_EQ(contents(*file), std::string(512, 'x')) << "the page cache still has it";
    EXPECT_TRUE(file->sync().ok());
    const auto copy = world_.clone(static_cast<uint64_t>(round));
    copy->power_cut(Survival::all);
    const std::string bytes = *copy->read_file("db/" + name);
    ASSERT_TRUE(bytes == std::string(512, 'x') || bytes == std::string(512, '.'));
    ++(bytes[0] == '.' ? lost : kept);
  }
  EXPECT_GT(lost, 20);
  EXPECT_GT(kept, 20);
}

TEST_F(FaultTest, ASectorWrittenAnewAfterAFailedSyncIsWrittenByTheNext) {
  for (int round = 0; round < 40; ++round) {
    const bool mapped = round % 2 == 0;
    const std::string name = "a" + std::to_string(round);
    auto file = create(name, std::string(1024, '.'));
    auto mapping = mapped ? std::move(file->map(1024)).value() : nullptr;
    const auto store = [&](char c) {
      if (mapped) {
        std::memset(mapping->data(), c, 1024);
      } else {
        EXPECT_TRUE(file->write_at(0, std::string(1024, c)).ok());
      }
    };
    store('x');
    static_cast<void>(world_.inject({.calls = Call::sync}));
    EXPECT_EQ(file->sync().code(), Code::io);
    store('y');
    EXPECT_TRUE(file->sync().ok());
    const auto copy = world_.clone(1);
    copy->power_cut(Survival::none);
    EXPECT_EQ(*copy->read_file("db/" + name), std::string(1024, 'y'));
  }
}

TEST_F(FaultTest, ALyingSyncReportsSuccessAndKeepsNothing) {
  world_.set_write_back(0);
  auto file = create("a", std::string(512, '.'));
  ASSERT_TRUE(file->write_at(0, std::string(512, 'x')).ok());
  static_cast<void>(world_.inject({.calls = Call::sync, .effect = Effect::lose}));
  EXPECT_TRUE(file->sync().ok());
  const auto copy = world_.clone(1);
  copy->power_cut(Survival::none);
  EXPECT_EQ(*copy->read_file("db/a"), std::string(512, '.'));
  EXPECT_TRUE(file->sync().ok());
  world_.power_cut(Survival::none);
  EXPECT_EQ(*world_.read_file("db/a"), std::string(512, 'x'));
}

TEST_F(FaultTest, AFullDiskRefusesGrowthAndNothingElseUntilThereIsRoom) {
  const auto file = create("a", std::string(4000, 'x'));
  world_.set_capacity(5000);
  EXPECT_EQ(directory_->free_bytes().value(), 1000u);
  EXPECT_EQ(file->write_at(4000, std::string(1001, 'y')).code(), Code::no_space);
  EXPECT_LE(file->size_bytes().value(), 5000u);
  ASSERT_TRUE(file->resize(4000).ok());
  EXPECT_TRUE(file->write_at(0, std::string(4000, 'z')).ok()) << "overwriting needs no room";
  EXPECT_EQ(file->resize(5001).code(), Code::no_space);
  auto second = std::move(directory_->open("b", OpenMode::create)).value();
  EXPECT_EQ(second->fill_zeros(1001).code(), Code::no_space);
  EXPECT_TRUE(second->fill_zeros(1000).ok());
  EXPECT_EQ(file->write_at(4000, "!").code(), Code::no_space);
  ASSERT_TRUE(directory_->remove("b").ok());
  EXPECT_EQ(file->write_at(4000, "!").code(), Code::no_space) << "an open file keeps its space";
  second.reset();
  EXPECT_TRUE(file->write_at(4000, "!").ok());
  world_.set_capacity(UINT64_MAX);
  EXPECT_TRUE(file->resize(100000).ok());
}

}  // namespace
}  // namespace ashlar::io::sim
