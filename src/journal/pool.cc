#include "journal/pool.h"

#include <algorithm>

#include "base/coding.h"

namespace ashlar::journal {

namespace {
const char* const kSpareName = "spare.tmp";
}

Pool::Pool(io::Directory& directory, Uuid database, Uuid boot_id, Options options)
    : directory_(directory), database_(database), boot_id_(boot_id), options_(options) {}

uint64_t Pool::salt(SegmentId id) const {
  return salt_of(database_, options_.constant_salt ? SegmentId(0) : id);
}

Result<std::unique_ptr<Segment>> Pool::prepare(SegmentId id, uint64_t capacity_bytes,
                                               std::shared_ptr<Filler>* filler) {
  capacity_bytes = std::max(align_up(capacity_bytes, kBlockBytes), kMinCapacityBytes);
  if (std::unique_ptr<Segment> idle = take_idle(capacity_bytes))
    return recycle(std::move(idle), id, OldName::below_floor);
  if (options_.medium == Medium::memory) return Segment::in_memory(id, database_, capacity_bytes);
  return create(id, capacity_bytes, filler);
}

std::unique_ptr<Segment> Pool::take_idle(uint64_t capacity_bytes) {
  std::lock_guard<std::mutex> guard(mutex_);
  for (auto it = idle_.begin(); it != idle_.end(); ++it) {
    if ((*it)->capacity_bytes() != capacity_bytes) continue;
    std::unique_ptr<Segment> segment = std::move(*it);
    idle_.erase(it);
    return segment;
  }
  return nullptr;
}

Result<std::unique_ptr<Segment>> Pool::recycle(std::unique_ptr<Segment> segment, SegmentId id, OldName old) {
  std::string old_name = segment->file_name();
  const std::string new_name = segment_file_name(id);
  // Recovery looks at this name: it must not be found there with a header that says another one.
  if (old == OldName::in_force && segment->medium() != Medium::memory) {
    ASHLAR_TRY(directory_.rename(old_name, kSpareName));
    ASHLAR_TRY(directory_.sync());
    old_name = kSpareName;
  }
  segment->renew(id, salt(id), new_name);
  if (segment->medium() == Medium::memory) return segment;
  // The old name is one that recovery ignores, so until the rename the file is rubbish whatever its header says.
  ASHLAR_TRY(segment->begin_life(boot_id_));
  ASHLAR_TRY(directory_.rename(old_name, new_name));
  ASHLAR_TRY(directory_.sync());
  return segment;
}

Result<std::unique_ptr<Segment>> Pool::create(SegmentId id, uint64_t capacity_bytes,
                                              std::shared_ptr<Filler>* filler) {
  Result<std::unique_ptr<io::File>> opened = directory_.open(kSpareName, io::OpenMode::create);
  if (!opened.ok()) {
    // Left behind by a crash or by an earlier failure.
    ASHLAR_TRY(directory_.remove(kSpareName));
    opened = directory_.open(kSpareName, io::OpenMode::create);
    if (!opened.ok()) return std::move(opened).status();
  }
  const std::string name = segment_file_name(id);
  Status status = write_new_file(*opened.value(), id, capacity_bytes);
  opened.value().reset();
  if (status.ok()) status = directory_.rename(kSpareName, name);
  if (status.ok()) status = directory_.sync();
  if (!status.ok()) {
    const Status removed =
        directory_.remove(kSpareName);  // a full disk wants its space back; the cause is `status`
    static_cast<void>(removed);
    return status;
  }
  ASHLAR_ASSIGN(std::unique_ptr<Segment> segment, open(name));
  if (options_.medium == Medium::written) return segment;
  const std::shared_ptr<Filler> rest = segment->fill_from(kHeaderBytes);
  bool more = rest->step();
  if (filler != nullptr && more) {
    *filler = rest;
    return segment;
  }
  while (more) more = rest->step();
  ASHLAR_TRY(rest->status());
  return segment;
}

// On return the file is durable at its full size with a valid header. A written segment is zeros in written extents
// throughout, so that syncing it never costs the file system a journal commit; a mapped one is only reserved: it is
// filled afterwards, because nobody needs those zeros to be durable.
Status Pool::write_new_file(io::File& file, SegmentId id, uint64_t capacity_bytes) {
  std::string start(kHeaderBytes, '\0');
  encode_identity(start.data(), {options_.medium, database_, id, capacity_bytes});
  encode_life(start.data(), boot_id_, kHeaderBytes, salt(id));
  if (options_.medium == Medium::written) {
    ASHLAR_TRY(file.fill_zeros(capacity_bytes));
  } else {
    ASHLAR_TRY(file.resize(capacity_bytes));
  }
  ASHLAR_TRY(file.write_at(0, start));
  return file.sync();
}

Result<std::unique_ptr<Segment>> Pool::open(const std::string& file_name) {
  ASHLAR_ASSIGN(std::unique_ptr<io::File> file, directory_.open(file_name, io::OpenMode::read_write));
  std::string header(kHeaderBytes, '\0');
  ASHLAR_ASSIGN(const size_t header_bytes, file->read_at(0, header.data(), header.size()));
  ASHLAR_ASSIGN(const Identity identity, decode_identity(Bytes(header).substr(0, header_bytes), file_name));
  if (identity.database != database_) return corruption(file_name + " at 16: belongs to another database");
  const std::optional<SegmentId> named = parse_segment_file_name(file_name);
  if (!named || *named != identity.id) {
    return corruption(file_name + " at 32: holds segment " + std::to_string(identity.id.value));
  }
  ASHLAR_ASSIGN(const uint64_t size_bytes, file->size_bytes());
  if (size_bytes != identity.capacity_bytes) {
    return corruption(file_name + " at " + std::to_string(std::min(size_bytes, identity.capacity_bytes)) +
                      ": expected a file of " + std::to_string(identity.capacity_bytes) + " bytes, found " +
                      std::to_string(size_bytes));
  }
  ASHLAR_ASSIGN(std::unique_ptr<Segment> segment,
                Segment::over_file(identity, salt(identity.id), std::move(file),
                                   identity.medium == Medium::written ? cursor_file() : nullptr));
  ASHLAR_TRY(segment->load());
  return segment;
}

// Null where it cannot be had: it proves damage earlier, but nothing depends on it, least of all on a full disk.
std::shared_ptr<io::Mapping> Pool::cursor_file() {
  std::lock_guard<std::mutex> guard(mutex_);
  if (cursor_file_ == nullptr) {
    if (Result<std::unique_ptr<io::Mapping>> opened = open_cursor_file(); opened.ok())
      cursor_file_ = std::move(opened).value();
  }
  return cursor_file_;
}

// Never synced: it only has to outlive the process.
Result<std::unique_ptr<io::Mapping>> Pool::open_cursor_file() {
  Result<std::unique_ptr<io::File>> file = directory_.open(kCursorFileName, io::OpenMode::read_write);
  if (!file.ok()) file = directory_.open(kCursorFileName, io::OpenMode::create);
  if (!file.ok()) return std::move(file).status();
  ASHLAR_ASSIGN(const uint64_t size_bytes, file.value()->size_bytes());
  if (size_bytes != kCursorFileBytes) {
    ASHLAR_TRY(file.value()->resize(kCursorFileBytes));
  }
  return file.value()->map(kCursorFileBytes);
}

void Pool::give_back(std::unique_ptr<Segment> segment) {
  if (segment == nullptr) return;
  segment->stop_filling();
  const bool in_demand =
      segment->medium() == options_.medium && segment->capacity_bytes() == options_.largest_bytes;
  if (in_demand) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (idle_.size() < kMostIdle) {
      idle_.push_back(std::move(segment));
      return;
    }
  }
  discard(std::move(segment));
}

void Pool::discard(std::unique_ptr<Segment> segment) {
  if (segment->medium() == Medium::memory) return;
  // Not worth a complaint: the name is below the journal floor and the next open removes it.
  const Status removed = directory_.remove(segment->file_name());
  static_cast<void>(removed);
}

uint64_t Pool::idle_bytes() const {
  std::lock_guard<std::mutex> guard(mutex_);
  uint64_t bytes = 0;
  for (const auto& segment : idle_)
    bytes += segment->medium() == Medium::memory ? 0 : segment->capacity_bytes();
  return bytes;
}

}  // namespace ashlar::journal
