#include "io/posix_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "io/posix_error.h"
#include "io/posix_file.h"
#include "io/posix_lock.h"

namespace ashlar::io {

namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

int open_flags(OpenMode mode) {
  // O_NONBLOCK: a FIFO of that name must not hang the open; it means nothing for regular files.
  constexpr int kCommon = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  switch (mode) {
    case OpenMode::read_only:
      return kCommon | O_RDONLY;
    case OpenMode::read_write:
      return kCommon | O_RDWR;
    case OpenMode::create:
      return kCommon | O_RDWR | O_CREAT | O_EXCL;
  }
  return kCommon;
}

Status sync_descriptor(int fd, const std::string& path) {
  int outcome = 0;
  do {
    outcome = ::fsync(fd);
  } while (outcome != 0 && errno == EINTR);
  // EINVAL: a file system without such a call for directories (some network ones); it has nothing more to offer.
  if (outcome == 0 || errno == EINVAL) return ok_status();
  return posix_error(errno, "fsync", path);
}

std::string parent_of(const std::string& path) {
  const size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) return "/";
  const size_t slash = path.find_last_of('/', last);
  if (slash == std::string::npos) return ".";
  const size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

Status sync_parent(const std::string& path) {
  const std::string parent = parent_of(path);
  const Descriptor descriptor(::open(parent.c_str(), kDirectoryFlags));
  if (descriptor.valid()) return sync_descriptor(descriptor.get(), parent);
  // A parent we may pass through and not read cannot hold an entry that we created.
  return errno == EACCES ? ok_status() : posix_error(errno, "open", parent);
}

Status create_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0) {
    if (errno == ENOENT && parent_of(path) != path) {
      ASHLAR_TRY(create_directory(parent_of(path)));
      if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return posix_error(errno, "mkdir", path);
    } else if (errno != EEXIST) {
      return posix_error(errno, "mkdir", path);
    }
  }
  // Even when it was there: whoever created it may have died before its own sync.
  return sync_parent(path);
}

bool is_regular(int directory_fd, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_REG;
  struct stat found = {};
  return ::fstatat(directory_fd, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
}

}  // namespace

Status PosixDirectory::check_name(const std::string& name) const {
  const bool flat = !name.empty() && name != "." && name != ".." &&
                    name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  return flat ? ok_status() : invalid_argument("in " + path_ + ": '" + name + "' is not a plain file name");
}

Result<std::unique_ptr<File>> PosixDirectory::open(const std::string& name, OpenMode mode) {
  ASHLAR_TRY(check_name(name));
  Descriptor file(::openat(descriptor_.get(), name.c_str(), open_flags(mode), 0644));
  if (!file.valid()) return posix_error(errno, mode == OpenMode::create ? "create" : "open", path_of(name));
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return posix_error(errno, "stat", path_of(name));
  if (!S_ISREG(found.st_mode)) return io_error("open " + path_of(name) + ": not a regular file");
  return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(file), path_, name));
}

Result<std::vector<std::string>> PosixDirectory::list() {
  // A descriptor of its own: the read position belongs to the open file, and callers may list at the same time.
  Descriptor own(::openat(descriptor_.get(), ".", kDirectoryFlags));
  if (!own.valid()) return posix_error(errno, "open", path_);
  DIR* stream = ::fdopendir(own.get());
  if (stream == nullptr) return posix_error(errno, "list", path_);
  own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    if (is_regular(::dirfd(stream), *entry)) names.emplace_back(entry->d_name);
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return posix_error(error, "list", path_);
  return names;
}

Status PosixDirectory::rename(const std::string& from, const std::string& to) {
  ASHLAR_TRY(check_name(from));
  ASHLAR_TRY(check_name(to));
  if (::renameat(descriptor_.get(), from.c_str(), descriptor_.get(), to.c_str()) == 0) return ok_status();
  return posix_error(errno, "rename", path_of(from) + " to " + to);
}

Status PosixDirectory::remove(const std::string& name) {
  ASHLAR_TRY(check_name(name));
  if (::unlinkat(descriptor_.get(), name.c_str(), 0) == 0) return ok_status();
  return posix_error(errno, "remove", path_of(name));
}

Status PosixDirectory::sync() { return sync_descriptor(descriptor_.get(), path_); }

Result<std::unique_ptr<Lock>> PosixDirectory::lock(const std::string& name) {
  ASHLAR_TRY(check_name(name));
  return take_posix_lock(descriptor_.get(), path_, name);
}

Result<uint64_t> PosixDirectory::free_bytes() {
  struct statvfs found = {};
  int outcome = 0;
  do {
    outcome = ::fstatvfs(descriptor_.get(), &found);
  } while (outcome != 0 && errno == EINTR);
  if (outcome != 0) return posix_error(errno, "statvfs", path_);
  return uint64_t{found.f_bavail} * uint64_t{found.f_frsize};
}

Result<std::unique_ptr<Directory>> open_posix_directory(const std::string& path, bool create_if_missing) {
  if (path.empty()) return invalid_argument("open: the directory path is empty");
  if (create_if_missing) ASHLAR_TRY(create_directory(path));
  Descriptor descriptor(::open(path.c_str(), kDirectoryFlags));
  if (!descriptor.valid()) return posix_error(errno, "open directory", path);
  return std::unique_ptr<Directory>(std::make_unique<PosixDirectory>(std::move(descriptor), path));
}

}  // namespace ashlar::io
