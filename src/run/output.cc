#include "run/output.h"

#include <cstring>
#include <new>

namespace ashlar::run {

namespace {
// At most a piece less one byte stays behind; any reservation fits after it.
constexpr size_t kBufferBytes = Output::kPieceBytes + Output::kMaxReserveBytes;
constexpr std::align_val_t kBufferAlignment{4096};
}  // namespace

Output::Output(std::unique_ptr<io::File> file)
    : file_(std::move(file)), buffer_(static_cast<char*>(::operator new(kBufferBytes, kBufferAlignment))) {}

Output::~Output() { ::operator delete(buffer_, kBufferAlignment); }

char* Output::reserve(size_t size_bytes) {
  ASHLAR_CHECK(size_bytes <= kBufferBytes - used_);
  return buffer_ + used_;
}

Status Output::commit(size_t size_bytes) {
  ASHLAR_CHECK(size_bytes <= kBufferBytes - used_);
  used_ += size_bytes;
  return write_pieces();
}

Status Output::append(Bytes bytes) {
  if (bytes.size() <= kMaxReserveBytes) {
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    return commit(bytes.size());
  }
  ASHLAR_TRY(write_all());
  ASHLAR_TRY(file_->write_at(buffer_offset_, bytes));
  buffer_offset_ += bytes.size();
  return ok_status();
}

Status Output::write_pieces() {
  size_t done = 0;
  for (;;) {
    const size_t piece = kPieceBytes - (buffer_offset_ + done) % kPieceBytes;
    if (used_ - done < piece) break;
    ASHLAR_TRY(file_->write_at(buffer_offset_ + done, Bytes(buffer_ + done, piece)));
    done += piece;
  }
  if (done == 0) return ok_status();
  used_ -= done;
  buffer_offset_ += done;
  std::memmove(buffer_, buffer_ + done, used_);
  if (buffer_offset_ - written_back_ >= kWriteBackBytes) {
    file_->start_write_back(written_back_, buffer_offset_ - written_back_);
    written_back_ = buffer_offset_;
  }
  return ok_status();
}

Status Output::write_all() {
  if (used_ > 0) ASHLAR_TRY(file_->write_at(buffer_offset_, Bytes(buffer_, used_)));
  buffer_offset_ += used_;
  used_ = 0;
  return ok_status();
}

Status Output::finish() {
  ASHLAR_TRY(write_all());
  return file_->sync();
}

}  // namespace ashlar::run
