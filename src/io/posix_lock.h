// The exclusive lock on a directory: flock(2) on a lock file that is kept, plus a list of what this process holds.
//
//   lock file   "4711 ashlar\n": who took it last. Only a hint for messages; the flock is the claim.
//
// I1 The lock ends with the process that took it. A descriptor would live on in a fork child and hold the lock there
//    after the parent's death, so a fork handler closes the child's copies.
// I2 A second handle in the same process is refused even where flock is emulated by per-process record locks (NFS),
//    and is refused before the file is opened: closing a second descriptor would drop such a lock.
// I3 The file that is locked is the one the name leads to; a lock on a file that was just removed is no lock.
// Not here: protection against somebody removing the lock file while it is held.
#pragma once

#include <memory>
#include <string>

#include "io/directory.h"

namespace ashlar::io {

// `directory_fd` is only used during the call.
Result<std::unique_ptr<Lock>> take_posix_lock(int directory_fd, const std::string& directory_path,
                                              const std::string& name);

}  // namespace ashlar::io
