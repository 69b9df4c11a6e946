// The whole of a run against a model: everything written is read back, in every way there is to read it.

#include <gtest/gtest.h>

#include "run/sample_run.h"

namespace ashlar::run {
namespace {

struct Shape {
  Compression compression;
  uint32_t block_bytes;
};

class RunTest : public testing::TestWithParam<Shape> {
 protected:
  WriterOptions options() const {
    return {.compression = GetParam().compression, .block_bytes = GetParam().block_bytes};
  }
};

void expect_get(const Reader& reader, const SampleEntries& entries, Bytes key, Sequence at_most) {
  Found found;
  ASSERT_TRUE(reader.get(key, Reader::hash_key(key), at_most, &found).ok());
  const auto expected = model_get(entries, key, at_most);
  ASSERT_EQ(found.found, expected != entries.end());
  if (!found.found) return;
  EXPECT_EQ(found.trailer, expected->trailer);
  EXPECT_EQ(found.value, expected->value);
  EXPECT_TRUE(found.pin);
}

void expect_at(const Cursor& cursor, const SampleEntries& entries, size_t position) {
  ASSERT_TRUE(cursor.status().ok()) << cursor.status().to_string();
  if (position >= entries.size()) {
    ASSERT_FALSE(cursor.valid());
    return;
  }
  ASSERT_TRUE(cursor.valid());
  ASSERT_EQ(entry_of(cursor), entries[position]);
}

TEST_P(RunTest, GetsAgreeWithTheModel) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const SampleEntries entries = sample_entries(seed, {});
    BlockCache cache(seed % 2 == 0 ? 0 : 1 << 20);
    const auto reader = open_sample(build_sample(entries, options()), &cache).value();
    for (const auto& entry : entries) {
      const Sequence sequence = kv::trailer_sequence(entry.trailer);
      expect_get(*reader, entries, entry.key, kMaxSequence);
      expect_get(*reader, entries, entry.key, sequence);
      expect_get(*reader, entries, entry.key, Sequence(sequence.value - 1));
      expect_get(*reader, entries, entry.key, Sequence(sequence.value + 1));
    }
    Prng prng(seed);
    for (int i = 0; i < 3000; ++i) {
      expect_get(*reader, entries, sample_key(prng, 4), Sequence(prng.below(entries.size() * 3)));
    }
  }
}

TEST_P(RunTest, CursorStepsBothWaysFromEveryPosition) {
  const SampleEntries entries = sample_entries(11, {.key_count = 120});
  BlockCache cache(64 << 10);
  const auto reader = open_sample(build_sample(entries, options()), &cache).value();
  for (const CacheUse use : {CacheUse::fill, CacheUse::bypass}) {
    const auto cursor = reader->cursor({.cache = use});
    for (size_t i = 0; i < entries.size(); ++i) {
      cursor->seek(entries[i].key, entries[i].trailer);
      expect_at(*cursor, entries, i);
      cursor->next();
      expect_at(*cursor, entries, i + 1);
      if (!cursor->valid()) continue;
      cursor->previous();
      expect_at(*cursor, entries, i);
      cursor->previous();
      expect_at(*cursor, entries, i - 1);
      if (!cursor->valid()) continue;
      cursor->next();
      expect_at(*cursor, entries, i);
    }
  }
}

TEST_P(RunTest, CursorWalksToBothEnds) {
  const SampleEntries entries = sample_entries(12, {.key_count = 2000, .max_versions = 2});
  const auto reader = open_sample(build_sample(entries, options())).value();
  for (const CursorOptions cursor_options :
       {CursorOptions{}, CursorOptions{.cache = CacheUse::bypass}, CursorOptions{.readahead_bytes = 0},
        CursorOptions{.cache = CacheUse::bypass, .readahead_bytes = 3000}}) {
    const auto cursor = reader->cursor(cursor_options);
    size_t i = 0;
    for (cursor->seek_first(); cursor->valid(); cursor->next()) expect_at(*cursor, entries, i++);
    ASSERT_EQ(i, entries.size());
    for (cursor->seek_last(); cursor->valid(); cursor->previous()) expect_at(*cursor, entries, --i);
    ASSERT_EQ(i, 0u);
  }
}

TEST_P(RunTest, SeeksAgreeWithTheModel) {
  const SampleEntries entries = sample_entries(13, {});
  const auto reader = open_sample(build_sample(entries, options())).value();
  const auto cursor = reader->cursor();
  Prng prng(13);
  for (int i = 0; i < 4000; ++i) {
    SampleEntry target{sample_key(prng, 4), prng.below(entries.size() * 3) << 8 | prng.below(3), {}};
    if (prng.one_in(3)) target = entries[prng.below(entries.size())];
    if (prng.one_in(5)) target.trailer = prng.one_in(2) ? 0 : ~uint64_t{0};
    const auto at = std::lower_bound(entries.begin(), entries.end(), target, before);
    const auto position = static_cast<size_t>(at - entries.begin());
    cursor->seek(target.key, target.trailer);
    expect_at(*cursor, entries, position);
    cursor->seek_for_previous(target.key, target.trailer);
    const bool exact = at != entries.end() && !before(target, *at);
    expect_at(*cursor, entries, exact ? position : position - 1);
  }
}

