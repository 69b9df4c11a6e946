#include "run/block_stream.h"

#include <algorithm>

namespace ashlar::run {

void BlockStream::note_step(size_t block) {
  const bool forward = previous_ != Index::kNone && block == previous_ + 1;
  const bool backward = previous_ != Index::kNone && block + 1 == previous_;
  forward_steps_ = forward ? forward_steps_ + 1 : 0;
  backward_steps_ = backward ? backward_steps_ + 1 : 0;
  if (!forward && !backward) window_bytes_ = kFirstWindowBytes;
  previous_ = block;
}

Status BlockStream::load(size_t block, LoadedBlock* out) {
  note_step(block);
  if (options_.cache == CacheUse::fill) {
    if (Pin pin = source_.find_cached(block); pin) {
      out->view = pin.block()->view;
      out->checksum = 0;
      out->pin = std::move(pin);
      return ok_status();
    }
  }
  ASHLAR_TRY(read(block, out));
  if (options_.cache == CacheUse::fill) {
    out->pin = source_.offer_to_cache(block, std::move(out->pin));
    out->view = out->pin.block()->view;
  }
  return ok_status();
}

Status BlockStream::read(size_t block, LoadedBlock* out) {
  if (block < buffer_first_ || block >= buffer_last_) {
    const bool sequential = forward_steps_ >= 2 || backward_steps_ >= 2;
    if (!sequential || options_.readahead_bytes == 0) return source_.read_block(block, out);
    ASHLAR_TRY(read_ahead(block));
  }
  const uint64_t begin = source_.index().offset(block) - source_.index().offset(buffer_first_);
  const Bytes stored(buffer_.block()->data() + begin,
                     static_cast<size_t>(source_.index().block_bytes(block)));
  return options_.cache == CacheUse::fill ? source_.decode_copy(block, stored, out)
                                          : source_.decode_in_place(block, stored, buffer_, out);
}

Status BlockStream::read_ahead(size_t block) {
  const Index& index = source_.index();
  const uint64_t window = std::min<uint64_t>(window_bytes_, options_.readahead_bytes);
  size_t first = block;
  size_t last = block + 1;
  if (backward_steps_ > 0) {
    while (first > 0 && index.offset(last) - index.offset(first - 1) <= window) --first;
  } else {
    while (last < index.block_count() && index.offset(last + 1) - index.offset(first) <= window) ++last;
  }
  buffer_first_ = buffer_last_ = 0;  // a failed read leaves nothing behind
  ASHLAR_TRY(source_.read_blocks(first, last, &buffer_));
  buffer_first_ = first;
  buffer_last_ = last;
  window_bytes_ = std::min<uint64_t>(window_bytes_ * 2, options_.readahead_bytes);
  return ok_status();
}

}  // namespace ashlar::run
