// docs/FORMAT.md states numbers; this compares them with the constants, so that neither can drift alone.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "journal/format.h"
#include "kv/entry.h"

namespace ashlar {
namespace {

// Rows of the form "| kName | 123 |".
std::map<std::string, uint64_t> documented_constants() {
  std::ifstream file(ASHLAR_SOURCE_DIR "/docs/FORMAT.md");
  std::map<std::string, uint64_t> constants;
  const std::regex row(R"(^\| (k[A-Za-z0-9]+) \| ([0-9]+) \|$)");
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) constants[match[1]] = std::stoull(match[2]);
  }
  return constants;
}

TEST(FormatDocument, StatesTheConstantsOfTheCode) {
  const std::map<std::string, uint64_t> code = {
      {"kHeaderBytes", journal::kHeaderBytes},
      {"kBlockBytes", journal::kBlockBytes},
      {"kLifeOffset", journal::kLifeOffset},
      {"kCursorOffset", journal::kCursorOffset},
      {"kFrameHeaderBytes", journal::kFrameHeaderBytes},
      {"kFrameAlignment", journal::kFrameAlignment},
      {"kMaxKeyBytes", kv::kMaxKeyBytes},
      {"kMaxValueBytes", kv::kMaxValueBytes},
      {"kMaxBatchBytes", kv::kMaxBatchBytes},
      {"kKeyspacePrefixBytes", kv::kKeyspacePrefixBytes},
  };
  EXPECT_EQ(documented_constants(), code);
}

}  // namespace
}  // namespace ashlar
