#include "lsm/run_builder.h"

#include <utility>

#include "base/checksum.h"
#include "kv/entry.h"

namespace ashlar::lsm {

namespace {

constexpr uint64_t kEntriesBetweenStops = 4096;

// Depends on every bit of every entry and on their order.
uint64_t fold(uint64_t digest, Bytes key, uint64_t trailer, Bytes value) {
  return checksum(value, checksum(key, digest ^ trailer));
}

}  // namespace

RunBuilder::~RunBuilder() {
  if (writer_ != nullptr) {
    writer_.reset();
    (void)target_.context->directory->remove(run_file_name(id_));
  }
  for (const Written& written : written_) written.run->mark_obsolete();
}

Status RunBuilder::begin_run() {
  id_ = target_.next_id();
  const std::string name = run_file_name(id_);
  ASHLAR_ASSIGN(auto file, target_.context->directory->open(name, io::OpenMode::create));
  auto writer = run::Writer::create(std::move(file), target_.writer, target_.context->database, id_);
  if (!writer.ok()) {
    (void)target_.context->directory->remove(name);
    return std::move(writer).status();
  }
  writer_ = std::move(writer).value();
  digest_ = 0;
  return ok_status();
}

Status RunBuilder::end_run() {
  ASHLAR_ASSIGN(run::Properties properties, writer_->finish());
  writer_.reset();
  written_.push_back({std::make_shared<RunMeta>(target_.context, id_, std::move(properties)), digest_});
  return ok_status();
}

Status RunBuilder::add(Bytes stored_key, uint64_t trailer, Bytes value) {
  // The writer copies from where the value points, and no copy may begin nowhere, not even of no bytes.
  if (value.empty()) value = Bytes("");
  if (writer_ != nullptr && writer_->bytes_written() >= target_.target_file_bytes && stored_key != last_key_)
    ASHLAR_TRY(end_run());
  if (writer_ == nullptr) ASHLAR_TRY(begin_run());
  ASHLAR_TRY(writer_->add(stored_key, trailer, value));
  if (target_.read_back == ReadBack::compare) digest_ = fold(digest_, stored_key, trailer, value);
  last_key_.assign(stored_key);
  return ok_status();
}

Result<std::vector<RunRef>> RunBuilder::finish(const std::function<bool()>& should_stop) {
  if (writer_ != nullptr) ASHLAR_TRY(end_run());
  if (!written_.empty()) ASHLAR_TRY(target_.context->directory->sync());
  for (const Written& written : written_) {
    if (target_.read_back == ReadBack::trust) break;
    ASHLAR_TRY(verify_run(*written.run, written.digest, should_stop));
  }
  std::vector<RunRef> runs;
  for (Written& written : written_) runs.push_back(std::move(written.run));
  written_.clear();
  return runs;
}

Status verify_run(const RunMeta& run, uint64_t digest, const std::function<bool()>& should_stop) {
  const auto wrong = [&](const char* what) {
    return corruption(run.file_name() + ": read back after writing: expected " + what);
  };
  ASHLAR_ASSIGN(const run::Reader* reader, run.reader());
  const auto cursor = reader->cursor({.cache = run::CacheUse::bypass});
  uint64_t found_digest = 0;
  uint64_t entry_count = 0;
  std::string last_key;
  uint64_t last_trailer = 0;
  for (cursor->seek_first(); cursor->valid(); cursor->next()) {
    if (entry_count % kEntriesBetweenStops == 0 && should_stop && should_stop())
      return Status(Code::cancelled, "verification of runs was stopped");
    const bool is_new_key = entry_count == 0 || cursor->key() != last_key;
    if (entry_count > 0 && kv::compare_entries(last_key, last_trailer, cursor->key(), cursor->trailer()) >= 0)
      return wrong("entries in ascending order, found two that are not");
    if (is_new_key && !reader->may_contain(run::Reader::hash_key(cursor->key())))
      return wrong("every key in the filter, found one that is not");
    found_digest = fold(found_digest, cursor->key(), cursor->trailer(), cursor->value());
    if (is_new_key) last_key.assign(cursor->key());
    last_trailer = cursor->trailer();
    ++entry_count;
  }
  ASHLAR_TRY(cursor->status());
  if (entry_count != run.properties().entry_count)
    return wrong("as many entries as were written, found another number");
  if (found_digest != digest) return wrong("the entries that were written, found others");
  return ok_status();
}

}  // namespace ashlar::lsm
