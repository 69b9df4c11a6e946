// A File of the operating system: positioned reads and writes, fdatasync, shared mappings.
//
// A mapping is synced with msync(MS_SYNC). Linux runs the same code for it as for fdatasync (the file system's
// sync of data, then one device flush), but only over the pages asked for. fdatasync would also write the part
// that is being appended to, and every page it writes faults again at the next store. The price of either:
// dirtiness is kept per folio, so a small range costs the folio it lies in (up to 2 MiB here).
// A failed write-back is reported once per open file; File and its Mappings share that one report.
#pragma once

#include <string>

#include "io/file.h"
#include "io/posix_descriptor.h"

namespace ashlar::io {

class PosixFile final : public File {
 public:
  // `directory_path` is only for messages.
  PosixFile(Descriptor descriptor, std::string directory_path, std::string name)
      : descriptor_(std::move(descriptor)),
        directory_path_(std::move(directory_path)),
        name_(std::move(name)) {}

  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override;
  Status write_at(uint64_t offset, Bytes bytes) override;
  Status sync() override;
  void start_write_back(uint64_t offset, uint64_t length_bytes) override;
  Result<uint64_t> size_bytes() const override;
  Status resize(uint64_t size_bytes) override;
  Status fill_zeros(uint64_t size_bytes) override;
  Result<std::unique_ptr<Mapping>> map(uint64_t size_bytes) override;
  const std::string& name() const noexcept override { return name_; }

 private:
  Status truncate(uint64_t size_bytes);
  Status reserve_space(uint64_t size_bytes);
  std::string path() const { return directory_path_ + "/" + name_; }

  Descriptor descriptor_;
  std::string directory_path_;
  std::string name_;
};

}  // namespace ashlar::io
