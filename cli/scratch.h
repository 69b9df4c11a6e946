// A directory of one's own that goes away with the object.
#pragma once

#include <filesystem>
#include <string>

namespace ashlar::cli {

class ScratchDirectory {
 public:
  // Under `parent`; where that is empty, under the system's directory for temporary files.
  ScratchDirectory(const std::string& parent, const std::string& name);
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// Bytes that the files of a directory occupy.
uint64_t disk_bytes(const std::filesystem::path& directory);

}  // namespace ashlar::cli
