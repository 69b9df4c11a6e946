#include "registry.h"

#include "ashlar_engine.h"
#include "model.h"
#include "peers/peers.h"

namespace ashlar::bench {
namespace {

// Unused in a build without any rival.
[[maybe_unused]] void append(std::vector<Engine>& all, std::vector<Engine> more) {
  for (Engine& engine : more) all.push_back(std::move(engine));
}

}  // namespace

std::vector<Engine> all_engines() {
  std::vector<Engine> all = ashlar_engines();
#if ASHLAR_BENCH_ROCKSDB
  append(all, peers::rocksdb_engines());
#endif
#if ASHLAR_BENCH_LEVELDB
  append(all, peers::leveldb_engines());
#endif
#if ASHLAR_BENCH_LMDB
  append(all, peers::lmdb_engines());
#endif
#if ASHLAR_BENCH_WIREDTIGER
  append(all, peers::wiredtiger_engines());
#endif
#if ASHLAR_BENCH_SQLITE
  append(all, peers::sqlite_engines());
#endif
#if ASHLAR_BENCH_RUST
  append(all, peers::rust_engines());
#endif
  all.push_back({"model", "", [] { return std::make_unique<Model>(); }});
  return all;
}

std::vector<std::string> missing_engines() {
  std::vector<std::string> missing;
  const std::string how = "run bench/build_peers, then configure again";
#if !ASHLAR_BENCH_ROCKSDB
  missing.push_back("rocksdb: " + how);
#endif
#if !ASHLAR_BENCH_LEVELDB
  missing.push_back("leveldb: " + how);
#endif
#if !ASHLAR_BENCH_LMDB
  missing.push_back("lmdb: " + how);
#endif
#if !ASHLAR_BENCH_WIREDTIGER
  missing.push_back("wiredtiger: install libwiredtiger-dev, then configure again");
#endif
#if !ASHLAR_BENCH_SQLITE
  missing.push_back("sqlite: " + how);
#endif
#if !ASHLAR_BENCH_RUST
  missing.push_back("turbokv, fjall, redb, sled: need cargo of a recent Rust; " + how);
#endif
  return missing;
}

}  // namespace ashlar::bench
