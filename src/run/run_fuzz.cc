// libFuzzer: whatever bytes a run file holds, opening and reading it ends in right types of answers, never in a crash,
// a hang or memory without bound.
//
//   first byte, lowest two bits:  0  the rest is the file, as it is
//                                 1  the rest is the file; header, footer and every checksum are made right first
//                                 2  the rest says which bytes of a valid run to change
//                                 3  the same, and every checksum is made right again
// Without the resealing modes, the checksums would keep the fuzzer out of the decoders behind them.

#include <cstdlib>

#include "base/checksum.h"
#include "run/sample_run.h"

namespace ashlar::run {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::string valid_run(uint8_t variant) {
  SampleEntries entries =
      sample_entries(variant % 4, {.key_count = 20, .max_versions = 3, .max_value_bytes = 60});
  if (variant % 8 == 7) {
    const std::string key = stored_key(9, "large");
    entries.push_back({key, kv::make_trailer(Sequence(1), kv::Kind::put), std::string(70'000, 'v')});
  }
  return *build_sample(entries,
                       {.compression = static_cast<Compression>(variant / 16 % 4), .block_bytes = 1024});
}

// Header and footer of a valid run around whatever there is; offsets kept if they make sense.
void reseal(std::string& bytes) {
  if (bytes.size() < FileHeader::kBytes + Footer::kBytes) return;
  FileHeader header;
  header.database = kSampleDatabase;
  header.id = kSampleRun;
  header.store(bytes.data());
  char* at = bytes.data() + bytes.size() - Footer::kBytes;
  Footer footer;
  const uint64_t end = bytes.size() - Footer::kBytes;
  const auto clamp = [end](uint64_t offset, uint64_t low) { return std::clamp(offset, low, end); };
  footer.filter_offset = clamp(load_u64(at), FileHeader::kBytes);
  footer.index_offset = clamp(load_u64(at + 8), footer.filter_offset);
  footer.properties_offset = clamp(load_u64(at + 16), footer.index_offset);
  footer.file_bytes = bytes.size();

  // The blocks, as far as the index tells where they are.
  const Bytes index =
      Bytes(bytes).substr(footer.index_offset, footer.properties_offset - footer.index_offset);
  const uint64_t blocks_seed = seed_of(kSampleDatabase, kSampleRun, Purpose::block);
  if (index.size() >= Index::kHeadBytes) {
    const uint64_t count = load_u64(index.data());
    const uint64_t room = (index.size() - Index::kHeadBytes) / 24;
    for (uint64_t i = 0; i < count && count <= room; ++i) {
      const char* offsets = index.data() + Index::kHeadBytes + count * 8;
      const uint64_t begin = load_u64(offsets + i * 8);
      const uint64_t block_end = i + 1 < count ? load_u64(offsets + (i + 1) * 8) : footer.filter_offset;
      if (begin >= block_end || block_end > footer.filter_offset) continue;
      const Bytes block = Bytes(bytes).substr(begin, block_end - begin);
      const Result<BlockHead> head = BlockHead::load(block);
      if (!head.ok()) continue;
      store_u64(bytes.data() + begin, block_checksum(block, head.value(), block_seed(blocks_seed, begin)));
    }
  }
  const auto section = [&bytes](uint64_t begin, uint64_t section_end, Purpose purpose) {
    return checksum(Bytes(bytes).substr(begin, section_end - begin),
                    seed_of(kSampleDatabase, kSampleRun, purpose));
  };
  footer.filter_checksum = section(footer.filter_offset, footer.index_offset, Purpose::filter);
  footer.index_checksum = section(footer.index_offset, footer.properties_offset, Purpose::index);
  footer.properties_checksum = section(footer.properties_offset, end, Purpose::properties);
  footer.store(at, seed_of(kSampleDatabase, kSampleRun, Purpose::footer));
}

void require_expected(const Status& status) {
  require(status.ok() || status.code() == Code::corruption || status.code() == Code::unsupported_format);
}

// Bounded, because changed bytes may make entries that lead in circles nowhere, but never many more than there are bytes.
void walk(kv::Cursor& cursor, bool forward, size_t limit) {
  size_t sum = 0;
  for (size_t steps = 0; cursor.valid(); forward ? cursor.next() : cursor.previous()) {
    require(++steps <= limit);
    require(cursor.key().size() >= kv::kKeyspacePrefixBytes);
    for (const char c : cursor.key()) sum += static_cast<uint8_t>(c);
    for (const char c : cursor.value()) sum += static_cast<uint8_t>(c);
  }
  require_expected(cursor.status());
  require(sum < SIZE_MAX);
}

void read_everything(const SharedBytes& bytes) {
  BlockCache cache(100'000);
  auto opened = open_sample(bytes, &cache);
  require_expected(opened.status());
  if (!opened.ok()) return;
  const Reader& reader = *opened.value();
  Prng prng(bytes->size());
  for (int i = 0; i < 30; ++i) {
    const std::string key = sample_key(prng, 4);
    Found found;
    require_expected(reader.get(key, Reader::hash_key(key), Sequence(prng.below(300)), &found));
    size_t sum = 0;
    if (found.found) {
      for (const char c : found.value) sum += static_cast<uint8_t>(c);
    }
    require(sum < SIZE_MAX);
    const auto cursor = reader.cursor({.cache = i % 2 == 0 ? CacheUse::fill : CacheUse::bypass});
    i % 3 == 0 ? cursor->seek_for_previous(key, prng.next()) : cursor->seek(key, prng.next());
    for (int step = 0; step < 5 && cursor->valid(); ++step)
      prng.one_in(2) ? cursor->next() : cursor->previous();
    require_expected(cursor->status());
  }
  // An entry takes ten bytes at least; decompression is limited by what its method can do to so few bytes.
  const size_t limit = (bytes->size() + 64) * 32768;
  const auto cursor = reader.cursor({.readahead_bytes = 5000});
  cursor->seek_first();
  walk(*cursor, true, limit);
  cursor->seek_last();
  walk(*cursor, false, limit);
  require_expected(reader.verify());
}

}  // namespace
}  // namespace ashlar::run

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ashlar;
  using namespace ashlar::run;
  if (size < 2) return 0;
  const uint8_t mode = data[0] % 4;
  std::string bytes;
  if (mode < 2) {
    bytes.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  } else {
    bytes = valid_run(data[1]);
    // Three bytes a change: where (relative to the end of the last, so that small numbers stay near), and what.
    size_t at = 0;
    for (size_t i = 2; i + 2 < size; i += 3) {
      at = (at + load_u16(data + i)) % bytes.size();
      bytes[at] = static_cast<char>(data[i + 2]);
    }
  }
  if (mode % 2 == 1) reseal(bytes);
  read_everything(std::make_shared<std::string>(std::move(bytes)));
  return 0;
}
