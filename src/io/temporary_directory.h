// For tests: a fresh directory of the real file system that is gone, with everything in it, when the object dies.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "base/check.h"
#include "io/environment.h"

namespace ashlar::io {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const Uuid name = posix_environment().random_uuid();
    path_ = std::filesystem::temp_directory_path() / ("ashlar-" + std::to_string(name.high));
    ASHLAR_CHECK(std::filesystem::create_directory(path_));
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;  // a leftover in the system's place for leftovers is no reason to fail
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ashlar::io
