// Cursor over one run, in internal order, both ways. key() is the stored key.
//
// Lifetime: value() points into the current block and stays valid until the cursor moves to another one, longer if
// pin() was taken. key() stays valid until the next move. The reader outlives its cursors.
// Memory: the current block, and the read-ahead buffer once blocks were taken in sequence.
#pragma once

#include <memory>

#include "kv/cursor.h"
#include "run/options.h"
#include "run/source.h"

namespace ashlar::run {

class Cursor : public kv::Cursor {
 public:
  // Keeps value() alive for as long as the pin lives. Needs valid().
  virtual Pin pin() const = 0;
};

// `source` outlives the cursor.
std::unique_ptr<Cursor> make_cursor(const Source& source, const CursorOptions& options);

}  // namespace ashlar::run
