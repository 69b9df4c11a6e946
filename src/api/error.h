// From Status to what C understands: a code, and a text that the thread can ask for afterwards.
//
//   thread A: [ text of its last failure, NUL-terminated ]      thread B: [ ... ]
//
// I1 Success touches nothing of this: no store, no thread-local access.
// I2 The text lives in a fixed buffer per thread: telling of a failure cannot fail. A longer text is cut and ends in "...".
// Threads: each has its own text.
#pragma once

#include <string_view>

#include "ashlar/ashlar.h"
#include "base/status.h"

namespace ashlar::api {

// Remembers `text` as this thread's last failure; returns `code`.
[[gnu::cold]] ashlar_code fail(ashlar_code code, std::string_view text);
[[gnu::cold]] ashlar_code fail(const Status& status);

inline ashlar_code report(const Status& status) {
  return ASHLAR_LIKELY(status.ok()) ? ASHLAR_OK : fail(status);
}

}  // namespace ashlar::api
