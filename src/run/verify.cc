#include "run/verify.h"

#include "base/aes_hash.h"
#include "run/block_stream.h"

namespace ashlar::run {

namespace {

class Verifier {
 public:
  explicit Verifier(const Source& source) : source_(source), stream_(source, {.cache = CacheUse::bypass}) {}

  Status run() {
    ASHLAR_TRY(source_.verify_sections());
    for (size_t block = 0; block < source_.index().block_count(); ++block) {
      LoadedBlock loaded;
      ASHLAR_TRY(stream_.load(block, &loaded));
      seen_.blocks_checksum = chain_checksum(seen_.blocks_checksum, loaded.checksum);
      ++seen_.block_count;
      if (Status status = check_block(block, loaded.view); !status.ok()) {
        return source_.at(source_.index().offset(block), status);
      }
    }
    return check_properties();
  }

 private:
  Status check_block(size_t block, const BlockView& view) {
    const Index& index = source_.index();
    for (uint32_t i = 0; i < view.count(); ++i) {
      const Entry entry = view.entry(i);
      const std::string key = view.key(i);
      if (seen_.entry_count > 0 && kv::compare_entries(last_key_, last_trailer_, key, entry.trailer) >= 0) {
        return mismatch("entries out of order, entry", i + 1, i);
      }
      if (index.compare(block, key, entry.trailer) > 0) return mismatch("separator after entry", i + 1, i);
      if (block + 1 < index.block_count() && index.compare(block + 1, key, entry.trailer) <= 0) {
        return mismatch("next separator before entry", i + 1, i);
      }
      ASHLAR_TRY(check_hash(view, i, key));
      count(key, entry);
      last_key_ = key;
      last_trailer_ = entry.trailer;
    }
    // Found as a get would find it: the next block is asked only if the index says that the key goes on there.
    const bool continues = block + 1 < index.block_count() && index.continues_key(block + 1);
    if (continues != next_begins_with_last_key(block))
      return mismatch("key reaching into the next block", 1, 0);
    return ok_status();
  }

  Status check_hash(const BlockView& view, uint32_t i, Bytes key) const {
    const uint64_t hash = aes_hash(key);
    if (view.fingerprint(i) != fingerprint_of(hash)) {
      return mismatch("fingerprint", fingerprint_of(hash), view.fingerprint(i));
    }
    return source_.filter().may_contain(hash) ? ok_status() : mismatch("key in the filter, entry", i, i + 1);
  }

  // A separator that carries the whole key and a trailer says so; one that does not is smaller than the key.
  bool next_begins_with_last_key(size_t block) const {
    const Index& index = source_.index();
    return block + 1 < index.block_count() && index.compare(block + 1, last_key_, ~uint64_t{0}) > 0 &&
           index.compare(block + 1, last_key_, 0) <= 0;
  }

  void count(Bytes key, const Entry& entry) {
    const Sequence sequence = kv::trailer_sequence(entry.trailer);
    const bool first = seen_.entry_count == 0;
    if (first) seen_.smallest_key = key;
    if (first || last_key_ != key) {
      ++seen_.key_count;
      const KeyspaceId keyspace = kv::keyspace_of(key);
      if (first || seen_.keyspaces.back() != keyspace) seen_.keyspaces.push_back(keyspace);
    }
    if (first || sequence < seen_.smallest_sequence) seen_.smallest_sequence = sequence;
    if (first || sequence > seen_.largest_sequence) seen_.largest_sequence = sequence;
    ++seen_.entry_count;
    ++(kv::trailer_kind(entry.trailer) == kv::Kind::put ? seen_.put_count : seen_.tombstone_count);
    seen_.raw_key_bytes += key.size();
    seen_.raw_value_bytes += entry.value.size();
  }

  Status check_properties() {
    const Properties& said = source_.properties();
    seen_.largest_key = last_key_;
    seen_.file_bytes = said.file_bytes;
    seen_.identity = said.identity;
    if (seen_ == said) return ok_status();
    if (seen_.blocks_checksum != said.blocks_checksum) {
      return source_.at(0, mismatch("checksum of all blocks", said.blocks_checksum, seen_.blocks_checksum));
    }
    return source_.at(
        0, mismatch("properties do not tell the truth, entries", said.entry_count, seen_.entry_count));
  }

  const Source& source_;
  BlockStream stream_;
  Properties seen_;
  std::string last_key_;
  uint64_t last_trailer_ = 0;
};

}  // namespace

Status verify_run(const Source& source) { return Verifier(source).run(); }

}  // namespace ashlar::run
