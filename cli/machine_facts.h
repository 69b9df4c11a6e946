// What the system says about the place where a directory lies: file system, mount, device, direct I/O, boot.
//
// Read only; nothing is written anywhere. A fact that the system does not tell is empty or absent, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::cli {

struct DeviceFacts {
  std::string name;         // "vda"; empty: no block device stands behind the directory
  std::string write_cache;  // "write back", "write through"
  std::optional<bool> fua;  // single writes can bypass the cache
  std::optional<bool> rotational;
  std::optional<uint64_t> logical_block_bytes;
  std::optional<uint64_t> physical_block_bytes;
  std::optional<uint64_t> atomic_write_bytes;
};

struct MachineFacts {
  std::string existing_directory;  // the directory, or its nearest parent that exists
  bool exists = false;
  std::string file_system;  // "ext4"
  std::string mount_point;
  std::string mount_source;
  std::vector<std::string> mount_options;  // of the mount and of the file system
  uint64_t total_bytes = 0;
  uint64_t free_bytes = 0;
  DeviceFacts device;
  std::optional<uint32_t> direct_memory_alignment;  // from statx; absent: not reported
  std::optional<uint32_t> direct_offset_alignment;  // 0: no direct I/O on this file system
  bool direct_open_works = false;
  std::string boot_id;
  std::string machine;  // "virtual machine (...)", "container", ""
};

MachineFacts read_machine_facts(const std::string& directory);

}  // namespace ashlar::cli
