// A list of writes that is applied wholly or not at all.
//
//   ash::WriteBatch batch;
//   batch.put("apple/red", "7").remove("pear");
//   db.write(batch).check();
//
// The last operation on a key wins. Chained calls return nothing to check, so the first one that fails (a key beyond
// the limit) marks the batch: writing it then fails with that error and changes nothing. clear() takes the mark off
// and keeps the memory. Move-only; one that was moved from is an empty batch. One thread at a time.
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/bytes.hpp>
#include <ashlar/cpp/error.hpp>
#include <cstddef>
#include <memory>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

class Keyspace;

class WriteBatch {
 public:
  WriteBatch() noexcept = default;
  WriteBatch(WriteBatch&&) noexcept = default;
  WriteBatch& operator=(WriteBatch&&) noexcept = default;

  WriteBatch& put(Bytes key, Bytes value) { return put_in(0, key, value); }
  WriteBatch& insert(Bytes key, Bytes value) { return put_in(0, key, value); }
  WriteBatch& remove(Bytes key) { return remove_in(0, key); }
  // The same in a keyspace; one batch may span several.
  WriteBatch& put(const Keyspace& keyspace, Bytes key, Bytes value);
  WriteBatch& insert(const Keyspace& keyspace, Bytes key, Bytes value);
  WriteBatch& remove(const Keyspace& keyspace, Bytes key);

  // The same for a keyspace known by its id.
  WriteBatch& put_in(ashlar_keyspace keyspace, Bytes key, Bytes value) {
    return note(ashlar_batch_put(made(), keyspace, key.data(), key.size(), value.data(), value.size()));
  }
  WriteBatch& remove_in(ashlar_keyspace keyspace, Bytes key) {
    return note(ashlar_batch_remove(made(), keyspace, key.data(), key.size()));
  }

  WriteBatch& clear() {
    if (batch_) ashlar_batch_clear(batch_.get());
    error_ = Status();
    return *this;
  }
  std::size_t count() const noexcept { return ashlar_batch_count(batch_.get()); }
  bool empty() const noexcept { return count() == 0; }
  // The first failure since the last clear().
  const Status& status() const noexcept { return error_; }

  // For calls of the C interface; NULL where nothing was ever put in.
  const ashlar_batch* c() const noexcept { return batch_.get(); }

 private:
  struct Destroy {
    void operator()(ashlar_batch* batch) const { ashlar_batch_destroy(batch); }
  };
  ashlar_batch* made() {
    if (!batch_) batch_.reset(ashlar_batch_create());
    return batch_.get();
  }
  WriteBatch& note(ashlar_code code) {
    if (code != ASHLAR_OK && error_.ok()) error_ = detail::to_status(code);
    return *this;
  }

  std::unique_ptr<ashlar_batch, Destroy> batch_;
  Status error_;
};

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
