#include "report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "report_columns.h"

namespace ashlar::bench {
namespace {

template <class Write>
std::string written(Write&& write) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  write(out);
  std::fclose(out);
  std::string copy(text, size);
  std::free(text);
  return copy;
}

Results two_engines() {
  Results results;
  Row& ours = results.row("W", "fill_seq", "ashlar");
  ours.version = "0.1.0";
  ours.preset = "durable";
  for (const double value : {300.0, 100.0, 200.0}) ours.add("ops_per_s", "1/s", value);
  Row& theirs = results.row("W", "fill_seq", "other");
  theirs.version = "1";
  theirs.preset = "durable";
  theirs.add("ops_per_s", "1/s", 50);
  return results;
}

TEST(Report, JsonHasOneLinePerFigureWithExactlyTheAgreedKeys) {
  const std::string json = written([](std::FILE* out) { write_json(out, two_engines(), {}); });
  EXPECT_NE(
      json.find(
          R"({"table":"W","workload":"fill_seq","engine":"ashlar","version":"0.1.0","preset":"durable",)"
          R"("metric":"ops_per_s","value":200,"unit":"1/s","rounds":3,"min":100,"max":300})"
          "\n"),
      std::string::npos)
      << json;
}

TEST(Report, JsonTextIsEscaped) { EXPECT_EQ(json_quoted("a\"b\\c\n"), R"("a\"b\\c\u000a")"); }

TEST(Report, TheRatioSaysHowOftenAshlarIsBetterWhicheverDirectionIsGood) {
  Results results = two_engines();
  const std::vector<const Row*> rows = ranked(results, "W", "fill_seq");
  const Row* ours = ashlar_among(rows);
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(rows.front(), ours);
  EXPECT_DOUBLE_EQ(ashlar_advantage(*ours, *rows[1], {"ops_per_s", "", Better::kMore}).value(), 4);
  EXPECT_DOUBLE_EQ(ashlar_advantage(*ours, *rows[1], {"ops_per_s", "", Better::kLess}).value(), 0.25);
  EXPECT_FALSE(ashlar_advantage(*ours, *rows[1], {"drain_s", "", Better::kMore}).has_value());
}

TEST(Report, ARowWithAProblemOrAnotherPromiseSaysSo) {
  Results results = two_engines();
  Row& theirs = results.row("W", "fill_seq", "other");
  theirs.kept = {Fit::kWeaker, "memory only"};
  theirs.problems.push_back("scan: 199 entries, expected 200");
  for (const std::string& text : {written([&](std::FILE* out) { print_text(out, results); }),
                                  written([&](std::FILE* out) { write_html(out, results, {}); })}) {
    EXPECT_NE(text.find("WEAKER promise"), std::string::npos);
    EXPECT_NE(text.find("NOT VERIFIED"), std::string::npos);
    EXPECT_NE(text.find("199 entries"), std::string::npos);
  }
  EXPECT_TRUE(results.has_problems());
}

TEST(Report, FiguresAreShort) {
  EXPECT_EQ(short_figure(1'234'567, "1/s"), "1.23M");
  EXPECT_EQ(short_figure(231'400, "1/s"), "231k");
  EXPECT_EQ(short_figure(950, "ns"), "950ns");
  EXPECT_EQ(short_figure(12'300, "ns"), "12.3us");
  EXPECT_EQ(short_figure(0.25, "s"), "250ms");
  EXPECT_EQ(short_figure(3 * 1048576.0, "B"), "3MiB");
  EXPECT_EQ(short_figure(0, "ns"), "0");
}

}  // namespace
}  // namespace ashlar::bench
