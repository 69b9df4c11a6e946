// A Directory of the operating system. Everything goes through one directory descriptor, so a database keeps working
// when its path is renamed under it. Names are flat: a '/' in one is refused, and so is anything but a regular file.
#pragma once

#include <string>
#include <vector>

#include "io/directory.h"
#include "io/posix_descriptor.h"

namespace ashlar::io {

class PosixDirectory final : public Directory {
 public:
  PosixDirectory(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Result<std::unique_ptr<File>> open(const std::string& name, OpenMode mode) override;
  Result<std::vector<std::string>> list() override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& name) override;
  Status sync() override;
  Result<std::unique_ptr<Lock>> lock(const std::string& name) override;
  Result<uint64_t> free_bytes() override;
  const std::string& path() const noexcept override { return path_; }

 private:
  Status check_name(const std::string& name) const;
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

  Descriptor descriptor_;
  std::string path_;
};

// Opens `path`, after creating what is missing of it and syncing every created entry into its parent if asked to.
Result<std::unique_ptr<Directory>> open_posix_directory(const std::string& path, bool create_if_missing);

}  // namespace ashlar::io
