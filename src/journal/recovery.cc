#include "journal/recovery.h"

#include <algorithm>
#include <cstring>

#include "base/coding.h"

namespace ashlar::journal {

namespace {

std::string place(const Segment& segment, uint64_t offset) {
  return segment.file_name() + " at " + std::to_string(offset);
}

// Any valid frame in [from, end) that continues at or after `expected`; what it says about durability.
struct LaterFrames {
  bool found = false;
  uint64_t first_offset = 0;
  Sequence durable;
};

LaterFrames look_for_frames(const Segment& segment, uint64_t from, Sequence expected) {
  LaterFrames later;
  const Bytes bytes = segment.bytes();
  const uint64_t end = end_of_content(bytes, from);
  for (uint64_t at = align_up(from, kFrameAlignment); at + kFrameHeaderBytes <= end;) {
    const uint64_t sequence = load_u64(bytes.data() + at + 16);
    const uint64_t durable = load_u64(bytes.data() + at + 24) >> 8;
    // Cheap plausibility first: a checksum over garbage lengths would make this quadratic.
    const bool plausible = sequence >= expected.value && sequence <= kMaxSequence.value && durable < sequence;
    const std::optional<Frame> frame = plausible ? read_frame(bytes, at, segment.salt()) : std::nullopt;
    if (!frame) {
      at += kFrameAlignment;
      continue;
    }
    if (!later.found) later.first_offset = at;
    later.found = true;
    later.durable = std::max(later.durable, frame->durable_sequence);
    at = frame->end;
  }
  return later;
}

class Recovery {
 public:
  Recovery(Uuid boot_id, const RecoveryInput& input, const ApplyFrame& apply)
      : boot_id_(boot_id), input_(input), apply_(apply), next_(input.flushed.next()) {}

  Result<RecoveryOutcome> run(std::vector<std::unique_ptr<Segment>> segments);

 private:
  Status scan(size_t index);
  Status judge_break(size_t index, uint64_t offset);
  Sequence replaced_from(size_t index) const;
  Status finish();

  bool same_boot(const Segment& segment, Life* life) const {
    const std::optional<Life> found = segment.life();
    if (!found || boot_id_ == Uuid{} || found->boot_id != boot_id_) return false;
    *life = *found;
    return true;
  }

  // Nothing of this life can be on the disk behind `tail` that is not in memory as well: the segment was closed there, or
  // the machine has restarted since, so that what is in memory came from the disk.
  bool may_continue(const Segment& segment, uint64_t tail) const {
    const std::optional<Life> life = segment.life();
    if (!life) return false;
    return life->closed_at == tail || (boot_id_ != Uuid{} && life->boot_id != boot_id_);
  }

