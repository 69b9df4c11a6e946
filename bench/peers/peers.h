// The rivals' adapters, one function per library that this build found. Which of them exist decides CMake; the settings
// of each are in its adapter and are printed with every result.
//
// How each keeps "survives kill -9, without an fsync" (the rows of table W):
//   rocksdb, leveldb     write-ahead log by write(2), sync off: their default
//   lmdb, lmdb_writemap  MDB_NOSYNC: pages reach the page cache by write(2), or are changed in the shared mapping
//   wiredtiger           log on, transaction_sync method "none": log records reach the page cache at each commit
//   sqlite               write-ahead log, synchronous=OFF
//   rust_peers.h         says it for the others
#pragma once

#include <vector>

#include "../registry.h"

namespace ashlar::bench::peers {

[[nodiscard]] std::vector<Engine> rocksdb_engines();
[[nodiscard]] std::vector<Engine> leveldb_engines();
[[nodiscard]] std::vector<Engine> lmdb_engines();
[[nodiscard]] std::vector<Engine> wiredtiger_engines();
[[nodiscard]] std::vector<Engine> sqlite_engines();
[[nodiscard]] std::vector<Engine> rust_engines();

}  // namespace ashlar::bench::peers
