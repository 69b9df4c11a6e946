#include "kv/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace ashlar::kv {
namespace {

TEST(Batch, DecodesToWhatWasPutIn) {
  Batch batch;
  ASSERT_TRUE(batch.put(KeyspaceId(0), "key", "value").ok());
  ASSERT_TRUE(batch.remove(KeyspaceId(300), Bytes("\0gone", 5)).ok());
  ASSERT_TRUE(batch.put(KeyspaceId(7), "", "").ok());
  EXPECT_EQ(batch.count(), 3u);
  EXPECT_EQ(batch.keyspaces().size(), 3u);
  Bytes rest = batch.body();
  Mutation mutation;
  ASSERT_TRUE(decode_mutation(rest, &mutation));
  EXPECT_EQ(mutation.kind, Kind::put);
  EXPECT_EQ(mutation.key, "key");
  EXPECT_EQ(mutation.value, "value");
  EXPECT_EQ(mutation.value.data(), mutation.key.data() + 3);  // one pointer serves both
  ASSERT_TRUE(decode_mutation(rest, &mutation));
  EXPECT_EQ(mutation.kind, Kind::remove);
  EXPECT_EQ(mutation.keyspace, KeyspaceId(300));
  EXPECT_EQ(mutation.key, Bytes("\0gone", 5));
  ASSERT_TRUE(decode_mutation(rest, &mutation));
  EXPECT_TRUE(mutation.key.empty() && mutation.value.empty());
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(decode_mutation(rest, &mutation));
}

TEST(Batch, RefusesWhatIsTooLargeAndStaysAsItWas) {
  Batch batch;
  ASSERT_TRUE(batch.put(KeyspaceId(0), "a", "1").ok());
  const std::string before(batch.body());
  EXPECT_EQ(batch.put(KeyspaceId(0), std::string(kMaxKeyBytes + 1, 'k'), "").code(), Code::limit);
  EXPECT_EQ(batch.remove(KeyspaceId(0), std::string(kMaxKeyBytes + 1, 'k')).code(), Code::limit);
  EXPECT_EQ(batch.body(), before);
  EXPECT_EQ(batch.count(), 1u);
  EXPECT_TRUE(batch.put(KeyspaceId(0), std::string(kMaxKeyBytes, 'k'), "").ok());
  EXPECT_EQ(check_sizes(1, kMaxValueBytes + 1).code(), Code::limit);
  EXPECT_TRUE(check_sizes(1, kMaxValueBytes).ok());
}

TEST(Decode, SurvivesEveryTruncationAndRandomBytes) {
  Batch batch;
  ASSERT_TRUE(batch.put(KeyspaceId(1000), "some key", std::string(300, 'v')).ok());
  for (size_t size = 0; size < batch.body().size(); ++size) {
    Bytes rest = batch.body().substr(0, size);
    Mutation mutation;
    EXPECT_FALSE(decode_mutation(rest, &mutation)) << size;
  }
  Prng prng(11);
  for (int round = 0; round < 20000; ++round) {
    std::string noise(prng.below(40), '\0');
    for (char& byte : noise) byte = static_cast<char>(prng.next());
    if (!noise.empty() && prng.one_in(2)) noise[0] = static_cast<char>(1 + prng.below(2));
    Bytes rest = noise;
    Mutation mutation;
    while (decode_mutation(rest, &mutation)) {
      EXPECT_GE(mutation.key.data(), noise.data());
      EXPECT_LE(mutation.value.data() + mutation.value.size(), noise.data() + noise.size());
    }
  }
}

}  // namespace
}  // namespace ashlar::kv
