// Many readers of one run and one small cache: gets, cursors, verification, eviction and pins at once.

#include <gtest/gtest.h>

#include <thread>

#include "run/sample_run.h"

namespace ashlar::run {
namespace {

TEST(RunThreads, ReadersShareARunAndACache) {
  const SampleEntries entries = sample_entries(1, {.key_count = 3000, .max_versions = 2});
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    const SharedBytes bytes = build_sample(entries, {.compression = compression, .block_bytes = 2048});
    BlockCache cache(150'000);
    const auto reader = open_sample(bytes, &cache).value();
    std::vector<std::thread> threads;
    for (uint64_t id = 0; id < 4; ++id) {
      threads.emplace_back([&, id] {
        Prng prng(id);
        std::vector<std::pair<Pin, Bytes>> pinned;
        std::vector<size_t> positions;
        for (int i = 0; i < 4000; ++i) {
          const size_t at = prng.below(entries.size());
          Found found;
          ASSERT_TRUE(reader
                          ->get(entries[at].key, Reader::hash_key(entries[at].key),
                                kv::trailer_sequence(entries[at].trailer), &found)
                          .ok());
          ASSERT_TRUE(found.found);
          ASSERT_EQ(found.value, entries[at].value);
          if (prng.one_in(8)) {
            pinned.emplace_back(std::move(found.pin), found.value);
            positions.push_back(at);
          }
          if (prng.one_in(400)) {
            const auto cursor = reader->cursor();
            cursor->seek(entries[at].key, entries[at].trailer);
            for (size_t j = at; j < entries.size() && j < at + 500; ++j, cursor->next()) {
              ASSERT_TRUE(cursor->valid());
              ASSERT_EQ(entry_of(*cursor), entries[j]);
            }
          }
          if (pinned.size() > 20) {
            for (size_t p = 0; p < pinned.size(); ++p)
              ASSERT_EQ(pinned[p].second, entries[positions[p]].value);
            pinned.clear();
            positions.clear();
          }
          ASSERT_LE(cache.stats().used_bytes, cache.capacity_bytes());
        }
        if (id == 0) {
          ASSERT_TRUE(reader->verify().ok());
        }
        if (id == 1) cache.erase(kSampleRun);
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_GT(cache.stats().hits, 0u);
    EXPECT_GT(cache.stats().evictions, 0u);
  }
}

}  // namespace
}  // namespace ashlar::run
