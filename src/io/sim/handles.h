// What a process of the simulated machine holds: directories, files, mappings, locks.
//
// Each call first asks World::admit what becomes of it, then does all, some or none of its work. A handle knows the
// process that opened it; once that is dead the handle refuses everything and touches nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/directory.h"
#include "io/sim/world.h"

namespace ashlar::io::sim {

// What a call reports that `fault` struck.
Status fault_status(const Fault& fault, Call call, const std::string& name);

class SimDirectory final : public Directory {
 public:
  // `key` names the folder, `path` is what the caller called it.
  SimDirectory(World& world, std::shared_ptr<Process> process, std::shared_ptr<Folder> folder,
               std::string key, std::string path)
      : world_(world),
        process_(std::move(process)),
        folder_(std::move(folder)),
        key_(std::move(key)),
        path_(std::move(path)) {}

  Result<std::unique_ptr<File>> open(const std::string& name, OpenMode mode) override;
  Result<std::vector<std::string>> list() override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& name) override;
  Status sync() override;
  Result<std::unique_ptr<Lock>> lock(const std::string& name) override;
  Result<uint64_t> free_bytes() override;
  const std::string& path() const noexcept override { return path_; }

 private:
  Status check_name(const std::string& name) const;
  Status missing(Call call, const std::string& name) const;
  bool does_happen(const Fate& fate) const;

  World& world_;
  std::shared_ptr<Process> process_;
  std::shared_ptr<Folder> folder_;
  std::string key_;
  std::string path_;
};

class SimFile final : public File {
 public:
  SimFile(World& world, std::shared_ptr<Process> process, std::shared_ptr<Inode> inode, std::string name,
          bool writable);
  SimFile(const SimFile&) = delete;
  SimFile& operator=(const SimFile&) = delete;
  ~SimFile() override;

  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override;
  Status write_at(uint64_t offset, Bytes bytes) override;
  Status sync() override;
  Result<uint64_t> size_bytes() const override;
  Status resize(uint64_t size_bytes) override;
  Status fill_zeros(uint64_t size_bytes) override;
  Result<std::unique_ptr<Mapping>> map(uint64_t size_bytes) override;
  const std::string& name() const noexcept override { return name_; }

 private:
  Status check_writable(Call call) const;
  // A prefix of at most `limit_bytes`, of random length.
  Bytes cut(Bytes bytes, uint64_t limit_bytes);
  // Where a misdirected write lands: another sector, same place within it.
  uint64_t misdirected(uint64_t offset, uint64_t size_bytes);

  World& world_;
  std::shared_ptr<Process> process_;
  std::shared_ptr<Inode> inode_;
  std::string name_;
  bool writable_;
};

}  // namespace ashlar::io::sim
