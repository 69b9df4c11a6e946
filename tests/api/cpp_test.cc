// The C++ interface where all goes well.
#include <array>
#include <ashlar/ashlar.hpp>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "scratch.h"

namespace ashlar_test {
namespace {

namespace ash = ashlar;

// 3,000 pairs that exist only while they are looked at.
class MadePairs {
 public:
  class Iterator {
   public:
    using value_type = std::pair<std::string, std::string>;
    using difference_type = std::ptrdiff_t;
    value_type operator*() const { return {std::to_string(number_), std::string(1000, 'x')}; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    void operator++(int) { ++number_; }
    bool operator==(std::default_sentinel_t) const { return number_ == 3000; }

   private:
    int number_ = 0;
  };
  Iterator begin() const { return {}; }
  std::default_sentinel_t end() const { return {}; }
};

void use(std::string_view) {}
void use(std::string_view, std::string_view) {}

// The code that the project's own description shows; kept as it stands there.
TEST(CppExample, TheFirstExampleWorksAsShown) {
  const Scratch scratch;
  const std::filesystem::path before_path = std::filesystem::current_path();
  std::filesystem::create_directory(scratch.at("cwd"));
  std::filesystem::current_path(scratch.at("cwd"));

  ash::Db db = ash::Db::open("inventory").value();  // durable(): survives kill -9
  db.put("apple/green", "12").check();
  if (auto v = db.get("apple/green").value()) use(*v);  // a view; pinned while v lives, no copy
  ash::WriteBatch batch;
  batch.put("apple/red", "7").remove("pear");
  db.write(batch, ash::sync).check();  // this one survives a power cut as well
  for (auto [key, value] : db.prefix("apple/")) use(key, value);
  ash::Snapshot before = db.snapshot();

  std::filesystem::current_path(before_path);
  EXPECT_EQ(*db.get("apple/green").value(), "12");
  EXPECT_EQ(*before.get("apple/red").value(), "7");
  EXPECT_TRUE(std::filesystem::exists(scratch.at("cwd/inventory")));
}

class Cpp : public ::testing::Test {
 protected:
  Scratch scratch_;
  ash::Db db_ = ash::Db::open(scratch_.at("db")).value();
};

TEST_F(Cpp, PutGetRemoveContains) {
  db_.put("k", "v").check();
  db_.insert("k2", "v2", ash::sync).check();
  EXPECT_EQ(db_.get("k").value()->str(), "v");
  EXPECT_TRUE(db_.contains("k2").value());
  db_.remove("k").check();
  EXPECT_FALSE(db_.get("k").value().has_value());
  EXPECT_FALSE(db_.contains("k").value());
  db_.remove("never there").check();
}

TEST_F(Cpp, EveryKindOfBytesIsAKeyAndAValue) {
  const std::string text("a\0b", 3);
  const std::vector<std::byte> blob = {std::byte{0}, std::byte{255}};
  const std::vector<unsigned char> octets = {1, 2, 3};
  const std::array<char, 2> chars = {'x', 'y'};
  const std::span<const std::byte> span = blob;
  db_.put(text, blob).check();
  db_.put(blob, text).check();
  db_.put(octets, chars).check();
  db_.put(std::string_view("view"), span).check();
  db_.put("literal", "").check();
  EXPECT_EQ(db_.get(blob).value()->view(), text);
  EXPECT_EQ(db_.get(octets).value()->view(), "xy");
  EXPECT_EQ(db_.get(std::string_view("\x01\x02\x03")).value()->view(), "xy");
  EXPECT_TRUE(db_.get("literal").value()->empty());
  const auto pinned = db_.get(text).value();
  const std::span<const std::byte> bytes = *pinned;
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_EQ(bytes[1], std::byte{255});
  // A value of the database is a key like any other.
  const auto name = db_.get(blob).value();
  EXPECT_TRUE(db_.contains(*name).value());
}

TEST_F(Cpp, AValueIsAViewThatMovesAndPrints) {
  db_.put("k", "value").check();
  ash::Value first = std::move(*db_.get("k").value());
  ash::Value second = std::move(first);
  EXPECT_EQ(second, "value");
  first = std::move(second);
  db_.put("k", "other").check();
  EXPECT_EQ(first, "value");
  std::ostringstream out;
  out << first;
  EXPECT_EQ(out.str(), "value");
  const std::string_view view = first;
  EXPECT_EQ(view.data(), first.data());
}

TEST_F(Cpp, AValueThatIsAboutToDieGivesNoView) {
  static_assert(std::is_convertible_v<const ash::Value&, std::string_view>);
  static_assert(!std::is_convertible_v<ash::Value&&, std::string_view>);
  static_assert(std::is_convertible_v<ash::Value&, std::span<const std::byte>>);
  static_assert(!std::is_copy_constructible_v<ash::Value> &&
                std::is_nothrow_move_constructible_v<ash::Value>);
  static_assert(!std::is_constructible_v<ash::Bytes, std::nullptr_t>);
  static_assert(!std::is_convertible_v<ash::Status, bool> &&
                !std::is_constructible_v<bool, ash::Result<int>>);
}

TEST_F(Cpp, BatchesAreWholeAndReusable) {
  ash::WriteBatch batch;
  EXPECT_TRUE(batch.empty());
  db_.write(batch).check();
  batch.put("a", "1").insert("b", "2").remove("a");
  EXPECT_EQ(batch.count(), 3u);
  db_.write(batch).check();
  db_.write(batch).check();
  EXPECT_FALSE(db_.contains("a").value());
  EXPECT_EQ(*db_.get("b").value(), "2");
  ash::WriteBatch moved = std::move(batch);
  EXPECT_EQ(moved.count(), 3u);
  EXPECT_TRUE(batch.empty());  // NOLINT: what is left of it is an empty batch
  batch.put("c", "3");
  db_.write(batch).check();
  EXPECT_EQ(*db_.get("c").value(), "3");
  moved.clear();
  EXPECT_TRUE(moved.empty());
}

TEST_F(Cpp, InsertManyTakesAnyRangeOfPairs) {
  const std::map<std::string, std::string> map = {{"m1", "1"}, {"m2", "2"}};
  db_.insert_many(map).check();
  const std::vector<std::pair<const char*, std::string_view>> vector = {{"v1", "1"}, {"v2", "2"}};
  size_t written = 0;
  db_.insert_many(vector, ash::sync, &written).check();
  EXPECT_EQ(written, 2u);
  // Made one at a time, larger together than a batch.
  const MadePairs made;
  db_.insert_many(made, ash::WriteFlags::none, &written).check();
  EXPECT_EQ(written, 3000u);
  EXPECT_EQ(*db_.get("2999").value(), std::string(1000, 'x'));
  EXPECT_EQ(*db_.get("m2").value(), "2");
  db_.insert_many(std::map<std::string, std::string>()).check();
}

TEST_F(Cpp, KeyspacesAreApartAndABatchSpansThem) {
  ash::Keyspace stock = db_.keyspace("stock").value();
  EXPECT_EQ(stock.name(), "stock");
  stock.put("k", "in stock").check();
  db_.put("k", "in default").check();
  ash::WriteBatch batch;
  batch.put(stock, "both", "1").put("both", "2").remove(stock, "k").insert(stock, "x", "y");
  db_.write(batch).check();
  EXPECT_FALSE(stock.contains("k").value());
  EXPECT_EQ(*stock.get("both").value(), "1");
  EXPECT_EQ(*db_.get("both").value(), "2");
  stock.insert_many(std::map<std::string, std::string>{{"n", "1"}}).check();
  std::string keys;
  for (auto [key, value] : stock.scan()) keys += std::string(key) + "=" + std::string(value) + " ";
  EXPECT_EQ(keys, "both=1 n=1 x=y ");

  EXPECT_EQ(db_.keyspace("stock").value().id(), stock.id());
  EXPECT_EQ(db_.find_keyspace("stock").value()->id(), stock.id());
  EXPECT_FALSE(db_.find_keyspace("nowhere").value().has_value());
  std::string names;
  for (const ash::Keyspace& keyspace : db_.keyspaces().value()) names += keyspace.name() + " ";
  EXPECT_EQ(names, "default stock ");
  db_.drop(stock).check();
  EXPECT_EQ(stock.put("k", "v").code(), ash::Code::invalid_argument);
  EXPECT_FALSE(db_.find_keyspace("stock").value().has_value());
}

TEST_F(Cpp, SnapshotsShowEveryKeyspaceAtTheirMoment) {
  ash::Keyspace stock = db_.keyspace("stock").value();
  stock.put("k", "old").check();
  db_.put("k", "old").check();
  const ash::Snapshot before = db_.snapshot();
  before.status().check();
  EXPECT_GT(before.sequence(), 0u);
  stock.put("k", "new").check();
  db_.remove("k").check();
  db_.put("z", "new").check();
  EXPECT_EQ(*before.get("k").value(), "old");
  EXPECT_FALSE(before.contains("z").value());
  EXPECT_EQ(*before.keyspace(stock).get("k").value(), "old");
  std::string keys;
  for (auto key : before.scan().keys()) keys += key;
  EXPECT_EQ(keys, "k");
  const ash::Snapshot copy = before;
  EXPECT_EQ(*copy.get("k").value(), "old");
}

TEST_F(Cpp, UpkeepAndStats) {
  for (int i = 0; i < 100; ++i) db_.put("k" + std::to_string(i), "v").check();
  db_.sync().check();
  db_.flush().check();
  db_.compact().check();
  db_.wait_idle().check();
  db_.verify().check();
  EXPECT_EQ(db_.background_error(), "");
  const ash::Stats stats = db_.stats().value();
  EXPECT_EQ(stats.last_sequence, 100u);
  EXPECT_EQ(stats.run_entries, 100u);
  const std::string json = stats.to_json();
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.back(), '}');
  EXPECT_NE(json.find("\"last_sequence\":100,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"level_files\":["), std::string::npos);
}

TEST(CppOptions, SettersSetTheirField) {
  using namespace std::chrono_literals;
  const ash::Options options = ash::paranoid()
                                   .compression(ash::Compression::zstd)
                                   .create_if_missing(false)
                                   .error_if_exists(true)
                                   .sync_interval(2s)
                                   .delta_bytes(1 << 20)
                                   .block_cache_bytes(0);
  EXPECT_EQ(options.c().preset, ASHLAR_PRESET_PARANOID);
  EXPECT_EQ(options.c().compression, ASHLAR_COMPRESSION_ZSTD);
  EXPECT_EQ(options.c().create_if_missing, 0);
  EXPECT_EQ(options.c().error_if_exists, 1);
  EXPECT_EQ(options.c().sync_interval_ms, 2000u);
  EXPECT_EQ(options.c().delta_bytes, uint64_t{1} << 20);
  EXPECT_EQ(options.c().block_cache_bytes, 0u);
  EXPECT_EQ(ash::fast().c().preset, ASHLAR_PRESET_FAST);
  EXPECT_EQ(ash::Options().c().preset, ASHLAR_PRESET_DURABLE);
  EXPECT_EQ(ash::durable().sync_interval(-5s).c().sync_interval_ms, 0u);
  EXPECT_EQ(ash::durable().sync_interval(24h * 365).c().sync_interval_ms, UINT32_MAX);
}

TEST(CppOptions, FastKeepsWhatAClosedDatabaseHeld) {
  const Scratch scratch;
  {
    ash::Db db = ash::Db::open(scratch.at("db"), ash::fast()).value();
    db.put("k", "v").check();
    db.close().check();
  }
  ash::Db db = ash::Db::open(scratch.at("db"), ash::paranoid()).value();
  EXPECT_EQ(*db.get("k").value(), "v");
}

}  // namespace
}  // namespace ashlar_test
