#include "run/block.h"

#include <gtest/gtest.h>

#include "base/aes_hash.h"
#include "run/block_builder.h"
#include "run/sample_run.h"

namespace ashlar::run {
namespace {

// The payload, with the slack that every reader of blocks provides.
class Payload {
 public:
  explicit Payload(const SampleEntries& entries) {
    size_t room = 4096;
    for (const auto& entry : entries) room += entry.key.size() + entry.value.size() + 64;
    BlockBuilder builder(room);
    // Twice: what the first block leaves behind does not reach the second.
    for (int round = 0; round < 2; ++round) {
      for (const auto& entry : entries) {
        const size_t foreseen = builder.payload_bytes_with(entry.key.size(), entry.value.size());
        builder.add(entry.key, fingerprint_of(aes_hash(entry.key)), entry.trailer, entry.value);
        EXPECT_LE(builder.payload_bytes(), foreseen);
      }
      const size_t said = builder.payload_bytes();
      bytes_ = builder.finish();
      size_ = bytes_.size();
      EXPECT_EQ(size_, said);
      EXPECT_EQ(builder.count(), 0u);
    }
    bytes_.resize(size_ + kSlackBytes);
  }
  explicit Payload(Bytes bytes) : bytes_(bytes), size_(bytes.size()) { bytes_.resize(size_ + kSlackBytes); }
  Bytes get() const { return Bytes(bytes_).substr(0, size_); }

