#include "run/reader.h"

namespace ashlar::run {

Result<std::shared_ptr<Reader>> Reader::open(std::unique_ptr<io::File> file, uint64_t expected_size_bytes,
                                             Uuid database, RunId id, BlockCache* cache) {
  ASHLAR_ASSIGN(Source source, Source::open(std::move(file), expected_size_bytes, database, id, cache));
  return std::shared_ptr<Reader>(new Reader(std::move(source)));
}

Status Reader::get(Bytes stored_key, uint64_t key_hash, Sequence at_most, Found* out) const {
  out->found = false;
  out->pin.reset();
  if (!source_.filter().may_contain(key_hash)) return ok_status();
  const uint64_t trailer = kv::seek_trailer(at_most);
  const Index& index = source_.index();
  size_t block = index.find(stored_key, trailer);
  if (block == Index::kNone) return ok_status();
  for (;;) {
    ASHLAR_TRY(source_.load_block(block, &out->pin));
    const BlockView::Search search = out->pin.block()->view.find(stored_key, key_hash, trailer);
    if (search.found) {
      out->found = true;
      out->trailer = search.trailer;
      out->value = search.value;
      return ok_status();
    }
    out->pin.reset();
    // Versions of one key may reach into the next block, all of those here being too new.
    if (!search.key_ends_block || ++block == index.block_count() || !index.continues_key(block))
      return ok_status();
  }
}

}  // namespace ashlar::run
