#include "scratch.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace ashlar::bench {

FreshDirectory::FreshDirectory(const std::filesystem::path& parent, const std::string& label) {
  std::filesystem::create_directories(parent);
  std::string name = (parent / (label + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot create " + name);
  }
  path_ = name;
}

FreshDirectory::~FreshDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DiskUse disk_use(const std::filesystem::path& directory) {
  DiskUse use;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    use.allocated_bytes += static_cast<uint64_t>(status.st_blocks) * 512;
    use.apparent_bytes += static_cast<uint64_t>(status.st_size);
  }
  return use;
}

void settle_machine() {
  ::sync();
  ::malloc_trim(0);
}

}  // namespace ashlar::bench
