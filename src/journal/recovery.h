// Recovery: which commits the segments of a crashed database prove.
//
//   segment 4            segment 5                  segment 6
//   [f f f f f f]  -->   [f f f X . f f]            [f f]
//                         ^applied ^hole             dropped with everything behind the hole
//
// J3  The longest unbroken prefix is applied: every frame verifies and continues the sequence of the one before.
//     Where it breaks off, at sequence E:
//       - a later frame, in this segment or another, whose durable watermark reaches E        -> corruption
//       - the machine has not restarted since the segment was written, and the cursor, or any
//         valid later frame, shows that E was written                                         -> corruption
//       - otherwise                                                                           -> torn tail, cut
// J4  A segment whose first frame is flagged kReplacesFailed begins at sequence F though earlier segments may hold F and
//     later: commits that failed. Those frames are passed over. The first frame after a recovery is flagged
//     too unless it continues a segment: what recovery did not see may still be on the disk.
//
// Cutting is done before anything new is appended: the cut segment gets zeros from there on, segments behind it
// are given back for another life.
// Threads: one. Not here: what applying means (delta).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "journal/pool.h"

namespace ashlar::journal {

struct RecoveryInput {
  SegmentId floor;   // lowest segment still needed
  Sequence flushed;  // everything up to here is in runs
  bool floor_must_exist = true;
  bool trust_checksum = false;  // planted bug
};

struct RecoveryOutcome {
  // Segments that hold applied frames, oldest first; the last one may be appended to when `last_is_open`.
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<std::unique_ptr<Segment>> empty;  // files to use again
  bool last_is_open = false;
  Sequence last;      // newest applied sequence, at least `flushed`
  Sequence durable;   // highest watermark met
  SegmentId next_id;  // first unused id
  uint64_t frames = 0;
  uint64_t dropped_bytes = 0;  // nonzero bytes behind the cut
};

// Called for every applied frame, in order; `segment` is the index into the outcome's segments.
using ApplyFrame = std::function<Status(size_t segment, Segment& from, const Frame& frame)>;

// `names` are all file names of the directory. Errors: corruption, unsupported_format, io.
Result<RecoveryOutcome> recover(Pool& pool, io::Directory& directory, Uuid boot_id,
                                const std::vector<std::string>& names, const RecoveryInput& input,
                                const ApplyFrame& apply);

}  // namespace ashlar::journal
