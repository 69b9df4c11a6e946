#include "txn/pipeline.h"

#include <array>
#include <cstring>

namespace ashlar::txn {

using journal::Medium;

namespace {
// Arenas grow in steps; a small segment must not be sealed because of the first ones.
constexpr uint64_t kFreeIndexBytes = uint64_t{1} << 20;
}  // namespace

void Pipeline::start_at(Sequence last_committed) noexcept {
  next_ = last_committed.next();
  visible_.store(last_committed.value, std::memory_order_release);
}

void Pipeline::raise_durable(Sequence sequence) noexcept {
  uint64_t known = durable_.load(std::memory_order_relaxed);
  while (known < sequence.value && !durable_.compare_exchange_weak(known, sequence.value)) {
  }
}

Status Pipeline::commit(const kv::Mutation& mutation, bool sync) {
  Writer self;
  self.mutation = &mutation;
  self.sync = sync;
  self.body_bytes = static_cast<uint32_t>(kv::encoded_size(mutation));
  self.mutations = 1;
  return submit(&self);
}

Status Pipeline::commit(const kv::Batch& batch, bool sync) {
  if (batch.empty()) return ok_status();
  Writer self;
  self.batch = &batch;
  self.sync = sync;
  self.body_bytes = static_cast<uint32_t>(batch.body().size());
  self.mutations = static_cast<uint32_t>(batch.count());
  return submit(&self);
}

Status Pipeline::submit(Writer* self) {
  if (queue_.try_enter() || queue_.enter(self)) run_group(self);
  return std::move(self->status);
}

// Commits the writers from `group` on, up to an exclusive section, which then leads the rest.
void Pipeline::run_group(Writer* group) {
  Writer* next = group;
  while (next != nullptr && !next->is_exclusive()) {
    Status room = ensure_room(*next);
    if (!room.ok()) {
      next->status = std::move(room);
      next = next->follower();
      continue;
    }
    Writer* end = end_of_fitting(next);
    commit_fitting(next, end);
    next = end;
  }
  for (Writer* follower = group->follower(); follower != next;) {
    Writer* behind = follower->follower();
    CommitQueue::finish(follower);
    follower = behind;
  }
  leave(next);
}

Status Pipeline::ensure_room(const Writer& writer) {
  const uint64_t frame_bytes = journal::frame_bytes(writer.body_bytes);
  if (ASHLAR_LIKELY(!must_rotate(frame_bytes) && active_->segment().is_ready(frame_bytes)))
    return ok_status();
  if (!must_rotate(frame_bytes) && host_.wait_until_ready(frame_bytes).ok()) return ok_status();
  ASHLAR_TRY(host_.make_room(frame_bytes));
  abandoned_.store(false, std::memory_order_relaxed);
  ASHLAR_CHECK(active_->segment().fits(frame_bytes));
  return host_.wait_until_ready(frame_bytes);
}

bool Pipeline::must_rotate(uint64_t frame_bytes) const {
  const journal::Segment& segment = active_->segment();
  // The second bounds the index of tiny entries.
  return !segment.fits(frame_bytes) || active_->index_bytes() > segment.capacity_bytes() + kFreeIndexBytes ||
         abandoned_.load(std::memory_order_relaxed);
}

// The writers from `from` on whose frames fit the active segment together; at least `from`.
Pipeline::Writer* Pipeline::end_of_fitting(Writer* from) const {
  uint64_t bytes = 0;
  Writer* end = from;
  do {
    bytes += journal::frame_bytes(end->body_bytes);
    end = end->follower();
  } while (end != nullptr && !end->is_exclusive() &&
           active_->segment().is_ready(bytes + journal::frame_bytes(end->body_bytes)));
  return end;
}

void Pipeline::commit_fitting(Writer* from, Writer* end) {
  journal::Segment& segment = active_->segment();
  const uint64_t from_offset = segment.tail();
  const Sequence first = next_;
  const bool ends_block = segment.medium() == Medium::written;
  for (Writer* writer = from; writer != end; writer = writer->follower()) {
    place(writer, ends_block && writer->follower() == end);
  }
  if (segment.medium() == Medium::mapped) segment.store_cursor();
  if (ASHLAR_UNLIKELY(options_.publish_before_persist)) {
    index(from, end, first);
    visible_.store(next_.value - 1, std::memory_order_release);
  }
  Status status = make_durable(from, end, from_offset);
  if (ASHLAR_UNLIKELY(!status.ok())) {
    if (options_.publish_before_persist) return;
    fail(from, end, from_offset, first, status);
    return;
  }
  if (ASHLAR_LIKELY(!options_.publish_before_persist)) {
    index(from, end, first);
    visible_.store(next_.value - 1, std::memory_order_release);
  }
  bytes_committed_.store(bytes_committed_.load(std::memory_order_relaxed) + segment.tail() - from_offset,
                         std::memory_order_relaxed);
}

void Pipeline::place(Writer* writer, bool ends_block) {
  journal::Segment& segment = active_->segment();
  char* body = segment.tail_data() + journal::kFrameHeaderBytes;
  if (writer->mutation != nullptr) {
    active_->prefetch(writer->mutation->keyspace, writer->mutation->key);
    kv::encode_mutation(body, *writer->mutation, &writer->key_at);
  } else {
    std::memcpy(body, writer->batch->body().data(), writer->body_bytes);
  }
  writer->body = body;
  segment.append_frame(writer->body_bytes, writer->mutations, next_, durable(), next_frame_flags(ends_block));
  next_ = Sequence(next_.value + writer->mutations);
}

uint8_t Pipeline::next_frame_flags(bool ends_block) {
  uint8_t flags = ends_block ? journal::kEndsBlock : uint8_t{0};
  if (ASHLAR_UNLIKELY(replaces_failed_)) flags = static_cast<uint8_t>(flags | journal::kReplacesFailed);
  replaces_failed_ = false;
  return flags;
}

Status Pipeline::make_durable(Writer* from, Writer* end, uint64_t from_offset) {
  journal::Segment& segment = active_->segment();
  if (segment.medium() == Medium::written) {
    ASHLAR_TRY(segment.persist(from_offset));
    raise_durable(Sequence(next_.value - 1));
    return ok_status();
  }
  bool sync = false;
  for (const Writer* writer = from; writer != end; writer = writer->follower()) sync |= writer->sync;
  if (ASHLAR_LIKELY(!sync || segment.medium() == Medium::memory)) return ok_status();
  return host_.sync_journal(Sequence(next_.value - 1));
}

void Pipeline::index(Writer* from, Writer* end, Sequence first) {
  uint64_t sequence = first.value;
  for (Writer* writer = from; writer != end; writer = writer->follower()) {
    if (writer->mutation != nullptr) {
      kv::Mutation placed = *writer->mutation;
      placed.key = Bytes(writer->key_at, placed.key.size());
      active_->apply(placed, Sequence(sequence++));
      continue;
    }
    index_batch(Bytes(writer->body, writer->body_bytes), Sequence(sequence));
    sequence += writer->mutations;
  }
}

// Looks some mutations ahead, so that the cache misses of their places in the index overlap.
void Pipeline::index_batch(Bytes body, Sequence first) {
  constexpr size_t kAhead = 8;
  std::array<kv::Mutation, kAhead> ring;
  size_t decoded = 0;
  size_t applied = 0;
  while (true) {
    while (!body.empty() && decoded < applied + kAhead) {
      kv::Mutation& mutation = ring[decoded++ % kAhead];
      ASHLAR_CHECK(kv::decode_mutation(body, &mutation));
      active_->prefetch(mutation.keyspace, mutation.key);
    }
    if (applied == decoded) return;
    active_->apply(ring[applied % kAhead], Sequence(first.value + applied));
    ++applied;
  }
}

void Pipeline::fail(Writer* from, Writer* end, uint64_t from_offset, Sequence first, const Status& cause) {
  bool erased = false;
  active_->segment().erase_from(from_offset, &erased);
  next_ = first;
  replaces_failed_ = true;
  abandoned_.store(true, std::memory_order_relaxed);
  for (Writer* writer = from; writer != end; writer = writer->follower()) {
    writer->status =
        erased ? cause
               : Status(Code::indeterminate, "the commit may or may not survive: " + cause.to_string());
  }
}

void Pipeline::close_segment() noexcept {
  journal::Segment& segment = active_->segment();
  if (segment.medium() == Medium::memory || abandoned_.load(std::memory_order_relaxed)) return;
  segment.store_closed();
}

Status Pipeline::append_watermark() {
  journal::Segment& segment = active_->segment();
  if (segment.medium() == Medium::memory || abandoned_.load(std::memory_order_relaxed)) return ok_status();
  if (!segment.is_ready(journal::frame_bytes(0))) return ok_status();
  const uint64_t from_offset = segment.tail();
  const bool written = segment.medium() == Medium::written;
  segment.append_frame(0, 0, next_, durable(), next_frame_flags(written));
  if (!written) {
    segment.store_cursor();
    return ok_status();
  }
  Status status = segment.persist(from_offset);
  if (status.ok()) return status;
  bool erased = false;
  segment.erase_from(from_offset, &erased);
  replaces_failed_ = true;
  abandoned_.store(true, std::memory_order_relaxed);
  return status;
}

}  // namespace ashlar::txn
