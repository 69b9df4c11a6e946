// One run as the tree of runs knows it: its name, what is known without reading it, and the reader once it is needed.
//
//   Version --> RunMeta --(first use)--> run::Reader --> NNNNNN.run
//
// M1 The file exists for as long as any RunMeta of it does. Marked obsolete, it is removed when the last reference
//    goes: a version, a cursor or a compaction that still holds one can still open and read it.
// M2 A reader is opened at most once at a time and kept; a failure to open is returned, not remembered.
// Threads: any number, all methods.
// Not here: which runs belong together (version.h), when a run becomes obsolete (manifest.h).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/types.h"
#include "io/directory.h"
#include "run/block_cache.h"
#include "run/properties.h"
#include "run/reader.h"

namespace ashlar::lsm {

// What all runs of one open database share. The directory and the cache outlive every run that was made with it.
struct RunContext {
  std::shared_ptr<io::Directory> directory;
  Uuid database;
  std::shared_ptr<run::BlockCache> cache;  // may be null
  // Takes the name of a file that nobody needs any more, on whichever thread dropped the last reference. Empty: the
  // file is removed there and then. A file that stays behind is harmless; the store removes strays when it opens.
  std::function<void(const std::string& name)> remove_file;
};

// "000042.run"; six digits or more.
std::string run_file_name(RunId id);
// The id, if `name` is exactly what run_file_name gives for one.
std::optional<RunId> parse_run_file_name(std::string_view name);

class RunMeta {
 public:
  RunMeta(std::shared_ptr<const RunContext> context, RunId id, run::Properties properties);
  RunMeta(const RunMeta&) = delete;
  RunMeta& operator=(const RunMeta&) = delete;
  ~RunMeta();

  RunId id() const noexcept { return id_; }
  const run::Properties& properties() const noexcept { return properties_; }
  uint64_t size_bytes() const noexcept { return properties_.file_bytes; }
  Bytes smallest_key() const noexcept { return properties_.smallest_key; }
  Bytes largest_key() const noexcept { return properties_.largest_key; }
  std::string file_name() const { return run_file_name(id_); }

  // Opens the file at first use. The reader lives as long as this object. Errors: corruption, also where the file
  // is missing or is another run than the manifest means; unsupported_format, io.
  Result<const run::Reader*> reader() const;
  // Memory held by the reader: 0 while nobody needed it.
  uint64_t reader_bytes() const;

  void mark_obsolete() const noexcept { obsolete_.store(true, std::memory_order_release); }

 private:
  Status open() const;

  std::shared_ptr<const RunContext> context_;
  RunId id_;
  run::Properties properties_;
  mutable std::atomic<bool> obsolete_{false};
  mutable std::mutex opening_;
  mutable std::shared_ptr<run::Reader> owned_;               // written under opening_
  mutable std::atomic<const run::Reader*> reader_{nullptr};  // owned_.get(), for those who come later
};

using RunRef = std::shared_ptr<const RunMeta>;

}  // namespace ashlar::lsm
