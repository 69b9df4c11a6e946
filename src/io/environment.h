// Everything the engine needs from outside, in one place: directories, time, threads, random identity.
//
// `posix_environment()` is the real one. A simulated one lives in io/sim and is never part of the library.
#pragma once

#include <memory>
#include <string>

#include "io/clock.h"
#include "io/directory.h"
#include "io/executor.h"

namespace ashlar::io {

enum class CreateMode : uint8_t {
  must_exist,
  create_if_missing,
};

class Environment {
 public:
  virtual ~Environment() = default;
  virtual Clock& clock() = 0;
  virtual std::unique_ptr<Executor> create_executor() = 0;
  // Missing parents are created too; every created entry is synced into its parent.
  virtual Result<std::unique_ptr<Directory>> open_directory(const std::string& path, CreateMode mode) = 0;
  // Changes exactly when the machine loses what was only in its memory (reboot, power cut): Linux's boot id. Equal ids
  // prove that everything written to a file or a mapping, synced or not, is still there. {0,0} = unknown.
  virtual Uuid boot_id() = 0;
  virtual Uuid random_uuid() = 0;
};

// The operating system. One per process, never destroyed.
Environment& posix_environment();

}  // namespace ashlar::io
