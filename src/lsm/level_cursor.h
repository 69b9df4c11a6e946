// The runs of one level, one after the other; or a single run that is opened only when it is needed.
//
//   runs:   [a..e] [f..m] [n..z]         seek: binary search by largest key, one file opened
//                   ^ open cursor
//
// Keys are stored keys. The cursor keeps its runs alive. Lifetime of key() and value(): until the next move.
// Threads: one at a time.
#pragma once

#include <memory>
#include <vector>

#include "kv/cursor.h"
#include "lsm/run_meta.h"
#include "run/cursor.h"
#include "run/options.h"

namespace ashlar::lsm {

class LevelCursor final : public kv::Cursor {
 public:
  // `runs` are in key order and disjoint (V3).
  LevelCursor(std::vector<RunRef> runs, run::CursorOptions options);

  Status status() const override;
  void seek_first() override;
  void seek_last() override;
  void seek(Bytes key, uint64_t trailer) override;
  void seek_for_previous(Bytes key, uint64_t trailer) override;
  void next() override;
  void previous() override;

 private:
  // Makes `cursor_` one over runs_[index]. False: past the ends, or an error, which status_ holds.
  bool open(size_t index);
  void go_forward();
  void go_backward();
  void show();

  std::vector<RunRef> runs_;
  run::CursorOptions options_;
  size_t index_;  // the run that cursor_ reads; runs_.size() when there is none
  std::unique_ptr<run::Cursor> cursor_;
  Status status_;
};

}  // namespace ashlar::lsm
