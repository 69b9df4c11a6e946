#include "lsm/keyspace_cursor.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "lsm/map_cursor.h"

namespace ashlar::lsm {
namespace {

std::string stored(uint32_t keyspace, Bytes key) {
  std::string out;
  kv::set_stored_key(out, KeyspaceId(keyspace), key);
  return out;
}

constexpr uint32_t kKeyspaces[] = {0, 1, 7, 0x00ffffff, UINT32_MAX - 1, UINT32_MAX};

TEST(KeyspaceCursor, ShowsOneKeyspaceOnly) {
  auto all = std::make_shared<EntryMap>();
  uint64_t sequence = 0;
  for (const uint32_t keyspace : kKeyspaces)
    for (const char* key : {"", "a", "b"})
      if (keyspace != 7) put(*all, stored(keyspace, key), ++sequence, key);
  for (const uint32_t keyspace : kKeyspaces) {
    KeyspaceCursor cursor(std::make_unique<MapCursor>(all), KeyspaceId(keyspace));
    std::string keys;
    for (cursor.seek_first(); cursor.valid(); cursor.next()) keys += std::string(cursor.key()) + ",";
    EXPECT_EQ(keys, keyspace == 7 ? "" : ",a,b,") << keyspace;
    keys.clear();
    for (cursor.seek_last(); cursor.valid(); cursor.previous()) keys += std::string(cursor.key()) + ",";
    EXPECT_EQ(keys, keyspace == 7 ? "" : "b,a,,") << keyspace;
    cursor.seek("b", 0);
    EXPECT_FALSE(cursor.valid());
    cursor.seek_for_previous("", UINT64_MAX);
    EXPECT_FALSE(cursor.valid());
  }
}

TEST(KeyspaceCursor, EqualsAModelUnderRandomMoves) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    auto all = std::make_shared<EntryMap>();
    auto own = std::make_shared<EntryMap>();
    const uint32_t keyspace = kKeyspaces[prng.below(std::size(kKeyspaces))];
    for (uint64_t sequence = 1; sequence < 50; ++sequence) {
      const uint32_t owner = kKeyspaces[prng.below(std::size(kKeyspaces))];
      const std::string key(prng.below(3), static_cast<char>('a' + prng.below(3)));
      put(*all, stored(owner, key), sequence, key);
      if (owner == keyspace) put(*own, key, sequence, key);
    }
    KeyspaceCursor cursor(std::make_unique<MapCursor>(all), KeyspaceId(keyspace));
    MapCursor model(own);
    for (int i = 0; i < 100; ++i) {
      const uint64_t choice = prng.below(6);
      const std::string key(prng.below(3), static_cast<char>('a' + prng.below(3)));
      const uint64_t trailer = kv::seek_trailer(Sequence(prng.below(50)));
      for (kv::Cursor* each : {static_cast<kv::Cursor*>(&cursor), static_cast<kv::Cursor*>(&model)}) {
        if (choice == 0) each->seek_first();
        if (choice == 1) each->seek_last();
        if (choice == 2) each->seek(key, trailer);
        if (choice == 3) each->seek_for_previous(key, trailer);
        if (choice == 4 && each->valid()) each->next();
        if (choice == 5 && each->valid()) each->previous();
      }
      ASSERT_EQ(cursor.valid(), model.valid());
      if (!model.valid()) continue;
      ASSERT_EQ(cursor.key(), model.key());
      ASSERT_EQ(cursor.trailer(), model.trailer());
    }
  }
}

}  // namespace
}  // namespace ashlar::lsm
