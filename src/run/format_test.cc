#include "run/format.h"

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "run/sample_run.h"

namespace ashlar::run {
namespace {

constexpr size_t kHeaderChecksumAt = 56;

// Gives changed header bytes a right checksum again, as a writer of another version would.
void seal_header(std::string& bytes) {
  store_u64(bytes.data() + kHeaderChecksumAt,
            checksum(Bytes(bytes).substr(0, kHeaderChecksumAt), static_cast<uint64_t>(Purpose::header)));
}

Status open_status(const std::string& bytes, uint64_t expected_size_bytes, Uuid database = kSampleDatabase,
                   RunId id = kSampleRun) {
  return Reader::open(std::make_unique<MemoryFile>(std::make_shared<std::string>(bytes), "000042.run"),
                      expected_size_bytes, database, id, nullptr)
      .status();
}

bool has(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}

class FormatTest : public testing::Test {
 protected:
  const SampleEntries entries_ = sample_entries(1, {});
  const std::string bytes_ = *build_sample(entries_, {.compression = Compression::none, .block_bytes = 1024});
};

TEST_F(FormatTest, HeaderIsWhereTheFormatSays) {
  EXPECT_EQ(FileHeader::kBytes, 64u);
  EXPECT_EQ(bytes_.substr(0, 8), "ASHLRUN1");
  EXPECT_EQ(load_u32(bytes_.data() + 8), 1u);
  EXPECT_EQ(load_u32(bytes_.data() + 12), 64u);
  EXPECT_EQ(load_u64(bytes_.data() + 16), kSampleDatabase.high);
  EXPECT_EQ(load_u64(bytes_.data() + 24), kSampleDatabase.low);
  EXPECT_EQ(load_u64(bytes_.data() + 32), kSampleRun.value);
  EXPECT_EQ(bytes_.substr(40, 16), std::string(16, '\0'));
  std::string sealed = bytes_;
  seal_header(sealed);
  EXPECT_EQ(sealed, bytes_);
}

TEST_F(FormatTest, FooterAndSectionsAreWhereTheFormatSays) {
  EXPECT_EQ(Footer::kBytes, 80u);
  const char* footer = bytes_.data() + bytes_.size() - 80;
  const uint64_t filter = load_u64(footer);
  const uint64_t index = load_u64(footer + 8);
  const uint64_t properties = load_u64(footer + 16);
  EXPECT_EQ(load_u64(footer + 24), bytes_.size());
  EXPECT_EQ(load_u32(footer + 56), 1u);
  EXPECT_EQ(load_u32(footer + 60), 0u);
  EXPECT_EQ(Bytes(footer + 64, 8), "ASHLREND");
  const auto section_checksum = [this](uint64_t begin, uint64_t end, uint64_t purpose) {
    return checksum(Bytes(bytes_).substr(begin, end - begin),
                    checksum_seed(kSampleDatabase, kSampleRun.value, purpose));
  };
  EXPECT_EQ(load_u64(footer + 32), section_checksum(filter, index, 0x52554e03));
  EXPECT_EQ(load_u64(footer + 40), section_checksum(index, properties, 0x52554e04));
  EXPECT_EQ(load_u64(footer + 48), section_checksum(properties, bytes_.size() - 80, 0x52554e05));
  EXPECT_EQ(load_u64(footer + 72), section_checksum(bytes_.size() - 80, bytes_.size() - 8, 0x52554e06));
  EXPECT_EQ(load_u64(bytes_.data() + index + 8), filter);  // the blocks end where the filter begins
}

TEST_F(FormatTest, FirstBlockIsWhereTheFormatSays) {
  EXPECT_EQ(BlockHead::kBytes, 32u);
  const char* head = bytes_.data() + 64;
  EXPECT_EQ(Bytes(head + 8, 4), "ABLK");
  EXPECT_EQ(head[12], 0);
  EXPECT_EQ(head[13], 0);
  const uint32_t stored = load_u32(head + 16);
  EXPECT_EQ(load_u32(head + 20), stored);
  EXPECT_EQ(load_u32(head + 24), 0u);
  EXPECT_LE(32 + stored, 1024u);
  const uint64_t seed =
      checksum_seed(kSampleDatabase, kSampleRun.value, 0x52554e02) + 64 * 0x9e3779b97f4a7c15u;
  EXPECT_EQ(load_u64(head), checksum(Bytes(head + 8, 24 + stored), seed));
}

TEST_F(FormatTest, NewerVersionIsUnsupportedWhateverElseChanged) {
  std::string newer = bytes_;
  store_u32(newer.data() + 8, 2);
  seal_header(newer);
  EXPECT_EQ(open_status(newer, newer.size()).code(), Code::unsupported_format);
  newer.resize(200);
  EXPECT_EQ(open_status(newer, bytes_.size()).code(), Code::unsupported_format);
}

TEST_F(FormatTest, FlippedVersionIsCorruption) {
  std::string flipped = bytes_;
  store_u32(flipped.data() + 8, 2);
  EXPECT_EQ(open_status(flipped, flipped.size()).code(), Code::corruption);
}

TEST_F(FormatTest, ForeignRunsAreNamed) {
  const Status other_database = open_status(bytes_, bytes_.size(), Uuid{1, kSampleDatabase.low});
  EXPECT_EQ(other_database.code(), Code::corruption);
  EXPECT_TRUE(has(other_database, "another database")) << other_database.to_string();
  EXPECT_EQ(open_status(bytes_, bytes_.size(), Uuid{kSampleDatabase.high, 1}).code(), Code::corruption);
  const Status other_run = open_status(bytes_, bytes_.size(), kSampleDatabase, RunId(43));
  EXPECT_EQ(other_run.code(), Code::corruption);
  EXPECT_EQ(other_run.message(), "000042.run at 32: another run: expected 0x2b, found 0x2a");
}

// The sections of another run, under a header that says it is this one.
TEST_F(FormatTest, AForgedHeaderDoesNotHideAForeignRun) {
  std::string forged = bytes_;
  store_u64(forged.data() + 32, 43);
  seal_header(forged);
  EXPECT_EQ(open_status(forged, forged.size(), kSampleDatabase, RunId(43)).code(), Code::corruption);
}

TEST_F(FormatTest, WrongSizeIsCorruption) {
  const Status status = open_status(bytes_, bytes_.size() + 1);
  EXPECT_EQ(status.code(), Code::corruption);
  EXPECT_TRUE(has(status, "000042.run at 0: size of the file: expected")) << status.to_string();
  EXPECT_EQ(open_status(bytes_ + '\0', bytes_.size()).code(), Code::corruption);
  EXPECT_EQ(open_status(bytes_ + '\0', bytes_.size() + 1).code(), Code::corruption);
  EXPECT_EQ(open_status("", 0).code(), Code::corruption);
  EXPECT_EQ(open_status(bytes_.substr(0, 64), 64).code(), Code::corruption);
}

TEST_F(FormatTest, EmptyRunHasTheSmallestSize) {
  const std::string empty = *build_sample({}, {});
  EXPECT_TRUE(open_status(empty, empty.size()).ok());
  EXPECT_EQ(empty.size(), 64u + 32 + 15 + 80);
}

}  // namespace
}  // namespace ashlar::run
