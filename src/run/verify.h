// Proves that a run is what its writer meant: more than a checksum can say.
//
// V1 Header, footer and sections still have the checksums seen at open; every block has its own; all blocks together
//    have the one in the properties.
// V2 Entries are in strictly ascending internal order, within each block and across blocks, and between the separators
//    of their block.
// V3 Filter and fingerprints lead to every key.
// V4 Every property is the one that the entries have.
// Threads: any; reads past the cache.
#pragma once

#include "base/status.h"
#include "run/source.h"

namespace ashlar::run {

// Errors: corruption, unsupported_format, io.
Status verify_run(const Source& source);

}  // namespace ashlar::run
