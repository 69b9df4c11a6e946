#include "run/cursor.h"

#include <algorithm>

#include "run/block_stream.h"

namespace ashlar::run {

namespace {

class RunCursor final : public Cursor {
 public:
  RunCursor(const Source& source, const CursorOptions& options) : source_(source), stream_(source, options) {}

  Status status() const override { return status_; }
  Pin pin() const override { return current_.pin.share(); }

  void seek_first() override { enter(0, Edge::first); }
  void seek_last() override { enter(source_.index().block_count() - 1, Edge::last); }

  void seek(Bytes key, uint64_t trailer) override {
    const size_t block = source_.index().find(key, trailer);
    if (block == Index::kNone) return seek_first();
    if (!load(block)) return;
    const uint32_t position = current_.view.lower_bound(key, trailer);
    position < current_.view.count() ? show(position) : enter(block + 1, Edge::first);
  }

  void seek_for_previous(Bytes key, uint64_t trailer) override {
    const size_t block = source_.index().find(key, trailer);
    if (block == Index::kNone) return leave();
    if (!load(block)) return;
    const uint32_t position = current_.view.lower_bound(key, trailer);
    if (position < current_.view.count()) {
      show(position);
      if (trailer_ == trailer && key_ == key) return;
    }
    position > 0 ? show(position - 1) : enter(block - 1, Edge::last);
  }

  void next() override {
    ASHLAR_DCHECK(valid_);
    position_ + 1 < current_.view.count() ? show(position_ + 1) : enter(block_ + 1, Edge::first);
  }

  void previous() override {
    ASHLAR_DCHECK(valid_);
    position_ > 0 ? show(position_ - 1) : enter(block_ - 1, Edge::last);
  }

 private:
  enum class Edge : uint8_t { first, last };

  void leave() {
    valid_ = false;
    current_ = {};
  }

  // Block numbers beyond either end (below 0 wraps around) leave the run.
  void enter(size_t block, Edge edge) {
    if (block >= source_.index().block_count()) return leave();
    if (load(block)) show(edge == Edge::first ? 0 : current_.view.count() - 1);
  }

  bool load(size_t block) {
    if (valid_ && block == block_ && status_.ok()) return true;
    // Let go first: the stream may then use the memory again.
    leave();
    status_ = stream_.load(block, &current_);
    if (!status_.ok()) {
      current_ = {};
      return false;
    }
    block_ = block;
    restart_ = kNoRestart;
    return true;
  }

  void show(uint32_t position) {
    const Entry entry = current_.view.entry(position);
    position_ = position;
    trailer_ = entry.trailer;
    value_ = entry.value;
    valid_ = true;
    if (entry.shared == 0) {
      key_ = entry.rest;
      return;
    }
    build_key(position, entry);
  }

  // The buffer begins with `held_` bytes of the restart's key; neighbours share about as many, so that usually only the
  // rest of the key is copied.
  void build_key(uint32_t position, const Entry& entry) {
    const uint32_t restart = current_.view.restart_of(position);
    if (restart != restart_) {
      restart_ = restart;
      restart_key_ = current_.view.restart_key(position);
      held_ = 0;
    }
    const size_t size = entry.shared + entry.rest.size();
    if (size > key_buffer_.size()) {
      key_buffer_.resize(std::max<size_t>(2 * size, kFirstKeyBytes));
      held_ = 0;
    }
    char* at = key_buffer_.data();
    if (entry.shared > held_) std::memcpy(at + held_, restart_key_.data() + held_, entry.shared - held_);
    held_ = entry.shared;
    std::memcpy(at + held_, entry.rest.data(), entry.rest.size());
    key_ = Bytes(at, size);
  }

  static constexpr uint32_t kNoRestart = ~uint32_t{0};
  static constexpr size_t kFirstKeyBytes = 128;

  const Source& source_;
  BlockStream stream_;
  LoadedBlock current_;
  size_t block_ = 0;
  uint32_t position_ = 0;
  uint32_t restart_ = kNoRestart;
  Bytes restart_key_;
  size_t held_ = 0;
  std::string key_buffer_;
  Status status_;
};

}  // namespace

std::unique_ptr<Cursor> make_cursor(const Source& source, const CursorOptions& options) {
  return std::make_unique<RunCursor>(source, options);
}

}  // namespace ashlar::run
