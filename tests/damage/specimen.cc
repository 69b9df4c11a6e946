#include "damage/specimen.h"

#include <algorithm>

#include "model/values.h"

namespace ashlar::damage {

namespace {

void must(const Status& status) { ASHLAR_CHECK(status.ok()); }

class Builder {
 public:
  Builder(store::Store& store, Contents& contents) : store_(store), contents_(contents) {
    contents_["default"];
  }

  KeyspaceId keyspace(const std::string& name) {
    auto made = store_.create_keyspace(name);
    ASHLAR_CHECK(made.ok());
    contents_[name];
    return made.value();
  }
  void put(const std::string& name, KeyspaceId id, const std::string& key, size_t value_bytes) {
    const Bytes value = model::value_bytes(tag_++, value_bytes);
    must(store_.put(id, key, value));
    contents_[name][key] = value;
  }
  void remove(const std::string& name, KeyspaceId id, const std::string& key) {
    must(store_.remove(id, key));
    contents_[name].erase(key);
  }

 private:
  store::Store& store_;
  Contents& contents_;
  uint32_t tag_ = 1;
};

void fill(store::Store& store, Contents& contents) {
  Builder builder(store, contents);
  const KeyspaceId main{0};
  const KeyspaceId second = builder.keyspace("second");
  for (int i = 0; i < 12; ++i)
    builder.put("default", main, "key" + std::to_string(i), 30 + 7 * static_cast<size_t>(i));
  for (int i = 0; i < 5; ++i) builder.put("second", second, "other" + std::to_string(i), 20);
  must(store.flush());
  for (int i = 0; i < 6; ++i) builder.put("default", main, "key" + std::to_string(2 * i), 25);
  builder.remove("default", main, "key3");
  must(store.compact());
  // Tombstones above live versions: losing this run must not go unnoticed.
  builder.remove("default", main, "key5");
  builder.put("default", main, "", 10);
  builder.put("second", second, std::string("\0nul", 4), 0);
  must(store.flush());
  // Only in the journal.
  const KeyspaceId third = builder.keyspace("third");
  builder.remove("default", main, "key7");
  for (int i = 0; i < 4; ++i) builder.put("third", third, "late" + std::to_string(i), 15);
  kv::Batch batch;
  for (const auto& [name, id] : {std::pair{"default", main}, {"second", second}, {"third", third}}) {
    must(batch.put(id, "batch", "of three"));
    contents[name]["batch"] = "of three";
  }
  must(store.write(batch));
  builder.put("second", second, "last", 18);
}

bool names_one(Bytes text, const std::vector<std::string>& suspects) {
  return std::any_of(suspects.begin(), suspects.end(),
                     [&](const std::string& name) { return text.find(name) != Bytes::npos; });
}

// Reads all keyspaces in both ways; fills `found`, or returns the first error.
Status read_all(store::Store& store, const Contents& expected, Contents& found) {
  ASHLAR_ASSIGN(const auto keyspaces, store.keyspaces());
  for (const auto& keyspace : keyspaces) {
    Rows& rows = found[keyspace.name];
    ASHLAR_ASSIGN(const auto cursor, store.iterate(nullptr, keyspace.id, store::ScanOptions()));
    for (bool on = cursor->first(); on; on = cursor->next()) rows.emplace(cursor->key(), cursor->value());
    ASHLAR_TRY(cursor->status());
    size_t backwards = 0;
    for (bool on = cursor->last(); on; on = cursor->previous()) ++backwards;
    ASHLAR_TRY(cursor->status());
    if (backwards != rows.size()) found["backwards"]["rows"] = std::to_string(backwards);
    const auto known = expected.find(keyspace.name);
    if (known == expected.end()) continue;
    for (const auto& [key, value] : known->second) {
      lsm::PinnedValue pinned;
      bool present = false;
      ASHLAR_TRY(store.get(nullptr, keyspace.id, key, &pinned, &present));
      if (!present || pinned.bytes() != value)
        found["get"][key] = present ? std::string(pinned.bytes()) : "absent";
    }
    for (const char* absent : {"key3", "key5", "key7", "nothing"}) {
      lsm::PinnedValue pinned;
      bool present = false;
      ASHLAR_TRY(store.get(nullptr, keyspace.id, absent, &pinned, &present));
      if (present) found["get"][absent] = "present";
    }
  }
  return ok_status();
}

Verdict of_error(const Status& status, const char* call, Verdict::Kind kind,
                 const std::vector<std::string>& suspects) {
  const std::string text = std::string(call) + ": " + status.to_string();
  if (status.code() != Code::corruption || !names_one(status.message(), suspects))
    return {Verdict::Kind::wrong, text};
  return {kind, text};
}

}  // namespace

Specimen make_specimen(Ending ending, run::Compression compression) {
  Specimen specimen;
  specimen.options.preset = store::Preset::durable;
  specimen.options.compression = compression;
  specimen.options.delta_bytes = store::kMinDeltaBytes;
  specimen.options.first_segment_bytes = 16 << 10;
  specimen.options.block_cache_bytes = 64 << 10;
  specimen.options.run_block_bytes = 1024;
  auto store = store::Store::open(*specimen.world, kPath, specimen.options);
  ASHLAR_CHECK(store.ok());
  fill(**store, specimen.contents);
  if (ending == Ending::closed) {
    must((*store)->close());
  } else {
    specimen.world->kill_process();
  }
  store->reset();
  for (const std::string& path : specimen.world->files()) {
    specimen.files.push_back(path.substr(std::string(kPath).size() + 1));
  }
  std::sort(specimen.files.begin(), specimen.files.end());
  return specimen;
}

Verdict examine(io::sim::World& world, const Specimen& specimen, const std::vector<std::string>& suspects) {
  store::Options options = specimen.options;
  options.create_if_missing = false;
  auto opened = store::Store::open(world, kPath, options);
  if (!opened.ok()) {
    return of_error(opened.status(), "open", Verdict::Kind::refused, suspects);
  }
  store::Store& store = **opened;
  Contents found;
  const Status read = read_all(store, specimen.contents, found);
  if (!read.ok()) return of_error(read, "read", Verdict::Kind::refused, suspects);
  if (found != specimen.contents) return {Verdict::Kind::wrong, "other data, and no error"};
  const Status verified = store.verify();
  if (!verified.ok()) return of_error(verified, "verify", Verdict::Kind::noticed, suspects);
  return {};
}

}  // namespace ashlar::damage
