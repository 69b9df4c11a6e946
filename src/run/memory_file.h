// A file that is a string, for the tests, fuzzers and micro benchmarks of this folder. Never part of the library.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "io/file.h"

namespace ashlar::run {

// Files opened on the same bytes see each other's writes, as those of one real file would.
using SharedBytes = std::shared_ptr<std::string>;

class MemoryFile final : public io::File {
 public:
  explicit MemoryFile(SharedBytes bytes, std::string name = "memory.run")
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override {
    if (offset >= bytes_->size()) return size_t{0};
    const size_t count = std::min<size_t>(size_bytes, bytes_->size() - static_cast<size_t>(offset));
    std::memcpy(buffer, bytes_->data() + offset, count);
    return count;
  }
  Status write_at(uint64_t offset, Bytes bytes) override {
    if (offset + bytes.size() > bytes_->size()) bytes_->resize(static_cast<size_t>(offset + bytes.size()));
    std::memcpy(bytes_->data() + offset, bytes.data(), bytes.size());
    return ok_status();
  }
  Status sync() override { return ok_status(); }
  Result<uint64_t> size_bytes() const override { return uint64_t{bytes_->size()}; }
  Status resize(uint64_t size_bytes) override {
    bytes_->resize(static_cast<size_t>(size_bytes));
    return ok_status();
  }
  Status fill_zeros(uint64_t size_bytes) override {
    bytes_->assign(static_cast<size_t>(size_bytes), '\0');
    return ok_status();
  }
  Result<std::unique_ptr<io::Mapping>> map(uint64_t) override {
    return io_error("a file in memory cannot be mapped");
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  SharedBytes bytes_;
  std::string name_;
};

}  // namespace ashlar::run
