#include "base/status.h"

#include <gtest/gtest.h>

#include <set>

namespace ashlar {
namespace {

Status fail_if(bool failing) { return failing ? io_error("cable cut") : ok_status(); }

Status try_both(bool first, bool second, int* steps) {
  ASHLAR_TRY(fail_if(first));
  ++*steps;
  ASHLAR_TRY(fail_if(second));
  ++*steps;
  return ok_status();
}

Result<std::unique_ptr<int>> make_number(bool failing) {
  if (failing) return busy("taken");
  return std::make_unique<int>(7);
}

Result<int> double_number(bool failing) {
  ASHLAR_ASSIGN(auto number, make_number(failing));
  return *number * 2;
}

TEST(Status, OkIsOnePointerWithoutText) {
  static_assert(sizeof(Status) == sizeof(void*));
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::ok);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.to_string(), "ok");
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::indeterminate); ++code) {
    names.insert(code_name(static_cast<Code>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(Code::indeterminate) + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_EQ(code_name(static_cast<Code>(250)), "unknown");
  EXPECT_EQ(code_name(Code::no_space), "no_space");
  EXPECT_EQ(code_name(Code::indeterminate), "indeterminate");
}

TEST(Status, MakersSetTheirCode) {
  EXPECT_EQ(corruption("x").code(), Code::corruption);
  EXPECT_EQ(io_error("x").code(), Code::io);
  EXPECT_EQ(invalid_argument("x").code(), Code::invalid_argument);
  EXPECT_EQ(limit_exceeded("x").code(), Code::limit);
  EXPECT_EQ(unsupported_format("x").code(), Code::unsupported_format);
  EXPECT_EQ(busy("x").code(), Code::busy);
  EXPECT_EQ(closed("x").code(), Code::closed);
  EXPECT_EQ(indeterminate("x").code(), Code::indeterminate);
}

TEST(Status, CopiesAreIndependentAndMovesAreNot) {
  Status original = corruption("bad frame");
  Status copy = original;
  EXPECT_EQ(copy.to_string(), "corruption: bad frame");
  original = io_error("else");
  EXPECT_EQ(copy.code(), Code::corruption);
  copy = *&copy;
  EXPECT_EQ(copy.message(), "bad frame");
  const Status moved = std::move(copy);
  EXPECT_EQ(moved.message(), "bad frame");
  original = ok_status();
  EXPECT_TRUE(original.ok());
}

TEST(Status, ContextGoesBeforeTheText) {
  EXPECT_EQ(corruption("bad frame").with_context("open db").to_string(), "corruption: open db: bad frame");
  EXPECT_TRUE(ok_status().with_context("open db").ok());
}

TEST(Status, TryReturnsAtTheFirstFailure) {
  int steps = 0;
  EXPECT_EQ(try_both(true, false, &steps).code(), Code::io);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(try_both(false, true, &steps).code(), Code::io);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(try_both(false, false, &steps).ok());
  EXPECT_EQ(steps, 3);
}

TEST(Result, CarriesMoveOnlyValuesAndStatuses) {
  EXPECT_EQ(double_number(false).value(), 14);
  const Result<int> failed = double_number(true);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().to_string(), "busy: taken");
}

TEST(ResultDeathTest, TheValueOfAFailureStopsTheProcess) {
  Result<int> failed = double_number(true);
  EXPECT_DEATH(static_cast<void>(failed.value()), "broken invariant");
  EXPECT_DEATH(static_cast<void>(Result<int>(ok_status())), "broken invariant");
  EXPECT_DEATH(static_cast<void>(Status(Code::ok, "no")), "broken invariant");
}

}  // namespace
}  // namespace ashlar
