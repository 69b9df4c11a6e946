// For tests: a directory that is a map of strings, whose bytes can be looked at and damaged, and which fails
// on demand.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/directory.h"

namespace ashlar::lsm {

class MemoryDirectory final : public io::Directory {
 public:
  using SharedBytes = std::shared_ptr<std::string>;

  // Asked before everything that changes or syncs something: "create", "write", "sync", "rename", "remove",
  // "sync directory". A write that is refused has done its first 64 bytes. Reads are not asked about.
  std::function<Status(const char* what, const std::string& name)> before_change;
  std::map<std::string, SharedBytes> files;
  uint64_t opened = 0;

  // A deep copy: what a backup, or a crash that loses nothing, would find.
  std::shared_ptr<MemoryDirectory> copy() const {
    auto other = std::make_shared<MemoryDirectory>();
    for (const auto& [name, bytes] : files) other->files[name] = std::make_shared<std::string>(*bytes);
    return other;
  }
  Status ask(const char* what, const std::string& name) {
    return before_change ? before_change(what, name) : Status();
  }

  Result<std::unique_ptr<io::File>> open(const std::string& name, io::OpenMode mode) override;
  Result<std::vector<std::string>> list() override {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files) names.push_back(name);
    return names;
  }
  Status rename(const std::string& from, const std::string& to) override {
    ASHLAR_TRY(ask("rename", from));
    if (!files.contains(from)) return io_error(from + ": rename: no such file");
    files[to] = files[from];
    files.erase(from);
    return ok_status();
  }
  // Files that are open stay readable.
  Status remove(const std::string& name) override {
    ASHLAR_TRY(ask("remove", name));
    return files.erase(name) == 1 ? ok_status() : io_error(name + ": remove: no such file");
  }
  Status sync() override { return ask("sync directory", path_); }
  Result<std::unique_ptr<io::Lock>> lock(const std::string&) override { return std::make_unique<io::Lock>(); }
  Result<uint64_t> free_bytes() override { return uint64_t{1} << 40; }
  const std::string& path() const noexcept override { return path_; }

 private:
  std::string path_ = "memory";
};

class MemoryDirectoryFile final : public io::File {
 public:
  MemoryDirectoryFile(MemoryDirectory* directory, MemoryDirectory::SharedBytes bytes, std::string name)
      : directory_(directory), bytes_(std::move(bytes)), name_(std::move(name)) {}

  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override {
    if (offset >= bytes_->size()) return size_t{0};
    return bytes_->copy(static_cast<char*>(buffer), size_bytes, offset);
  }
  Status write_at(uint64_t offset, Bytes bytes) override {
    Status asked = directory_->ask("write", name_);
    if (!asked.ok()) bytes = bytes.substr(0, 64);
    if (offset + bytes.size() > bytes_->size()) bytes_->resize(offset + bytes.size());
    bytes.copy(bytes_->data() + offset, bytes.size());
    return asked;
  }
  Status sync() override { return directory_->ask("sync", name_); }
  Result<uint64_t> size_bytes() const override { return uint64_t{bytes_->size()}; }
  Status resize(uint64_t size_bytes) override {
    ASHLAR_TRY(directory_->ask("write", name_));
    bytes_->resize(size_bytes);
    return ok_status();
  }
  Status fill_zeros(uint64_t size_bytes) override {
    ASHLAR_TRY(directory_->ask("write", name_));
    bytes_->assign(size_bytes, '\0');
    return ok_status();
  }
  Result<std::unique_ptr<io::Mapping>> map(uint64_t) override {
    return io_error(name_ + ": cannot be mapped");
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  MemoryDirectory* directory_;
  MemoryDirectory::SharedBytes bytes_;
  std::string name_;
};

inline Result<std::unique_ptr<io::File>> MemoryDirectory::open(const std::string& name, io::OpenMode mode) {
  const bool is_there = files.contains(name);
  if (mode == io::OpenMode::create) {
    ASHLAR_TRY(ask("create", name));
    if (is_there) return io_error(name + ": create: file exists");
    files[name] = std::make_shared<std::string>();
  } else if (!is_there) {
    return io_error(name + ": open: no such file");
  }
  ++opened;
  std::unique_ptr<io::File> file = std::make_unique<MemoryDirectoryFile>(this, files[name], name);
  return file;
}

}  // namespace ashlar::lsm