 private:
  std::string bytes_;
  size_t size_ = 0;
};

BlockView view_of(const Payload& payload) {
  Result<BlockView> view = BlockView::parse(payload.get());
  EXPECT_TRUE(view.ok()) << view.status().to_string();
  return view.value();
}

// Sizes around the restart interval, one and two byte offsets, short and long keys.
std::vector<SampleEntries> shapes() {
  std::vector<SampleEntries> all;
  for (const size_t count : {1, 2, 15, 16, 17, 31, 32, 33, 300}) {
    SampleEntries entries = sample_entries(count, {.key_count = count, .max_versions = 1});
    entries.resize(std::min(entries.size(), count));
    all.push_back(entries);
  }
  all.push_back(sample_entries(77, {.key_count = 200, .max_versions = 6}));
  all.push_back(sample_entries(78, {.key_count = 400, .max_value_bytes = 1000}));  // more than 64 KiB
  SampleEntries long_keys;
  for (int i = 0; i < 40; ++i) {
    long_keys.push_back({stored_key(1, std::string(static_cast<size_t>(i * 17), 'k')),
                         kv::make_trailer(Sequence(1), kv::Kind::put), "v"});
  }
  all.push_back(long_keys);
  return all;
}

TEST(Block, EntriesComeBack) {
  for (const SampleEntries& entries : shapes()) {
    const Payload payload(entries);
    const BlockView view = view_of(payload);
    ASSERT_EQ(view.count(), entries.size());
    for (uint32_t i = 0; i < view.count(); ++i) {
      EXPECT_EQ((SampleEntry{view.key(i), view.entry(i).trailer, std::string(view.entry(i).value)}),
                entries[i]);
      EXPECT_EQ(view.is_restart(i), i % 16 == 0);
      if (view.is_restart(i)) {
        EXPECT_EQ(view.entry(i).shared, 0u);
      }
    }
  }
}

TEST(Block, LowerBoundAgreesWithTheModel) {
  Prng prng(1);
  for (const SampleEntries& entries : shapes()) {
    const Payload payload(entries);
    const BlockView view = view_of(payload);
    const auto check = [&](const SampleEntry& target) {
      const auto expected =
          std::lower_bound(entries.begin(), entries.end(), target, before) - entries.begin();
      ASSERT_EQ(view.lower_bound(target.key, target.trailer), expected);
    };
    for (SampleEntry target : entries) {
      for (const uint64_t trailer : {target.trailer, target.trailer - 1, target.trailer + 1, uint64_t{0}}) {
        target.trailer = trailer;
        check(target);
      }
      // Neighbours of the key: shorter, longer, next.
      check({target.key.substr(0, target.key.size() - 1), 5, {}});
      check({target.key + '\0', 5, {}});
      target.key.back() = static_cast<char>(target.key.back() + 1);
      check(target);
    }
    for (int i = 0; i < 500; ++i) check({sample_key(prng, 4), prng.below(2000), {}});
  }
}

TEST(Block, FindAgreesWithTheModel) {
  Prng prng(2);
  for (const SampleEntries& entries : shapes()) {
    const Payload payload(entries);
    const BlockView view = view_of(payload);
    const auto check = [&](Bytes key, uint64_t trailer) {
      const SampleEntry target{std::string(key), trailer, {}};
      const auto expected = std::lower_bound(entries.begin(), entries.end(), target, before);
      const bool found = expected != entries.end() && expected->key == key;
      const BlockView::Search search = view.find(key, aes_hash(key), trailer);
      ASSERT_EQ(search.found, found);
      ASSERT_EQ(search.key_ends_block, !found && entries.back().key == key);
      if (!found) return;
      EXPECT_EQ(search.position, expected - entries.begin());
      EXPECT_EQ(search.trailer, expected->trailer);
      EXPECT_EQ(search.value, expected->value);
    };
    for (const SampleEntry& entry : entries) {
      for (const uint64_t trailer :
           {entry.trailer, entry.trailer - 1, entry.trailer + 1, uint64_t{0}, ~uint64_t{0}}) {
        check(entry.key, trailer);
      }
      check(entry.key.substr(0, entry.key.size() - 1), ~uint64_t{0});
    }
    for (int i = 0; i < 500; ++i) check(sample_key(prng, 4), prng.below(2000));
  }
}

// The layout in numbers, so that no change of the code changes files.
TEST(Block, BytesAreWhereTheFormatSays) {
  const Payload payload(
      {{std::string("\0\0\0\1ab", 6), 0x0201, "V"}, {std::string("\0\0\0\1ac", 6), 0x0302, ""}});
  const uint8_t first = fingerprint_of(aes_hash(Bytes("\0\0\0\1ab", 6)));
  const uint8_t second = fingerprint_of(aes_hash(Bytes("\0\0\0\1ac", 6)));
  std::string expected("\2\0\0\0\2\4\0\0", 8);
  expected += static_cast<char>(first);
  expected += static_cast<char>(second);
  expected += std::string("\0\0\21\0\34\0", 6);  // offsets 0, 17, 28
  expected += std::string("\0\6\1\2\0\0\0\0\0\0\0\0\0\1abV", 17);
  expected += std::string("\5\1\2\3\0\0\0\0\0\0c", 11);
  EXPECT_EQ(payload.get(), expected);
}

TEST(Block, UnknownKindIsAnUnsupportedFormat) {
  const Payload good({{stored_key(0, "k"), kv::make_trailer(Sequence(1), kv::Kind::put), "v"}});
  std::string bytes(good.get());
  bytes[table_bytes(1, 2) + 2] = 3;
  EXPECT_EQ(BlockView::parse(Payload(bytes).get()).status().code(), Code::unsupported_format);
}

// Whatever parse() lets through can be read from end to end without leaving the block.
void read_everything(const BlockView& view, Prng& prng) {
  size_t sum = 0;
  for (uint32_t i = 0; i < view.count(); ++i) {
    const std::string key = view.key(i);
    sum += key.size() + view.entry(i).value.size();
    if (!view.entry(i).value.empty()) sum += static_cast<uint8_t>(view.entry(i).value.back());
    EXPECT_LE(view.lower_bound(key, prng.next()), view.count());
    view.find(key, aes_hash(key), prng.next());
  }
  EXPECT_GT(sum, 0u);
}

TEST(Block, EveryFlippedBitIsRefusedOrHarmless) {
  Prng prng(3);
  SampleEntries entries = sample_entries(3, {.key_count = 40, .max_value_bytes = 10});
  const Payload good(entries);
  size_t refused = 0;
  size_t harmless = 0;
  for (size_t bit = 0; bit < good.get().size() * 8; ++bit) {
    std::string bytes(good.get());
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const Payload bad(bytes);
    const Result<BlockView> view = BlockView::parse(bad.get());
    ++(view.ok() ? harmless : refused);
    if (view.ok()) read_everything(view.value(), prng);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(harmless, 0u);  // keys, values, sequences: the checksum above guards those
}

TEST(Block, TruncationsAndNoiseAreRefusedOrHarmless) {
  Prng prng(4);
  const Payload good(sample_entries(4, {.key_count = 40, .max_value_bytes = 10}));
  for (size_t size = 0; size < good.get().size(); ++size) {
    const Payload bad(good.get().substr(0, size));
    const Result<BlockView> view = BlockView::parse(bad.get());
    if (view.ok()) read_everything(view.value(), prng);
  }
  for (int i = 0; i < 30000; ++i) {
    std::string bytes(good.get().substr(0, prng.below(200)));
    for (auto& byte : bytes) {
      if (prng.one_in(4)) byte = static_cast<char>(prng.below(20));
    }
    if (bytes.size() >= 8) store_u64(bytes.data(), prng.below(6) | uint64_t{0x0402} << 32);
    const Payload bad(bytes);
    const Result<BlockView> view = BlockView::parse(bad.get());
    if (view.ok()) read_everything(view.value(), prng);
  }
}

TEST(Block, PinsCount) {
  Pin pin = Block::create(100);
  EXPECT_TRUE(pin.block()->is_referenced_once());
  EXPECT_GE(pin.block()->memory_bytes(), sizeof(Block) + 100 + kSlackBytes);
  {
    const Pin second = pin.share();
    EXPECT_FALSE(pin.block()->is_referenced_once());
    EXPECT_EQ(second.block(), pin.block());
  }
  EXPECT_TRUE(pin.block()->is_referenced_once());
  Pin moved = std::move(pin);
  EXPECT_TRUE(moved);
  moved = Pin();
  EXPECT_FALSE(moved);
  EXPECT_FALSE(Pin().share());
}

}  // namespace
}  // namespace ashlar::run
