#include "verify.h"

#include <gtest/gtest.h>

#include "model.h"

namespace ashlar::bench {
namespace {

TEST(Fingerprint, DoesNotDependOnOrder) {
  Fingerprint a;
  a.add("k1", "v1");
  a.add("k2", "v2");
  Fingerprint b;
  b.add("k2", "v2");
  b.add("k1", "v1");
  EXPECT_EQ(a, b);
}

TEST(Fingerprint, DependsOnWhichValueBelongsToWhichKey) {
  Fingerprint a;
  a.add("k1", "v1");
  a.add("k2", "v2");
  Fingerprint b;
  b.add("k1", "v2");
  b.add("k2", "v1");
  EXPECT_NE(a.sum, b.sum);
}

TEST(Fingerprint, DependsOnWhereTheKeyEnds) {
  Fingerprint a;
  a.add("ab", "c");
  Fingerprint b;
  b.add("a", "bc");
  EXPECT_NE(a.sum, b.sum);
}

TEST(Fingerprint, DependsOnEveryByte) {
  const std::string key = "key_17";
  const std::string value = value_bytes(kSeed);
  Fingerprint right;
  right.add(key, value);
  for (size_t i = 0; i < value.size(); ++i) {
    std::string damaged = value;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    Fingerprint wrong;
    wrong.add(key, damaged);
    EXPECT_NE(wrong.sum, right.sum) << i;
  }
}

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() : keys_(random_keys(300)), value_(value_bytes(kSeed)) {
    for (size_t i = 0; i < keys_.size(); ++i) model_.put(keys_[i], value_);
  }

  std::optional<std::string> verify_all(size_t present) {
    return verify(model_, Expected{keys_, present, [&](size_t) -> std::string_view { return value_; }});
  }

  Strings keys_;
  std::string value_;
  Model model_;
};

TEST_F(VerifyTest, AcceptsExactlyWhatWasWritten) { EXPECT_EQ(verify_all(300), std::nullopt); }

TEST_F(VerifyTest, FindsALostEntry) {
  model_.remove(keys_[123]);
  EXPECT_TRUE(verify_all(300).has_value());
}

TEST_F(VerifyTest, FindsAnAddedEntry) {
  model_.put("one more", value_);
  EXPECT_TRUE(verify_all(300).has_value());
}

TEST_F(VerifyTest, FindsAnEntryThatTookAnothersPlace) {
  model_.remove(keys_[5]);
  model_.put("another", value_);
  EXPECT_TRUE(verify_all(300).has_value());
}

TEST_F(VerifyTest, FindsAChangedValue) {
  std::string damaged = value_;
  damaged[399] = static_cast<char>(damaged[399] ^ 0x80);
  model_.put(keys_[299], damaged);
  EXPECT_TRUE(verify_all(300).has_value());
}

// Scans backwards: the same entries, so only the order tells.
class Misordered : public Model {
 public:
  uint64_t scan(std::string_view, uint64_t, EntrySink sink) override {
    for (auto it = map().rbegin(); it != map().rend(); ++it) sink(it->first, it->second);
    return map().size();
  }
};

TEST(Verify, FindsMisplacedEntries) {
  Misordered model;
  const Strings keys = dbx_keys(3);
  for (size_t i = 0; i < 3; ++i) model.put(keys[i], "v");
  EXPECT_TRUE(verify(model, Expected{keys, 3, [](size_t) -> std::string_view { return "v"; }}).has_value());
}

// Its scan is right and its get is not.
class Forgetful : public Model {
 public:
  bool get(std::string_view, ValueSink) override { return false; }
};

TEST(Verify, FindsAGetThatMisses) {
  Forgetful model;
  const Strings keys = dbx_keys(3);
  for (size_t i = 0; i < 3; ++i) model.put(keys[i], "v");
  EXPECT_TRUE(verify(model, Expected{keys, 3, [](size_t) -> std::string_view { return "v"; }}).has_value());
}

}  // namespace
}  // namespace ashlar::bench