// Seeks, steps and turns in any order, on one cursor.
TEST_P(RunTest, RandomWalksAgreeWithTheModel) {
  const SampleEntries entries = sample_entries(14, {.key_count = 500});
  BlockCache cache(200 << 10);
  const auto reader = open_sample(build_sample(entries, options()), &cache).value();
  Prng prng(14);
  const auto cursor = reader->cursor();
  size_t position = 0;
  cursor->seek_first();
  for (int i = 0; i < 30000; ++i) {
    if (position >= entries.size() || prng.one_in(50)) {
      position = prng.below(entries.size());
      cursor->seek(entries[position].key, entries[position].trailer);
    }
    // Long stretches one way, so that reading ahead sets in.
    const bool forward = prng.one_in(100) != (i / 400 % 2 == 0);
    forward ? cursor->next() : cursor->previous();
    position += forward ? 1 : ~size_t{0};
    expect_at(*cursor, entries, position);
  }
}

TEST_P(RunTest, PropertiesTellTheTruthAndVerifyAgrees) {
  const SampleEntries entries = sample_entries(15, {});
  Properties written;
  const SharedBytes bytes = build_sample(entries, options(), &written);
  const auto reader = open_sample(bytes).value();
  EXPECT_EQ(reader->properties(), written);
  EXPECT_TRUE(reader->verify().ok()) << reader->verify().to_string();

  EXPECT_EQ(written.entry_count, entries.size());
  EXPECT_EQ(written.file_bytes, bytes->size());
  EXPECT_EQ(written.smallest_key, entries.front().key);
  EXPECT_EQ(written.largest_key, entries.back().key);
  EXPECT_EQ(written.keyspaces, (std::vector{KeyspaceId(0), KeyspaceId(1), KeyspaceId(2)}));
  uint64_t puts = 0;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  for (const auto& entry : entries) {
    puts += kv::trailer_kind(entry.trailer) == kv::Kind::put;
    key_bytes += entry.key.size();
    value_bytes += entry.value.size();
  }
  EXPECT_EQ(written.put_count, puts);
  EXPECT_EQ(written.tombstone_count, entries.size() - puts);
  EXPECT_EQ(written.raw_key_bytes, key_bytes);
  EXPECT_EQ(written.raw_value_bytes, value_bytes);
}

