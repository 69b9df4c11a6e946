// Directories for single runs, and what a database occupies on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ashlar::bench {

// A new, empty directory that is deleted with everything in it when the object goes.
class FreshDirectory {
 public:
  FreshDirectory(const std::filesystem::path& parent, const std::string& label);
  FreshDirectory(const FreshDirectory&) = delete;
  FreshDirectory& operator=(const FreshDirectory&) = delete;
  ~FreshDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct DiskUse {
  uint64_t allocated_bytes = 0;  // st_blocks: what the file system gave
  uint64_t apparent_bytes = 0;   // st_size: what the files claim, holes included
};
[[nodiscard]] DiskUse disk_use(const std::filesystem::path& directory);

// Writes back what earlier runs left dirty and returns freed memory, so that every run starts from the same state.
void settle_machine();

}  // namespace ashlar::bench
