#include "journal/segment.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/coding.h"

namespace ashlar::journal {

std::string segment_file_name(SegmentId id) {
  char name[32];
  std::snprintf(name, sizeof name, "%06llu.seg", static_cast<unsigned long long>(id.value));
  return name;
}

std::optional<SegmentId> parse_segment_file_name(const std::string& name) {
  const size_t dot = name.size() - 4;
  if (name.size() < 10 || name.size() > 24 || name.compare(dot, 4, ".seg") != 0) return std::nullopt;
  uint64_t id = 0;
  for (size_t i = 0; i < dot; ++i) {
    if (name[i] < '0' || name[i] > '9') return std::nullopt;
    id = id * 10 + static_cast<uint64_t>(name[i] - '0');
  }
  if (segment_file_name(SegmentId(id)) != name) return std::nullopt;
  return SegmentId(id);
}

Result<std::unique_ptr<Segment>> Segment::in_memory(SegmentId id, Uuid database, uint64_t capacity_bytes) {
  ASHLAR_ASSIGN(AnonymousMemory memory, AnonymousMemory::create(capacity_bytes));
  const Identity identity{Medium::memory, database, id, capacity_bytes};
  std::unique_ptr<Segment> segment(new Segment(identity, memory.data()));
  segment->memory_ = std::move(memory);
  segment->salt_ = salt_of(database, id);
  segment->file_name_ = "memory segment " + std::to_string(id.value);
  return segment;
}

Result<std::unique_ptr<Segment>> Segment::over_file(const Identity& identity, uint64_t salt,
                                                    std::shared_ptr<io::File> file,
                                                    std::shared_ptr<io::Mapping> cursor_file) {
  ASHLAR_CHECK(identity.medium != Medium::memory);
  std::unique_ptr<Segment> segment;
  if (identity.medium == Medium::mapped) {
    ASHLAR_ASSIGN(std::unique_ptr<io::Mapping> mapping, file->map(identity.capacity_bytes));
    segment.reset(new Segment(identity, mapping->data()));
    segment->mapping_ = std::move(mapping);
  } else {
    ASHLAR_ASSIGN(AnonymousMemory memory, AnonymousMemory::create(identity.capacity_bytes));
    segment.reset(new Segment(identity, memory.data()));
    segment->memory_ = std::move(memory);
    segment->cursor_file_ = std::move(cursor_file);
  }
  segment->salt_ = salt;
  segment->file_name_ = file->name();
  segment->file_ = std::move(file);
  return segment;
}

std::optional<Life> Segment::life() const {
  std::optional<Life> found = decode_life(bytes(), salt_);
  if (!found || medium() == Medium::mapped) return found;
  const char* const at = marks();
  found->cursor = at == nullptr ? 0 : unpack_cursor(load_u64(at), salt_);
  found->closed_at =
      at == nullptr ? 0 : unpack_cursor(load_u64(at + (kClosedAtOffset - kCursorOffset)), salt_);
  return found;
}

Status Segment::load() {
  if (medium() != Medium::written) return ok_status();
  ASHLAR_ASSIGN(const size_t read_bytes, file_->read_at(0, data_, capacity_bytes()));
  if (read_bytes != capacity_bytes()) {
    return corruption(file_name_ + " at " + std::to_string(read_bytes) + ": expected " +
                      std::to_string(capacity_bytes()) + " bytes");
  }
  return ok_status();
}

void Segment::append_frame(uint32_t body_bytes, uint32_t mutations, Sequence first, Sequence durable,
                           uint8_t flags) {
  const uint64_t at = tail();
  uint64_t end = at + frame_bytes(body_bytes);
  ASHLAR_CHECK(end <= ready_bytes_ || look_at_filler(end));
  // Without a file nobody will ever verify the frame.
  if (medium() != Medium::memory) {
    seal_frame(data_ + at, at, body_bytes, mutations, first, durable, flags, salt_);
  }
  if ((flags & kEndsBlock) != 0) end = std::min(align_up(end, kBlockBytes), capacity_bytes());
  tail_.store(end, std::memory_order_relaxed);
}

bool Segment::look_at_filler(uint64_t end) noexcept {
  if (filler_ == nullptr) return false;
  ready_bytes_ = filler_->ready_bytes();
  return end <= ready_bytes_;
}

std::shared_ptr<Filler> Segment::fill_from(uint64_t from) {
  ready_bytes_ = from;
  filler_ = std::make_shared<Filler>(file_, from, capacity_bytes());
  return filler_;
}

void Segment::store_cursor() noexcept { store_mark(0, pack_cursor(tail(), salt_)); }

void Segment::store_closed() noexcept {
  store_mark(kClosedAtOffset - kCursorOffset, pack_cursor(tail(), salt_));
}

char* Segment::marks() const noexcept {
  if (medium() == Medium::mapped) return data_ + kCursorOffset;
  return cursor_file_ != nullptr ? cursor_file_->data() : nullptr;
}

void Segment::store_mark(uint64_t offset, uint64_t value) noexcept {
  char* const at = marks();
  if (at == nullptr) return;
  auto* place = reinterpret_cast<uint64_t*>(at + offset);
  std::atomic_ref<uint64_t>(*place).store(value, std::memory_order_release);
}

Status Segment::persist(uint64_t from) {
  ASHLAR_CHECK(medium() == Medium::written && from % kBlockBytes == 0);
  const uint64_t to = std::min(align_up(tail(), kBlockBytes), capacity_bytes());
  ASHLAR_TRY(file_->write_at(from, Bytes(data_ + from, to - from)));
  ASHLAR_TRY(file_->sync());
  store_cursor();
  return ok_status();
}

void Segment::erase_from(uint64_t from, bool* erased) {
  const uint64_t to = std::min(align_up(tail(), kBlockBytes), ready_bytes_);
  std::memset(data_ + from, 0, to - from);
  tail_ = from;
  *erased = false;
  if (medium() == Medium::mapped) {
    store_cursor();
  } else if (medium() == Medium::written) {
    *erased = file_->write_at(from, Bytes(data_ + from, to - from)).ok() && file_->sync().ok();
  }
}

// Not the header: the cursor in it changes meanwhile, and beginning a life has written it already.
Status Segment::rewrite() {
  while (rewrite_to_ > kHeaderBytes) {
    const uint64_t from = std::max(kHeaderBytes, (rewrite_to_ - 1) / Filler::kStepBytes * Filler::kStepBytes);
    ASHLAR_TRY(file_->write_at(from, Bytes(data_ + from, rewrite_to_ - from)));
    rewrite_to_ = from > kHeaderBytes ? from : 0;
  }
  return ok_status();
}

Status Segment::sync() {
  if (rewrite_to_ != 0) ASHLAR_TRY(rewrite());
  // Not the zeros behind the tail: they would be written for nothing.
  if (medium() == Medium::mapped)
    return mapping_->sync(0, std::min(align_up(tail(), kBlockBytes), capacity_bytes()));
  if (medium() == Medium::written) return file_->sync();
  return ok_status();  // memory promises nothing
}

Status Segment::reopen_at(uint64_t offset, bool erase_rest) {
  tail_ = offset;
  if (medium() == Medium::mapped && !erase_rest) return ok_status();
  const uint64_t end = end_of_content(bytes(), offset);
  std::memset(data_ + offset, 0, end - offset);
  if (!erase_rest || end == offset) return ok_status();
  if (medium() == Medium::mapped) return mapping_->sync(0, capacity_bytes());
  ASHLAR_TRY(file_->write_at(offset, Bytes(data_ + offset, end - offset)));
  return file_->sync();
}

Status Segment::begin_life(Uuid boot_id) {
  // What an earlier life of this segment left must be gone before the record says that it is about this one.
  if (const std::optional<Life> before = life();
      medium() == Medium::written && before && (before->cursor != 0 || before->closed_at != 0)) {
    store_cursor();
    store_mark(kClosedAtOffset - kCursorOffset, 0);
  }
  encode_life(data_, boot_id, tail(), salt_);
  if (medium() == Medium::mapped) return mapping_->sync(0, kHeaderBytes);
  ASHLAR_TRY(file_->write_at(0, Bytes(data_, kHeaderBytes)));
  return file_->sync();
}

void Segment::renew(SegmentId id, uint64_t salt, const std::string& file_name) {
  identity_.id = id;
  salt_ = salt;
  file_name_ = file_name;
  tail_ = kHeaderBytes;
  filler_.reset();
  rewrite_to_ = 0;
  ready_bytes_ = capacity_bytes();  // what was never filled is reserved all the same, and only slower
  if (medium() == Medium::memory) return;
  encode_identity(data_, identity_);
  // The file keeps its stale blocks; memory must not, or padding would carry them forward.
  if (medium() == Medium::written) std::memset(data_ + kHeaderBytes, 0, capacity_bytes() - kHeaderBytes);
}

}  // namespace ashlar::journal
