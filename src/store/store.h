// One open database: the door that the C interface, and nothing else in the product, goes through.
//
//   Store  -> txn::Pipeline   writes: frame, index, publish          (txn/)
//          -> lsm::ReadView   reads: active delta, sealed, version   (lsm/)
//          -> maintenance     segments, flush, compaction, sync      (store/maintenance.*)
//
// Threads: every method of Store and Snapshot from any thread; an Iterator from one at a time.
// Lifetime: shared; iterators and snapshots keep the store's memory and directory lock alive after close().
// Not here: names of keyspaces on the hot path (ids only), SQL, the C types.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/environment.h"
#include "kv/batch.h"
#include "lsm/value_pin.h"
#include "store/options.h"
#include "store/stats.h"

namespace ashlar::store {

class Core;

enum class WriteMode : uint8_t {
  preset,  // durable as the preset promises
  sync,    // durable against power loss on return
};

// The database at one sequence. Released by its destructor.
class Snapshot {
 public:
  Snapshot(std::shared_ptr<Core> core, Sequence sequence);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();
  Sequence sequence() const noexcept { return sequence_; }
  const Core* core() const noexcept { return core_.get(); }

 private:
  std::shared_ptr<Core> core_;
  Sequence sequence_;
};

struct ScanOptions {
  std::string lower;  // included; empty = from the beginning
  std::string upper;  // excluded; only where has_upper
  bool has_upper = false;
  bool keys_only = false;
};
// The range of all keys that begin with `prefix`, intersected with [options.lower, options.upper).
ScanOptions with_prefix(ScanOptions options, Bytes prefix);

// Moves return whether the iterator stands on an entry afterwards. key() and value() live until the next move.
class Iterator {
 public:
  virtual ~Iterator() = default;
  virtual bool first() = 0;
  virtual bool last() = 0;
  virtual bool seek(Bytes key) = 0;               // first entry at or after
  virtual bool seek_for_previous(Bytes key) = 0;  // last entry at or before
  virtual bool next() = 0;                        // false and no effect where not valid
  virtual bool previous() = 0;
  virtual bool valid() const = 0;
  virtual Bytes key() const = 0;
  virtual Bytes value() const = 0;
  virtual Status status() const = 0;
};

struct KeyspaceInfo {
  KeyspaceId id;
  std::string name;
};

class Store {
 public:
  // Errors: busy, corruption, unsupported_format, invalid_argument, io, no_space.
  static Result<std::unique_ptr<Store>> open(io::Environment& environment, const std::string& path,
                                             Options options);
  explicit Store(std::shared_ptr<Core> core);
  ~Store();  // an unclosed store behaves like a process that died: no final sync, no flush
  Status close();

  Status put(KeyspaceId keyspace, Bytes key, Bytes value, WriteMode mode = WriteMode::preset);
  Status remove(KeyspaceId keyspace, Bytes key, WriteMode mode = WriteMode::preset);
  Status write(const kv::Batch& batch, WriteMode mode = WriteMode::preset);

  // An absent key is Found::no; nothing is allocated either way. `snapshot` may be null: the present.
  Status get(const Snapshot* snapshot, KeyspaceId keyspace, Bytes key, lsm::PinnedValue* value, bool* found);
  Result<std::unique_ptr<Snapshot>> snapshot();
  Result<std::unique_ptr<Iterator>> iterate(const Snapshot* snapshot, KeyspaceId keyspace,
                                            const ScanOptions& options);

  Result<KeyspaceId> create_keyspace(Bytes name);  // finds it where it exists
  Result<std::optional<KeyspaceId>> find_keyspace(Bytes name);
  Status drop_keyspace(KeyspaceId keyspace);
  Result<std::vector<KeyspaceInfo>> keyspaces();  // by id

  Status sync();
  Status flush();
  Status compact();
  Status wait_idle();
  Status verify();
  Result<Stats> stats();
  std::string background_error();

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace ashlar::store
