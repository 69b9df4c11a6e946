// Structs of callers that were compiled with an older or a newer header.
#include <cstring>

#include "scratch.h"

namespace ashlar_test {
namespace {

// A struct with room behind it, as a newer header would have.
template <typename Struct>
struct Newer {
  Struct known;
  uint64_t added[2];
};

TEST(StructSize, OptionsOfANewerCallerAreTakenWhileTheNewFieldsAreZero) {
  const Scratch scratch;
  Newer<ashlar_options> options = {};
  ashlar_options_init(&options.known, ASHLAR_PRESET_FAST);
  options.known.struct_size = sizeof options;
  EXPECT_EQ(ashlar_close(open_db(scratch.at("db"), &options.known)), ASHLAR_OK);
  options.added[1] = uint64_t{1} << 40;
  ashlar_db* db = nullptr;
  EXPECT_TRUE(fails_with(ashlar_open(scratch.at("db").c_str(), &options.known, &db), ASHLAR_INVALID_ARGUMENT,
                         "does not know"));
}

TEST(StructSize, SizesThatAreNoneAreRefused) {
  const Scratch scratch;
  ashlar_options options;
  ashlar_options_init(&options, ASHLAR_PRESET_FAST);
  ashlar_db* db = nullptr;
  for (const uint32_t size : {0u, 4u, 39u, 5000u, 0xffffffffu}) {
    options.struct_size = size;
    EXPECT_TRUE(fails_with(ashlar_open(scratch.at("db").c_str(), &options, &db), ASHLAR_INVALID_ARGUMENT,
                           "options.struct_size is " + std::to_string(size)));
  }
  db = open_db(scratch.at("db"));
  ashlar_scan scan = {};
  ashlar_iterator* iterator = nullptr;
  EXPECT_TRUE(fails_with(ashlar_iterator_create(db, nullptr, 0, &scan, &iterator), ASHLAR_INVALID_ARGUMENT,
                         "scan.struct_size is 0"));
  ashlar_stats stats = {};
  EXPECT_TRUE(fails_with(ashlar_get_stats(db, &stats), ASHLAR_INVALID_ARGUMENT, "stats.struct_size is 0"));
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(StructSize, ScansOfANewerCallerAreTakenWhileTheNewFieldsAreZero) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "a", "1"), ASHLAR_OK);
  Newer<ashlar_scan> scan = {};
  scan.known.struct_size = sizeof scan;
  ashlar_iterator* iterator = nullptr;
  ASSERT_EQ(ashlar_iterator_create(db, nullptr, 0, &scan.known, &iterator), ASHLAR_OK);
  EXPECT_EQ(ashlar_iterator_first(iterator), 1);
  ashlar_iterator_destroy(iterator);
  scan.added[0] = 1;
  EXPECT_EQ(ashlar_iterator_create(db, nullptr, 0, &scan.known, &iterator), ASHLAR_INVALID_ARGUMENT);
  EXPECT_EQ(iterator, nullptr);
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(StructSize, StatsOfANewerCallerAreFilledAndTheRestIsZero) {
  const Scratch scratch;
  ashlar_db* db = open_db(scratch.at("db"));
  ASSERT_EQ(put(db, "a", "1"), ASHLAR_OK);
  Newer<ashlar_stats> stats;
  std::memset(&stats, 0xab, sizeof stats);
  stats.known.struct_size = sizeof stats;
  ASSERT_EQ(ashlar_get_stats(db, &stats.known), ASHLAR_OK) << ashlar_last_error();
  EXPECT_EQ(stats.known.struct_size, sizeof stats);
  EXPECT_EQ(stats.known.last_sequence, 1u);
  EXPECT_EQ(stats.added[0], 0u);
  EXPECT_EQ(stats.added[1], 0u);
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST(Options, AreCheckedByName) {
  const Scratch scratch;
  ashlar_db* db = nullptr;
  const auto refused = [&](auto change, std::string_view word) {
    ashlar_options options;
    ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
    change(options);
    return fails_with(ashlar_open(scratch.at("db").c_str(), &options, &db), ASHLAR_INVALID_ARGUMENT, word);
  };
  EXPECT_TRUE(refused([](auto& o) { o.preset = 3; },
                      "options.preset is 3; it must be 0 to 2 (fast, durable, paranoid)"));
  EXPECT_TRUE(refused([](auto& o) { o.preset = -1; }, "options.preset is -1"));
  EXPECT_TRUE(refused([](auto& o) { o.compression = 4; }, "options.compression is 4"));
  EXPECT_TRUE(refused([](auto& o) { o.create_if_missing = 2; }, "options.create_if_missing is 2"));
  EXPECT_TRUE(refused([](auto& o) { o.error_if_exists = -1; }, "options.error_if_exists is -1"));
  EXPECT_TRUE(
      refused([](auto& o) { o.delta_bytes = 65535; }, "options.delta_bytes is 65535; it must be 65536 to"));
  EXPECT_TRUE(refused([](auto& o) { o.delta_bytes = (uint64_t{1} << 30) + 1; }, "options.delta_bytes"));
  EXPECT_TRUE(refused([](auto& o) { o.block_cache_bytes = UINT64_MAX; }, "options.block_cache_bytes"));
  EXPECT_FALSE(std::filesystem::exists(scratch.at("db")));
}

TEST(Options, EveryPresetAndCompressionOpensAndReadsTheOthersData) {
  const Scratch scratch;
  int round = 0;
  for (const int compression : {ASHLAR_COMPRESSION_NONE, ASHLAR_COMPRESSION_LZ4, ASHLAR_COMPRESSION_SNAPPY,
                                ASHLAR_COMPRESSION_ZSTD}) {
    for (const ashlar_preset preset : {ASHLAR_PRESET_FAST, ASHLAR_PRESET_DURABLE, ASHLAR_PRESET_PARANOID}) {
      ashlar_options options;
      ashlar_options_init(&options, preset);
      options.compression = compression;
      options.delta_bytes = uint64_t{64} << 10;
      options.block_cache_bytes = 0;
      ashlar_db* db = open_db(scratch.at("db"), &options);
      ASSERT_NE(db, nullptr);
      ASSERT_EQ(put(db, "round" + std::to_string(round), std::string(1000, 'v')), ASHLAR_OK);
      for (int i = 0; i <= round; ++i) {
        ASSERT_EQ(get(db, "round" + std::to_string(i)), std::string(1000, 'v'))
            << preset << " " << compression;
      }
      ++round;
      ASSERT_EQ(ashlar_flush(db), ASHLAR_OK) << ashlar_last_error();
      ASSERT_EQ(ashlar_close(db), ASHLAR_OK) << ashlar_last_error();
    }
  }
}

}  // namespace
}  // namespace ashlar_test
