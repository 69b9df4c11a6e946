#include "crash/calls.h"

#include <gtest/gtest.h>

#include "model/values.h"

namespace ashlar::crash {

Status put(store::Store& store, Ledger& ledger, const std::string& key, size_t size_bytes,
           store::WriteMode mode) {
  static uint32_t tag = 1;
  const std::string value(model::value_bytes(tag++, size_bytes));
  Status status = store.put(kDefault, key, value, mode);
  if (status.ok()) {
    ledger.sure[key] = value;
    ledger.perhaps.erase(key);
  } else if (status.code() == Code::indeterminate) {
    ledger.perhaps[key] = value;
  }
  return status;
}

std::vector<Call> all_calls() {
  using store::Store;
  using store::WriteMode;
  return {
      {"put", [](Store& s, Ledger& l) { return put(s, l, "new", 100); }},
      {"put, sync", [](Store& s, Ledger& l) { return put(s, l, "new", 100, WriteMode::sync); }},
      {"puts that rotate",
       [](Store& s, Ledger& l) {
         Status first;
         for (int i = 0; i < 90; ++i) {
           Status status = put(s, l, "fill" + std::to_string(i), 1000);
           if (!status.ok() && first.ok()) first = std::move(status);
         }
         return first;
       }},
      {"put larger than a segment", [](Store& s, Ledger& l) { return put(s, l, "huge", 150000); }},
      {"remove",
       [](Store& s, Ledger& l) {
         Status status = s.remove(kDefault, "key3");
         if (status.ok()) l.sure.erase("key3");
         if (status.code() == Code::indeterminate) l.perhaps["key3"] = "";  // gone; see expect_contents
         return status;
       }},
      {"write",
       [](Store& s, Ledger& l) {
         kv::Batch batch;
         EXPECT_TRUE(batch.put(kDefault, "batch1", "one").ok());
         EXPECT_TRUE(batch.put(kDefault, "batch2", "two").ok());
         Status status = s.write(batch, WriteMode::sync);
         for (const auto& [key, value] : {std::pair{"batch1", "one"}, {"batch2", "two"}}) {
           if (status.ok()) l.sure[key] = value;
           if (status.code() == Code::indeterminate) l.perhaps[key] = value;
         }
         return status;
       }},
      {"get",
       [](Store& s, Ledger& l) {
         for (const auto& [key, value] : l.sure) {
           lsm::PinnedValue pinned;
           bool found = false;
           ASHLAR_TRY(s.get(nullptr, kDefault, key, &pinned, &found));
           EXPECT_TRUE(found && pinned.bytes() == value) << key;
         }
         return ok_status();
       }},
      {"scan",
       [](Store& s, Ledger& l) {
         ASHLAR_ASSIGN(const auto iterator, s.iterate(nullptr, kDefault, store::ScanOptions()));
         size_t rows = 0;
         for (bool on = iterator->first(); on; on = iterator->next()) ++rows;
         if (iterator->status().ok()) {
           EXPECT_EQ(rows, l.sure.size());
         }
         ASHLAR_TRY(iterator->status());
         for (bool on = iterator->last(); on; on = iterator->previous()) --rows;
         if (iterator->status().ok()) {
           EXPECT_EQ(rows, 0u);
         }
         return iterator->status();
       }},
      {"snapshot", [](Store& s, Ledger&) { return s.snapshot().status(); }},
      {"create_keyspace", [](Store& s, Ledger&) { return s.create_keyspace("another").status(); }},
      {"find_keyspace", [](Store& s, Ledger&) { return s.find_keyspace("second").status(); }},
      {"drop_keyspace",
       [](Store& s, Ledger&) {
         ASHLAR_ASSIGN(const auto id, s.find_keyspace("second"));
         return id ? s.drop_keyspace(*id) : ok_status();
       }},
      {"keyspaces", [](Store& s, Ledger&) { return s.keyspaces().status(); }},
      {"sync", [](Store& s, Ledger&) { return s.sync(); }},
      {"flush", [](Store& s, Ledger&) { return s.flush(); }},
      {"compact", [](Store& s, Ledger&) { return s.compact(); }},
      {"wait_idle", [](Store& s, Ledger&) { return s.wait_idle(); }},
      {"verify", [](Store& s, Ledger&) { return s.verify(); }},
      {"stats", [](Store& s, Ledger&) { return s.stats().status(); }},
  };
}

}  // namespace ashlar::crash
