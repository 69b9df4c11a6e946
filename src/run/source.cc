#include "run/source.h"

#include "base/checksum.h"
#include "run/compression.h"

namespace ashlar::run {

Status Source::at(uint64_t offset, const Status& status) const {
  return status.with_context(file_->name() + " at " + std::to_string(offset));
}

Status Source::read_exactly(uint64_t offset, char* to, size_t size_bytes) const {
  ASHLAR_ASSIGN(const size_t found, file_->read_at(offset, to, size_bytes));
  return found == size_bytes ? ok_status() : at(offset, mismatch("bytes to read", size_bytes, found));
}

Result<Source> Source::open(std::unique_ptr<io::File> file, uint64_t expected_size_bytes, Uuid database,
                            RunId id, BlockCache* cache) {
  Source source;
  source.file_ = std::move(file);
  source.database_ = database;
  source.id_ = id;
  source.cache_ = cache;
  source.blocks_seed_ = seed_of(database, id, Purpose::block);
  source.file_bytes_ = expected_size_bytes;
  ASHLAR_ASSIGN(const uint64_t found_bytes, source.file_->size_bytes());
  // The header first: a run of a newer version may well have another shape than the one expected.
  ASHLAR_TRY(source.check_header());
  if (found_bytes != expected_size_bytes) {
    return source.at(0, mismatch("size of the file", expected_size_bytes, found_bytes));
  }
  ASHLAR_TRY(source.load_sections());
  return source;
}

Status Source::check_header() const {
  char bytes[FileHeader::kBytes];
  ASHLAR_TRY(read_exactly(0, bytes, sizeof bytes));
  const Result<FileHeader> header = FileHeader::load(Bytes(bytes, sizeof bytes));
  if (!header.ok()) return at(0, header.status());
  const FileHeader& found = header.value();
  if (found.database.high != database_.high) {
    return at(16, mismatch("run of another database", database_.high, found.database.high));
  }
  if (found.database.low != database_.low) {
    return at(24, mismatch("run of another database", database_.low, found.database.low));
  }
  if (found.id != id_) return at(32, mismatch("another run", id_.value, found.id.value));
  return ok_status();
}

Status Source::load_footer(Footer* footer, uint64_t* identity) const {
  constexpr uint64_t kSmallest = FileHeader::kBytes + Index::kHeadBytes + Footer::kBytes;
  if (file_bytes_ < kSmallest) return at(0, mismatch("size of a run, at least", kSmallest, file_bytes_));
  const uint64_t offset = file_bytes_ - Footer::kBytes;
  char bytes[Footer::kBytes];
  ASHLAR_TRY(read_exactly(offset, bytes, sizeof bytes));
  Result<Footer> loaded = Footer::load(Bytes(bytes, sizeof bytes), file_bytes_,
                                       seed_of(database_, id_, Purpose::footer), identity);
  if (!loaded.ok()) return at(offset, loaded.status());
  *footer = loaded.value();
  return ok_status();
}

Status Source::load_section(uint64_t begin, uint64_t end, Purpose purpose, uint64_t expected,
                            Pin* out) const {
  const auto size = static_cast<size_t>(end - begin);
  *out = Block::create(size);
  ASHLAR_TRY(read_exactly(begin, out->block()->data(), size));
  const uint64_t found = checksum(out->block()->bytes(), seed_of(database_, id_, purpose));
  return found == expected ? ok_status() : at(begin, mismatch("section checksum", expected, found));
}

Status Source::load_sections() {
  uint64_t identity = 0;
  ASHLAR_TRY(load_footer(&footer_, &identity));
  ASHLAR_TRY(load_properties(identity));
  ASHLAR_TRY(load_section(footer_.index_offset, footer_.properties_offset, Purpose::index,
                          footer_.index_checksum, &index_memory_));
  ASHLAR_TRY(load_section(footer_.filter_offset, footer_.index_offset, Purpose::filter,
                          footer_.filter_checksum, &filter_memory_));
  Result<Index> index =
      Index::parse(index_memory_.block()->bytes(), FileHeader::kBytes, footer_.filter_offset);
  if (!index.ok()) return at(footer_.index_offset, index.status());
  index_ = index.value();
  Result<Filter> filter = Filter::parse(filter_memory_.block()->bytes());
  if (!filter.ok()) return at(footer_.filter_offset, filter.status());
  filter_ = filter.value();
  return check_agreement();
}

Status Source::load_properties(uint64_t identity) {
  Pin memory;
  ASHLAR_TRY(load_section(footer_.properties_offset, footer_.footer_offset(), Purpose::properties,
                          footer_.properties_checksum, &memory));
  Bytes rest = memory.block()->bytes();
  Result<Properties> properties = decode_properties(rest);
  if (!properties.ok()) return at(footer_.properties_offset, properties.status());
  if (!rest.empty())
    return at(footer_.footer_offset() - rest.size(), mismatch("bytes after the properties", 0, rest.size()));
  properties_ = std::move(properties).value();
  properties_.file_bytes = file_bytes_;
  properties_.identity = identity;
  return ok_status();
}

Status Source::check_agreement() const {
  if (properties_.block_count != index_.block_count()) {
    return at(footer_.properties_offset, mismatch("blocks", index_.block_count(), properties_.block_count));
  }
  if (filter_.key_count() != 0 && filter_.key_count() != properties_.key_count) {
    return at(footer_.filter_offset,
              mismatch("keys in the filter", properties_.key_count, filter_.key_count()));
  }
  return ok_status();
}

Status Source::verify_sections() const {
  ASHLAR_TRY(check_header());
  Footer footer;
  uint64_t identity = 0;
  ASHLAR_TRY(load_footer(&footer, &identity));
  if (identity != properties_.identity) {
    return at(footer_.footer_offset(), mismatch("identity of the run", properties_.identity, identity));
  }
  Pin memory;
  ASHLAR_TRY(load_section(footer.filter_offset, footer.index_offset, Purpose::filter, footer.filter_checksum,
                          &memory));
  ASHLAR_TRY(load_section(footer.index_offset, footer.properties_offset, Purpose::index,
                          footer.index_checksum, &memory));
  return load_section(footer.properties_offset, footer.footer_offset(), Purpose::properties,
                      footer.properties_checksum, &memory);
}

Pin Source::find_cached(size_t block) const {
  return cache_ == nullptr ? Pin() : cache_->find(id_, index_.offset(block));
}

Pin Source::offer_to_cache(size_t block, Pin pin) const {
  return cache_ == nullptr ? std::move(pin) : cache_->insert(id_, index_.offset(block), std::move(pin));
}

Status Source::load_block(size_t block, Pin* out) const {
  *out = find_cached(block);
  if (*out) return ok_status();
  LoadedBlock loaded;
  ASHLAR_TRY(read_block(block, &loaded));
  *out = offer_to_cache(block, std::move(loaded.pin));
  return ok_status();
}

Status Source::read_block(size_t block, LoadedBlock* out) const {
  Pin memory;
  ASHLAR_TRY(read_blocks(block, block + 1, &memory));
  ASHLAR_TRY(decode_in_place(block, memory.block()->bytes(), memory, out));
  out->pin.block()->view = out->view;
  return ok_status();
}

Status Source::read_blocks(size_t first, size_t last, Pin* out) const {
  const uint64_t begin = index_.offset(first);
  const auto size = static_cast<size_t>(index_.offset(last) - begin);
  const bool reuse = *out && out->block()->data_bytes() >= size && out->block()->is_referenced_once();
  if (!reuse) *out = Block::create(size);
  return read_exactly(begin, out->block()->data(), size);
}

Status Source::verify_block(size_t block, Bytes stored, BlockHead* head) const {
  const uint64_t offset = index_.offset(block);
  const Result<BlockHead> loaded = BlockHead::load(stored);
  if (!loaded.ok()) return at(offset, loaded.status());
  *head = loaded.value();
  const uint64_t found = block_checksum(stored, *head, block_seed(blocks_seed_, offset));
  return found == head->checksum ? ok_status()
                                 : at(offset, mismatch("block checksum", head->checksum, found));
}

Status Source::decompress_block(Bytes stored, const BlockHead& head, Pin* out) const {
  const auto compression = static_cast<Compression>(head.compression);
  const Bytes payload = stored.substr(BlockHead::kBytes);
  const size_t front = head.front_bytes;
  const Bytes squeezed = payload.substr(front);
  const size_t raw = head.raw_bytes - front;
  if (const uint64_t limit = max_raw_bytes(compression, squeezed.size()); raw > limit) {
    return mismatch("raw bytes of a block, at most", limit, raw);
  }
  *out = Block::create(head.raw_bytes);
  std::memcpy(out->block()->data(), payload.data(), front);
  return decompress(compression, squeezed, out->block()->data() + front, raw);
}

Status Source::parse_view(size_t block, Bytes payload, BlockView* view) const {
  Result<BlockView> parsed = BlockView::parse(payload);
  if (!parsed.ok()) return at(index_.offset(block), parsed.status());
  *view = parsed.value();
  return ok_status();
}

Status Source::decode_in_place(size_t block, Bytes stored, const Pin& owner, LoadedBlock* out) const {
  BlockHead head;
  ASHLAR_TRY(verify_block(block, stored, &head));
  out->checksum = head.checksum;
  if (head.compression == 0) {
    out->pin = owner.share();
    return parse_view(block, stored.substr(BlockHead::kBytes), &out->view);
  }
  if (Status status = decompress_block(stored, head, &out->pin); !status.ok())
    return at(index_.offset(block), status);
  return parse_view(block, out->pin.block()->bytes(), &out->view);
}

Status Source::decode_copy(size_t block, Bytes stored, LoadedBlock* out) const {
  BlockHead head;
  ASHLAR_TRY(verify_block(block, stored, &head));
  out->checksum = head.checksum;
  if (head.compression == 0) {
    const Bytes payload = stored.substr(BlockHead::kBytes);
    out->pin = Block::create(payload.size());
    std::memcpy(out->pin.block()->data(), payload.data(), payload.size());
  } else if (Status status = decompress_block(stored, head, &out->pin); !status.ok()) {
    return at(index_.offset(block), status);
  }
  ASHLAR_TRY(parse_view(block, out->pin.block()->bytes(), &out->view));
  out->pin.block()->view = out->view;
  return ok_status();
}

uint64_t Source::memory_bytes() const {
  return sizeof *this + index_memory_.block()->memory_bytes() + filter_memory_.block()->memory_bytes() +
         properties_.smallest_key.capacity() + properties_.largest_key.capacity() +
         properties_.keyspaces.capacity() * sizeof(KeyspaceId);
}

}  // namespace ashlar::run
