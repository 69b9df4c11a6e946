// One directory on disk: names, and what a power cut does to them.
//
// A created, renamed or removed name is durable only after sync(). rename() replaces atomically: after any crash the
// target name holds the old file or the new one. Threads: all calls from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/file.h"

namespace ashlar::io {

enum class OpenMode : uint8_t {
  read_only,
  read_write,
  create,  // read and write; must not exist yet
};

// Held for as long as the object lives; the operating system drops it when the process dies.
class Lock {
 public:
  virtual ~Lock() = default;
};

class Directory {
 public:
  virtual ~Directory() = default;
  // Errors: io (the text says which call and why; a missing file is io with "no such file").
  virtual Result<std::unique_ptr<File>> open(const std::string& name, OpenMode mode) = 0;
  // Names of the regular files, unsorted.
  virtual Result<std::vector<std::string>> list() = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& name) = 0;
  virtual Status sync() = 0;
  // Exclusive lock against other processes and other handles of this process. Error: busy, naming the holder
  // (process id and command) as far as it can be known. The lock file stays behind; it is not a claim by itself.
  virtual Result<std::unique_ptr<Lock>> lock(const std::string& name) = 0;
  // Bytes an ordinary user may still write on this file system.
  virtual Result<uint64_t> free_bytes() = 0;
  // Path as given, for messages.
  virtual const std::string& path() const noexcept = 0;
};

}  // namespace ashlar::io
