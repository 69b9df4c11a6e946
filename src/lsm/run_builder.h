// A sequence of entries becomes a sequence of verified runs.
//
//   add ... add | add ... add | add ...  --> 000012.run 000013.run 000014.run        split between keys only
//
// U1 Until finish() returned ok, the files go with the builder: whatever ends it early leaves none behind.
// U2 Where the target says so, finish() reads every run back and compares each entry with what was added (by a
//    digest of all of them in order), and asks the filter for each key, before anybody else sees the run.
// Threads: one at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "lsm/output.h"
#include "run/writer.h"

namespace ashlar::lsm {

class RunBuilder {
 public:
  // `target` outlives the builder.
  explicit RunBuilder(const OutputTarget& target) : target_(target) {}
  RunBuilder(const RunBuilder&) = delete;
  RunBuilder& operator=(const RunBuilder&) = delete;
  ~RunBuilder();

  // Entries in strictly ascending internal order; the bytes are used during the call only. Errors: io, no_space.
  Status add(Bytes stored_key, uint64_t trailer, Bytes value);
  // Completes, syncs and verifies. Errors: io, no_space, corruption, cancelled (`should_stop` may be empty).
  Result<std::vector<RunRef>> finish(const std::function<bool()>& should_stop);

 private:
  struct Written {
    RunRef run;
    uint64_t digest = 0;
  };

  Status begin_run();
  Status end_run();

  const OutputTarget& target_;
  std::vector<Written> written_;
  std::unique_ptr<run::Writer> writer_;
  RunId id_;
  std::string last_key_;
  uint64_t digest_ = 0;
};

// Compares a run with the digest of the entries that were written to it. Errors: corruption, io, cancelled.
Status verify_run(const RunMeta& run, uint64_t digest, const std::function<bool()>& should_stop);

}  // namespace ashlar::lsm
