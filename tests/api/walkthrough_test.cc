#include "walkthrough.h"

#include "scratch.h"

namespace ashlar_test {
namespace {

TEST(CInterface, WorksFromC) {
  const Scratch scratch;
  EXPECT_EQ(ashlar_walkthrough(scratch.at("db").c_str()), 0)
      << "walkthrough.c, line; " << ashlar_last_error();
}

TEST(CInterface, EveryCodeHasANameOfItsOwn) {
  std::string names;
  for (int code = ASHLAR_OK; code <= ASHLAR_INDETERMINATE; ++code) {
    const std::string name = std::string(" ") + ashlar_code_name(static_cast<ashlar_code>(code)) + " ";
    EXPECT_NE(name, " unknown ");
    EXPECT_EQ(names.find(name), std::string::npos) << name;
    names += name;
  }
  EXPECT_STREQ(ashlar_code_name(ASHLAR_NOT_FOUND), "not_found");
  EXPECT_STREQ(ashlar_code_name(static_cast<ashlar_code>(14)), "unknown");
  EXPECT_STREQ(ashlar_code_name(static_cast<ashlar_code>(99)), "unknown");
}

}  // namespace
}  // namespace ashlar_test