TEST_P(RunTest, LargeKeysAndValues) {
  Prng prng(16);
  const auto noise = [&prng](size_t size) {
    std::string bytes(size, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(prng.next());
    return bytes;
  };
  SampleEntries entries;
  uint64_t sequence = 100;
  for (const size_t value_bytes : {0, 1, 1000, 65'000, 65'536, 70'000, 600'000, 20'000'000}) {
    const auto trailer = kv::make_trailer(Sequence(++sequence), kv::Kind::put);
    entries.push_back({stored_key(1, "noise" + std::to_string(value_bytes)), trailer, noise(value_bytes)});
    entries.push_back(
        {stored_key(1, "flat" + std::to_string(value_bytes)), trailer, std::string(value_bytes, 'v')});
    entries.push_back({stored_key(2, "small" + std::to_string(value_bytes)), trailer, "small"});
  }
  const std::string long_key = noise(kv::kMaxKeyBytes - 1);
  for (const char last : {'a', 'b'}) {
    entries.push_back(
        {stored_key(3, long_key + last), kv::make_trailer(Sequence(1), kv::Kind::put), "value"});
    entries.push_back({stored_key(3, long_key + last), kv::make_trailer(Sequence(2), kv::Kind::remove), ""});
  }
  entries.push_back(
      {stored_key(4, std::string(100'000, 'k')), kv::make_trailer(Sequence(9), kv::Kind::put), "v"});
  std::sort(entries.begin(), entries.end(), before);

  const SharedBytes bytes = build_sample(entries, options());
  for (const uint64_t cache_bytes : {0, 1 << 20, 64 << 20}) {
    BlockCache cache(cache_bytes);
    const auto reader = open_sample(bytes, &cache).value();
    for (const auto& entry : entries) expect_get(*reader, entries, entry.key, kMaxSequence);
    expect_get(*reader, entries, stored_key(3, long_key), kMaxSequence);
    const auto cursor = reader->cursor();
    size_t i = 0;
    for (cursor->seek_first(); cursor->valid(); cursor->next()) expect_at(*cursor, entries, i++);
    EXPECT_EQ(i, entries.size());
    EXPECT_TRUE(reader->verify().ok());
  }
}

// One key with so many versions that they fill many blocks.
TEST_P(RunTest, VersionChainsSpanBlocks) {
  SampleEntries entries;
  constexpr uint64_t kVersions = 3000;
  entries.push_back({stored_key(0, "a"), kv::make_trailer(Sequence(1), kv::Kind::put), "before"});
  for (uint64_t sequence = kVersions; sequence > 0; --sequence) {
    entries.push_back({stored_key(0, "hot"), kv::make_trailer(Sequence(sequence * 2), kv::Kind::put),
                       std::string(50, static_cast<char>(sequence))});
  }
  entries.push_back({stored_key(0, "hot\0"), kv::make_trailer(Sequence(1), kv::Kind::put), "after"});
  const auto reader = open_sample(build_sample(entries, options())).value();
  for (uint64_t sequence = 0; sequence < kVersions * 2 + 3; ++sequence) {
    expect_get(*reader, entries, stored_key(0, "hot"), Sequence(sequence));
  }
  expect_get(*reader, entries, stored_key(0, "hot\0"), kMaxSequence);
  expect_get(*reader, entries, stored_key(0, "hos"), kMaxSequence);
  const auto cursor = reader->cursor();
  for (size_t i = 1; i + 1 < entries.size(); i += 7) {
    cursor->seek(entries[i].key, entries[i].trailer + 1);
    expect_at(*cursor, entries, i);
    cursor->seek_for_previous(entries[i].key, entries[i].trailer + 1);
    expect_at(*cursor, entries, i - 1);
  }
  EXPECT_TRUE(reader->verify().ok());
}

TEST_P(RunTest, BytesWrittenForeseesTheFile) {
  const SampleEntries entries = sample_entries(17, {.key_count = 3000});
  const auto bytes = std::make_shared<std::string>();
  auto writer =
      Writer::create(std::make_unique<MemoryFile>(bytes), options(), kSampleDatabase, kSampleRun).value();
  for (const auto& entry : entries) {
    ASSERT_TRUE(writer->add(entry.key, entry.trailer, entry.value).ok());
  }
  const uint64_t foreseen = writer->bytes_written();
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_GE(foreseen + 512, bytes->size());
  EXPECT_LE(foreseen, bytes->size() + GetParam().block_bytes + 512);
}

INSTANTIATE_TEST_SUITE_P(
    All, RunTest,
    testing::Values(Shape{Compression::none, kMinBlockBytes}, Shape{Compression::none, 4096},
                    Shape{Compression::none, kDefaultBlockBytes}, Shape{Compression::none, kMaxBlockBytes},
                    Shape{Compression::lz4, 1024}, Shape{Compression::lz4, kDefaultBlockBytes},
                    Shape{Compression::snappy, 4096}, Shape{Compression::snappy, kMaxBlockBytes},
                    Shape{Compression::zstd, 1024}, Shape{Compression::zstd, kDefaultBlockBytes}),
    [](const auto& shape) {
      return std::string(compression_name(shape.param.compression)) + "_" +
             std::to_string(shape.param.block_bytes);
    });

TEST(Run, EmptyRun) {
  const auto reader = open_sample(build_sample({}, {})).value();
  EXPECT_EQ(reader->properties().entry_count, 0u);
  Found found;
  EXPECT_TRUE(reader->get(stored_key(0, "a"), 0, kMaxSequence, &found).ok());
  EXPECT_FALSE(found.found);
  const auto cursor = reader->cursor();
  cursor->seek_first();
  EXPECT_FALSE(cursor->valid());
  cursor->seek_last();
  EXPECT_FALSE(cursor->valid());
  cursor->seek(stored_key(0, "a"), 5);
  EXPECT_FALSE(cursor->valid());
  cursor->seek_for_previous(stored_key(0, "a"), 5);
  EXPECT_FALSE(cursor->valid());
  EXPECT_TRUE(reader->verify().ok());
}

TEST(Run, WithoutFilter) {
  const SampleEntries entries = sample_entries(18, {});
  const auto reader = open_sample(build_sample(entries, {.filter_bits_per_key = 0})).value();
  EXPECT_TRUE(reader->may_contain(123));
  for (const auto& entry : entries) expect_get(*reader, entries, entry.key, kMaxSequence);
  EXPECT_TRUE(reader->verify().ok());
}

TEST(Run, WrittenPortableReadWithHardware) {
  const SampleEntries entries = sample_entries(19, {});
  set_aes_hash_way(AesHashWay::portable);
  const SharedBytes portable = build_sample(entries, {});
  set_aes_hash_way(AesHashWay::fastest);
  EXPECT_EQ(*portable, *build_sample(entries, {}));
  EXPECT_TRUE(open_sample(portable).value()->verify().ok());
}

// Values outlive the cursor, the reader and the cache while they are pinned.
TEST(Run, PinsOutliveEverything) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    const SampleEntries entries = sample_entries(20, {.key_count = 2000});
    const SharedBytes bytes = build_sample(entries, {.compression = compression, .block_bytes = 1024});
    auto cache = std::make_unique<BlockCache>(100 << 10);
    auto reader = open_sample(bytes, cache.get()).value();
    Found found;
    const auto& wanted = entries[entries.size() / 2];
    ASSERT_TRUE(
        reader->get(wanted.key, Reader::hash_key(wanted.key), kv::trailer_sequence(wanted.trailer), &found)
            .ok());
    std::vector<std::pair<Pin, Bytes>> pinned;
    auto filling = reader->cursor();
    auto bypassing = reader->cursor({.cache = CacheUse::bypass});
    for (Cursor* cursor : {filling.get(), bypassing.get()}) {
      for (cursor->seek_first(); cursor->valid(); cursor->next())
        pinned.emplace_back(cursor->pin(), cursor->value());
    }
    filling.reset();
    bypassing.reset();
    reader.reset();
    cache.reset();
    bytes->assign(bytes->size(), 'x');
    ASSERT_TRUE(found.found);
    EXPECT_EQ(found.value, wanted.value);
    ASSERT_EQ(pinned.size(), 2 * entries.size());
    for (size_t i = 0; i < pinned.size(); ++i) EXPECT_EQ(pinned[i].second, entries[i % entries.size()].value);
  }
}

TEST(Run, OptionsOutOfRangeAreRefused) {
  const auto code = [](const WriterOptions& options) {
    const auto bytes = std::make_shared<std::string>();
    return Writer::create(std::make_unique<MemoryFile>(bytes), options, kSampleDatabase, kSampleRun)
        .status()
        .code();
  };
  EXPECT_EQ(code({.block_bytes = kMinBlockBytes - 1}), Code::invalid_argument);
  EXPECT_EQ(code({.block_bytes = kMaxBlockBytes + 1}), Code::invalid_argument);
  EXPECT_EQ(code({.filter_bits_per_key = kMaxFilterBitsPerKey + 1}), Code::invalid_argument);
  EXPECT_EQ(code({.compression = static_cast<Compression>(4)}), Code::invalid_argument);
}

// The n-th write or the sync fails: add or finish says so, and goes on saying so.
class FailingFile final : public io::File {
 public:
  explicit FailingFile(int good_calls) : memory_(std::make_shared<std::string>()), good_calls_(good_calls) {}
  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override {
    return memory_.read_at(offset, buffer, size_bytes);
  }
  Status write_at(uint64_t offset, Bytes bytes) override {
    return good_calls_-- > 0 ? memory_.write_at(offset, bytes) : Status(Code::no_space, "full");
  }
  Status sync() override { return good_calls_-- > 0 ? ok_status() : io_error("sync"); }
  Result<uint64_t> size_bytes() const override { return memory_.size_bytes(); }
  Status resize(uint64_t size_bytes) override { return memory_.resize(size_bytes); }
  Status fill_zeros(uint64_t size_bytes) override { return memory_.fill_zeros(size_bytes); }
  Result<std::unique_ptr<io::Mapping>> map(uint64_t size_bytes) override { return memory_.map(size_bytes); }
  const std::string& name() const noexcept override { return memory_.name(); }

 private:
  MemoryFile memory_;
  int good_calls_;
};

TEST(Run, EveryFailedWriteIsReported) {
  int good_calls = 0;
  for (;; ++good_calls) {
    auto writer = Writer::create(std::make_unique<FailingFile>(good_calls),
                                 {.compression = Compression::none}, kSampleDatabase, kSampleRun)
                      .value();
    Status status;
    for (uint64_t i = 0; i < 8000 && status.ok(); ++i) {
      char key[16];
      std::snprintf(key, sizeof key, "%08d", static_cast<int>(i));
      status = writer->add(stored_key(0, key), kv::make_trailer(Sequence(1), kv::Kind::put),
                           std::string(400, 'v'));
    }
    const bool add_failed = !status.ok();
    if (add_failed) {
      EXPECT_EQ(status.code(), Code::no_space);
      EXPECT_EQ(writer->add(stored_key(1, ""), 1, "").code(), Code::no_space);
    }
    const Result<Properties> finished = writer->finish();
    if (finished.ok()) break;
    EXPECT_TRUE(finished.status().code() == Code::no_space || finished.status().code() == Code::io);
  }
  EXPECT_GE(good_calls, 5);  // four pieces of 1 MiB at least, and the sync
}

}  // namespace
}  // namespace ashlar::run
