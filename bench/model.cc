#include "model.h"

namespace ashlar::bench {

void Model::open(const DriverOptions&) {}

void Model::close() {}

void Model::put(std::string_view key, std::string_view value) {
  const auto it = map_.lower_bound(key);
  if (it != map_.end() && it->first == key) {
    it->second = value;
  } else {
    map_.emplace_hint(it, key, value);
  }
}

void Model::write(std::span<const Entry> entries) {
  for (const Entry& entry : entries) put(entry.key, entry.value);
}

void Model::remove(std::string_view key) {
  const auto it = map_.find(key);
  if (it != map_.end()) map_.erase(it);
}

bool Model::get(std::string_view key, ValueSink sink) {
  const auto it = map_.find(key);
  if (it == map_.end()) return false;
  sink(it->second);
  return true;
}

uint64_t Model::scan(std::string_view from, uint64_t limit, EntrySink sink) {
  uint64_t seen = 0;
  for (auto it = map_.lower_bound(from); it != map_.end() && seen < limit; ++it, ++seen)
    sink(it->first, it->second);
  return seen;
}

}  // namespace ashlar::bench
