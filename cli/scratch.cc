#include "scratch.h"

#include <sys/stat.h>

#include <cstdlib>

#include "failure.h"

namespace ashlar::cli {

namespace fs = std::filesystem;

namespace {

// The unit of st_blocks, whatever the file system.
constexpr uint64_t kStatBlockBytes = 512;

}  // namespace

ScratchDirectory::ScratchDirectory(const std::string& parent, const std::string& name) {
  const fs::path base = parent.empty() ? fs::temp_directory_path() : fs::path(parent);
  std::string pattern = (base / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw system_failure("cannot make a directory in " + base.string());
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

uint64_t disk_bytes(const fs::path& directory) {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    struct stat info = {};
    if (lstat(entry.path().c_str(), &info) == 0)
      bytes += static_cast<uint64_t>(info.st_blocks) * kStatBlockBytes;
  }
  return bytes;
}

}  // namespace ashlar::cli
