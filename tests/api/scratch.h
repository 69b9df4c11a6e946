// What the tests of the interfaces share: a directory that goes away, and short ways to call C.
#pragma once

#include <ashlar/ashlar.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace ashlar_test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ashlar-api-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string at(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline ashlar_db* open_db(const std::string& path, const ashlar_options* options = nullptr) {
  ashlar_db* db = nullptr;
  EXPECT_EQ(ashlar_open(path.c_str(), options, &db), ASHLAR_OK) << ashlar_last_error();
  return db;
}

inline ashlar_code put(ashlar_db* db, std::string_view key, std::string_view value, uint32_t flags = 0) {
  return ashlar_put(db, 0, key.data(), key.size(), value.data(), value.size(), flags);
}

inline std::string_view view(const ashlar_value& value) {
  return {static_cast<const char*>(value.data), value.size};
}
inline std::string_view view(ashlar_bytes bytes) {
  return {static_cast<const char*>(bytes.data), bytes.size};
}

// The value as text, or the name of the code.
inline std::string get(ashlar_db* db, std::string_view key, const ashlar_snapshot* snapshot = nullptr,
                       ashlar_keyspace keyspace = 0) {
  ashlar_value value;
  const ashlar_code code = ashlar_get(db, snapshot, keyspace, key.data(), key.size(), &value);
  if (code != ASHLAR_OK) return ashlar_code_name(code);
  std::string text(view(value));
  ashlar_value_release(&value);
  return text;
}

// The failed call's code with a word that its text must hold.
inline ::testing::AssertionResult fails_with(ashlar_code got, ashlar_code wanted, std::string_view word) {
  if (got != wanted) {
    return ::testing::AssertionFailure() << "code " << ashlar_code_name(got) << ", not "
                                         << ashlar_code_name(wanted) << ": " << ashlar_last_error();
  }
  if (std::string_view(ashlar_last_error()).find(word) != std::string_view::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "text without '" << word << "': " << ashlar_last_error();
}

}  // namespace ashlar_test
