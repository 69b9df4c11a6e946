#include "crash/ledger.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/prng.h"
#include "model/values.h"

namespace ashlar::crash {

namespace {

constexpr uint64_t kDeltaBytes = 256 * 1024;

std::string old_key(const std::string& name, uint64_t commit) {
  char text[24];
  std::snprintf(text, sizeof text, "%012" PRIu64, commit);
  return name + "/old/" + text;
}

std::string slot_key(const std::string& name, uint64_t commit) {
  return name + "/slot/" + std::to_string(commit % kSlots);
}

std::string writer_name(uint32_t number) { return "w" + std::to_string(number); }

// The value of a slot depends on writer and commit alone.
Bytes filler(uint32_t number, uint64_t commit) {
  uint64_t state = commit * kMaxWriters + number;
  const uint64_t draw = split_mix(state);
  size_t size = 16 + draw % 500;
  if (draw >> 32 & 1) size = 16 + draw % 60;
  if ((draw >> 24) % 64 == 0) size = 20000 + draw % 5000;
  if ((draw >> 24) % 1024 == 1) size = kDeltaBytes + draw % 200000;
  return model::value_bytes(static_cast<uint32_t>(draw >> 33), size);
}

Bytes number_bytes(const uint64_t& number) {
  return Bytes(reinterpret_cast<const char*>(&number), sizeof number);
}

ashlar_code put(ashlar_db* db, const std::string& key, Bytes value, uint32_t flags) {
  return ashlar_put(db, 0, key.data(), key.size(), value.data(), value.size(), flags);
}

// Absent: 0. A value of another size: nullopt.
std::optional<uint64_t> get_number(ashlar_db* db, const std::string& key) {
  ashlar_value value;
  const ashlar_code code = ashlar_get(db, nullptr, 0, key.data(), key.size(), &value);
  if (code == ASHLAR_NOT_FOUND) return 0;
  if (code != ASHLAR_OK) return std::nullopt;
  std::optional<uint64_t> number;
  if (value.size == sizeof(uint64_t)) {
    uint64_t loaded;
    std::memcpy(&loaded, value.data, sizeof loaded);
    number = loaded;
  }
  ashlar_value_release(&value);
  return number;
}

std::string check_window(ashlar_db* db, const std::string& name, uint64_t last) {
  const std::string prefix = name + "/old/";
  ashlar_scan scan{};
  scan.struct_size = sizeof scan;
  scan.prefix = {prefix.data(), prefix.size()};
  ashlar_iterator* iterator = nullptr;
  if (ashlar_iterator_create(db, nullptr, 0, &scan, &iterator) != ASHLAR_OK) return ashlar_last_error();
  std::string problem;
  uint64_t expected = last > kWindow ? last - kWindow + 1 : 1;
  for (int on = ashlar_iterator_first(iterator); on && problem.empty(); on = ashlar_iterator_next(iterator)) {
    const ashlar_bytes key = ashlar_iterator_key(iterator);
    const ashlar_bytes value = ashlar_iterator_value(iterator);
    const Bytes found(static_cast<const char*>(key.data), key.size);
    if (expected > last || found != old_key(name, expected)) {
      problem = "window of " + name + ": found " + std::string(found) + ", expected " +
                old_key(name, expected) + ", last commit " + std::to_string(last);
    } else if (Bytes(static_cast<const char*>(value.data), value.size) != number_bytes(expected)) {
      problem = "wrong value under " + std::string(found);
    }
    ++expected;
  }
  if (problem.empty() && ashlar_iterator_status(iterator) != ASHLAR_OK) problem = ashlar_last_error();
  if (problem.empty() && expected != last + 1) {
    problem = "window of " + name + " ends before " + std::to_string(expected) + ", last commit " +
              std::to_string(last);
  }
  ashlar_iterator_destroy(iterator);
  return problem;
}

std::string check_slots(ashlar_db* db, ashlar_keyspace slots, uint32_t number, uint64_t last) {
  const std::string name = writer_name(number);
  for (uint64_t commit = last > kSlots ? last - kSlots + 1 : 1; commit <= last; ++commit) {
    const std::string key = slot_key(name, commit);
    ashlar_value value;
    const ashlar_code code = ashlar_get(db, nullptr, slots, key.data(), key.size(), &value);
    if (code == ASHLAR_NOT_FOUND) return key + " of commit " + std::to_string(commit) + " is absent";
    if (code != ASHLAR_OK) return key + ": " + ashlar_last_error();
    const bool right = Bytes(static_cast<const char*>(value.data), value.size) == filler(number, commit);
    ashlar_value_release(&value);
    if (!right) return key + " does not hold the value of commit " + std::to_string(commit);
  }
  return "";
}

}  // namespace

ashlar_code open_database(const std::string& path, ashlar_preset preset, ashlar_db** db,
                          ashlar_keyspace* slots) {
  ashlar_options options;
  ashlar_options_init(&options, preset);
  options.delta_bytes = kDeltaBytes;
  options.block_cache_bytes = 1 << 20;
  const ashlar_code code = ashlar_open(path.c_str(), &options, db);
  if (code != ASHLAR_OK) return code;
  return ashlar_keyspace_create(*db, "slots", 5, slots);
}

Writer::Writer(ashlar_db* db, ashlar_keyspace slots, uint32_t number, Shared::Counters& counters)
    : db_(db),
      slots_(slots),
      name_(writer_name(number)),
      number_(number),
      counters_(&counters),
      batch_(ashlar_batch_create()) {}

ashlar_code Writer::commit_next(uint32_t flags) {
  const uint64_t commit = counters_->batch_acknowledged.load() + 1;
  ashlar_batch_clear(batch_);
  const auto add = [&](ashlar_keyspace keyspace, const std::string& key, Bytes value) {
    return ashlar_batch_put(batch_, keyspace, key.data(), key.size(), value.data(), value.size());
  };
  ashlar_code code = add(0, name_ + "/count", number_bytes(commit));
  if (code == ASHLAR_OK) code = add(0, old_key(name_, commit), number_bytes(commit));
  if (code == ASHLAR_OK) code = add(slots_, slot_key(name_, commit), filler(number_, commit));
  if (code == ASHLAR_OK && commit > kWindow) {
    const std::string gone = old_key(name_, commit - kWindow);
    code = ashlar_batch_remove(batch_, 0, gone.data(), gone.size());
  }
  if (code != ASHLAR_OK) return code;

  counters_->batch_started.store(commit);
  code = ashlar_write(db_, batch_, flags);
  if (code != ASHLAR_OK) return code;
  counters_->batch_acknowledged.store(commit);
  counters_->plain_started.store(commit);
  code = put(db_, name_ + "/plain", number_bytes(commit), flags);
  if (code == ASHLAR_OK) counters_->plain_acknowledged.store(commit);
  return code;
}

Survived survey(ashlar_db* db, ashlar_keyspace slots, uint32_t number) {
  Survived survived;
  const std::string name = writer_name(number);
  const auto count = get_number(db, name + "/count");
  const auto plain = get_number(db, name + "/plain");
  if (!count || !plain) {
    survived.problem = name + ": a counter is unreadable: " + ashlar_last_error();
    return survived;
  }
  survived.batches = *count;
  survived.plain = *plain;
  survived.problem = check_window(db, name, *count);
  if (survived.problem.empty()) survived.problem = check_slots(db, slots, number, *count);
  return survived;
}

}  // namespace ashlar::crash
