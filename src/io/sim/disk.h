// The simulated disk: folders of names, each name twice like the bytes of a file (see inode.h).
//
//   folder "db"   current  { MANIFEST -> #7, 000002.seg -> #5 }     what processes see
//                 durable  { MANIFEST -> #4, 000001.seg -> #5 }     what a power cut may leave, name by name
//
// power_cut() lets every unsynced sector, size and name survive or not, each on its own: a superset of what file
// systems do (a rename may keep neither of its two names if neither was synced, which journaling ones do not do).
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "io/sim/inode.h"

namespace ashlar::io::sim {

// What a power cut does with writes that nobody synced.
enum class Survival : uint8_t {
  any,     // one of the others, drawn
  none,    // nothing unsynced survives
  all,     // everything does
  random,  // each sector, size and name on its own, with odds drawn once
  prefix,  // sectors in the order of writing up to some moment
  latest,  // sectors in the order of writing from some moment on
};

using Names = std::map<std::string, std::shared_ptr<Inode>>;

struct Folder {
  Names current;
  Names durable;
};

class Disk {
 public:
  Disk() = default;
  Disk(const Disk& other);  // a deep copy, without mappings and open files
  Disk& operator=(const Disk&) = delete;

  // nullptr when missing. Folders themselves are durable as soon as they exist.
  std::shared_ptr<Folder> find_folder(const std::string& path) const;
  std::shared_ptr<Folder> create_folder(const std::string& path);
  const std::map<std::string, std::shared_ptr<Folder>>& folders() const { return folders_; }

  // nullptr when missing.
  static std::shared_ptr<Inode> find(const Folder& folder, const std::string& name);
  std::shared_ptr<Inode> create(Folder& folder, const std::string& name);
  void sync(Folder& folder);
  static void sync_some(Folder& folder, Prng& prng);

  uint64_t next_time() { return ++time_; }
  void write_back(Prng& prng);
  void power_cut(Prng& prng, Survival survival);
  void end_process();

  // Bytes of all files that have a name or are open; `capacity_bytes` bounds them.
  uint64_t used_bytes() const;
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  void set_capacity(uint64_t capacity_bytes) { capacity_bytes_ = capacity_bytes; }

 private:
  void sweep();
  std::set<const Inode*> named(bool durable_too) const;
  void settle_sectors(Prng& prng, Survival survival);
  void settle_sizes(Prng& prng, Survival survival);
  void settle_names(Prng& prng, Survival survival);

  std::map<std::string, std::shared_ptr<Folder>> folders_;
  std::vector<std::shared_ptr<Inode>> inodes_;  // in order of creation
  uint64_t next_inode_ = 1;
  uint64_t time_ = 0;
  uint64_t capacity_bytes_ = UINT64_MAX;
};

}  // namespace ashlar::io::sim
