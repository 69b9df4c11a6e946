#include "api/versioned.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace ashlar::api {
namespace {

// The same struct as three versions of the library know it.
struct First {
  uint32_t struct_size;
  uint32_t a;
};
struct Second {
  uint32_t struct_size;
  uint32_t a;
  uint64_t b;
};
struct Third {
  uint32_t struct_size;
  uint32_t a;
  uint64_t b;
  uint64_t c;
};

template <typename From>
const Second* as_second(const From& from) {
  return reinterpret_cast<const Second*>(&from);
}
template <typename From>
Second* as_second(From& from) {
  return reinterpret_cast<Second*>(&from);
}

TEST(ReadVersioned, TakesAStructOfTheSameVersion) {
  const Second in = {sizeof(Second), 1, 2};
  Second out = {sizeof(Second), 70, 71};
  ASSERT_TRUE(read_versioned("s", &in, sizeof(First), &out).ok());
  EXPECT_EQ(out.a, 1u);
  EXPECT_EQ(out.b, 2u);
}

TEST(ReadVersioned, AnOlderCallersMissingFieldsKeepTheirDefaults) {
  const First in = {sizeof(First), 1};
  Second out = {sizeof(Second), 70, 71};
  ASSERT_TRUE(read_versioned("s", as_second(in), sizeof(First), &out).ok());
  EXPECT_EQ(out.struct_size, sizeof(Second));
  EXPECT_EQ(out.a, 1u);
  EXPECT_EQ(out.b, 71u);
}

TEST(ReadVersioned, ANewerCallerIsTakenWhileItsNewFieldsAreZero) {
  const Third in = {sizeof(Third), 1, 2, 0};
  Second out = {sizeof(Second), 70, 71};
  ASSERT_TRUE(read_versioned("s", as_second(in), sizeof(First), &out).ok());
  EXPECT_EQ(out.struct_size, sizeof(Second));
  EXPECT_EQ(out.b, 2u);
}

TEST(ReadVersioned, ANewFieldThatAsksForSomethingIsRefusedByItsPlace) {
  Third in = {sizeof(Third), 1, 2, 0};
  reinterpret_cast<char*>(&in)[sizeof(Third) - 1] = 1;
  Second out = {sizeof(Second), 70, 71};
  const Status status = read_versioned("s", as_second(in), sizeof(First), &out);
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("byte 23"), std::string_view::npos) << status.to_string();
  EXPECT_EQ(out.a, 70u);
}

TEST(ReadVersioned, ASizeThatIsNoneIsRefused) {
  for (const uint32_t size : {0u, 4u, uint32_t{sizeof(First)} - 1, kMaxStructBytes + 1, 0xccccccccu}) {
    const Second in = {size, 1, 2};
    Second out = {sizeof(Second), 70, 71};
    const Status status = read_versioned("s", &in, sizeof(First), &out);
    EXPECT_EQ(status.code(), Code::invalid_argument) << size;
    EXPECT_NE(status.message().find("struct_size is " + std::to_string(size)), std::string_view::npos);
  }
}

TEST(WriteVersioned, AnOlderCallerGetsWhatItKnowsAndNotAByteMore) {
  struct {
    First known;
    uint64_t after;
  } caller = {{sizeof(First), 0}, 0x1122334455667788};
  ASSERT_TRUE(write_versioned("s", Second{0, 5, 6}, sizeof(First), as_second(caller.known)).ok());
  EXPECT_EQ(caller.known.struct_size, sizeof(First));
  EXPECT_EQ(caller.known.a, 5u);
  EXPECT_EQ(caller.after, 0x1122334455667788u);
}

TEST(WriteVersioned, ANewerCallersFieldsBecomeZero) {
  Third out = {sizeof(Third), 9, 9, 9};
  ASSERT_TRUE(write_versioned("s", Second{0, 5, 6}, sizeof(First), as_second(out)).ok());
  EXPECT_EQ(out.struct_size, sizeof(Third));
  EXPECT_EQ(out.b, 6u);
  EXPECT_EQ(out.c, 0u);
}

}  // namespace
}  // namespace ashlar::api