  const Uuid boot_id_;
  const RecoveryInput& input_;
  const ApplyFrame& apply_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<uint64_t> ends_;       // where the applied frames of a segment end
  std::vector<bool> has_frames_;     // applied or passed over
  std::vector<bool> must_truncate_;  // frames of this life stand behind the end
  Sequence next_;                    // expected next
  bool cut_ = false;                 // everything behind is dropped
  RecoveryOutcome outcome_;
};

// Lowest sequence that a later segment took over from failed commits of this one (J4).
Sequence Recovery::replaced_from(size_t index) const {
  Sequence lowest = kMaxSequence;
  for (size_t later = index + 1; later < segments_.size(); ++later) {
    const Segment& segment = *segments_[later];
    const std::optional<Frame> first =
        read_frame(segment.bytes(), kHeaderBytes, segment.salt(), input_.trust_checksum);
    if (first && (first->flags & kReplacesFailed) != 0) lowest = std::min(lowest, first->first_sequence);
  }
  return lowest;
}

Status Recovery::scan(size_t index) {
  Segment& segment = *segments_[index];
  const Sequence replaced = replaced_from(index);
  uint64_t offset = kHeaderBytes;
  while (true) {
    const std::optional<Frame> frame =
        read_frame(segment.bytes(), offset, segment.salt(), input_.trust_checksum);
    if (!frame || frame->first_sequence != next_) break;
    if ((frame->flags & ~kKnownFrameFlags) != 0) {
      return unsupported_format(place(segment, offset) + ": frame flags " + std::to_string(frame->flags));
    }
    has_frames_[index] = true;
    if (frame->first_sequence >= replaced && frame->mutations > 0)
      return ok_status();  // failed, and replaced since
    ASHLAR_TRY(apply_(index, segment, *frame));
    next_ = Sequence(next_.value + frame->mutations);
    outcome_.durable = std::max(outcome_.durable, frame->durable_sequence);
    ++outcome_.frames;
    offset = frame->end;
    ends_[index] = offset;
  }
  if (next_ == replaced) return ok_status();  // what else stands here failed, and was replaced since
  return judge_break(index, offset);
}

// The frames of a segment end at `offset`; decides between end of data, torn tail and corruption.
Status Recovery::judge_break(size_t index, uint64_t offset) {
  Segment& segment = *segments_[index];
  Life life;
  const bool same_boot_here = same_boot(segment, &life);
  if (same_boot_here && life.cursor > offset) {
    return corruption(place(segment, offset) + ": expected a frame with sequence " +
                      std::to_string(next_.value) + "; acknowledged data goes up to " +
                      std::to_string(life.cursor));
  }
  // A cursor from this boot ends the search before it begins: nothing was ever acknowledged behind it.
  const bool ends_here = same_boot_here && life.cursor == offset;
  const LaterFrames here = ends_here ? LaterFrames() : look_for_frames(segment, offset, next_);
  if (here.found && (here.durable >= next_ || same_boot_here)) {
    return corruption(place(segment, offset) + ": frame with sequence " + std::to_string(next_.value) +
                      " is damaged; a valid frame follows at " + std::to_string(here.first_offset));
  }
  if (here.found) {
    cut_ = true;
    must_truncate_[index] = true;
  }
  for (size_t later = index + 1; later < segments_.size(); ++later) {
    const Segment& other = *segments_[later];
    const std::optional<Frame> first =
        read_frame(other.bytes(), kHeaderBytes, other.salt(), input_.trust_checksum);
    const bool continues = !cut_ && first && first->first_sequence == next_;
    if (continues) return ok_status();
    Life other_life;
    const bool same_boot_there = same_boot(other, &other_life);
    if (same_boot_there && other_life.cursor == kHeaderBytes) continue;  // never used in this life
    const LaterFrames there = look_for_frames(other, kHeaderBytes, next_);
    if (!there.found) continue;
    if (there.durable >= next_ || (same_boot_here && same_boot_there)) {
      return corruption(place(segment, offset) + ": frame with sequence " + std::to_string(next_.value) +
                        " is missing; " + place(other, there.first_offset) + " holds a later one");
    }
    cut_ = true;
  }
  return ok_status();
}

Result<RecoveryOutcome> Recovery::run(std::vector<std::unique_ptr<Segment>> segments) {
  segments_ = std::move(segments);
  ends_.assign(segments_.size(), kHeaderBytes);
  has_frames_.assign(segments_.size(), false);
  must_truncate_.assign(segments_.size(), false);
  for (size_t index = 0; index < segments_.size() && !cut_; ++index) ASHLAR_TRY(scan(index));
  ASHLAR_TRY(finish());
  return std::move(outcome_);
}

Status Recovery::finish() {
  // The floor segment stays even when it is empty: the manifest names it.
  size_t used = segments_.empty() ? 0 : 1;
  for (size_t index = 0; index < segments_.size(); ++index) {
    if (has_frames_[index]) used = index + 1;
  }
  for (size_t index = 0; index < segments_.size(); ++index) {
    std::unique_ptr<Segment> segment = std::move(segments_[index]);
    if (cut_) outcome_.dropped_bytes += end_of_content(segment->bytes(), ends_[index]) - ends_[index];
    if (index >= used) {
      outcome_.empty.push_back(std::move(segment));
      continue;
    }
    // Where the scan stopped early the segment was not judged; frames of this life may stand behind its end.
    const bool last = index + 1 == used;
    if (last) outcome_.last_is_open = may_continue(*segment, ends_[index]);
    // Each gets its tail back: a later sync covers what lies before it.
    ASHLAR_TRY(segment->reopen_at(ends_[index], last && (must_truncate_[index] || cut_)));
    outcome_.segments.push_back(std::move(segment));
  }
  outcome_.last = Sequence(next_.value - 1);
  return ok_status();
}

}  // namespace

Result<RecoveryOutcome> recover(Pool& pool, io::Directory& directory, Uuid boot_id,
                                const std::vector<std::string>& names, const RecoveryInput& input,
                                const ApplyFrame& apply) {
  std::vector<SegmentId> ids;
  SegmentId next_id = input.floor;
  for (const std::string& name : names) {
    const std::optional<SegmentId> id = parse_segment_file_name(name);
    if (!id) continue;
    if (*id < input.floor) {
      ASHLAR_TRY(directory.remove(name));  // flushed before the crash; only the removal was missing
      continue;
    }
    ids.push_back(*id);
    next_id = std::max(next_id, id->next());
  }
  std::sort(ids.begin(), ids.end());
  // Ids may have gaps (a prepared segment that was never used); a missing one in use shows as a gap in sequences.
  if (input.floor_must_exist && (ids.empty() || ids.front() != input.floor)) {
    return corruption(segment_file_name(input.floor) + ": journal segment is missing");
  }
  std::vector<std::unique_ptr<Segment>> segments;
  for (const SegmentId id : ids) {
    ASHLAR_ASSIGN(std::unique_ptr<Segment> segment, pool.open(segment_file_name(id)));
    segments.push_back(std::move(segment));
  }
  Recovery recovery(boot_id, input, apply);
  ASHLAR_ASSIGN(RecoveryOutcome outcome, recovery.run(std::move(segments)));
  outcome.next_id = next_id;
  return outcome;
}

}  // namespace ashlar::journal
