#include "io/sim/disk.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace ashlar::io::sim {

namespace {

// Takes over what `current` says about `name`, be it that the name is gone.
void take_over(const Names& current, Names& durable, const std::string& name) {
  const auto found = current.find(name);
  if (found == current.end()) {
    durable.erase(name);
  } else {
    durable[name] = found->second;
  }
}

std::vector<std::string> unsynced_names(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& [name, inode] : folder.current) {
    const auto found = folder.durable.find(name);
    if (found == folder.durable.end() || found->second != inode) names.push_back(name);
  }
  for (const auto& [name, inode] : folder.durable) {
    if (folder.current.count(name) == 0) names.push_back(name);
  }
  return names;
}

bool survives(Prng& prng, Survival survival) {
  return survival == Survival::all || (survival != Survival::none && prng.one_in(2));
}

}  // namespace

Disk::Disk(const Disk& other)
    : next_inode_(other.next_inode_), time_(other.time_), capacity_bytes_(other.capacity_bytes_) {
  std::map<const Inode*, std::shared_ptr<Inode>> copies;
  for (const auto& inode : other.inodes_) {
    inodes_.push_back(inode->clone());
    copies[inode.get()] = inodes_.back();
  }
  for (const auto& [path, folder] : other.folders_) {
    auto copy = std::make_shared<Folder>();
    for (const auto& [name, inode] : folder->current) copy->current[name] = copies.at(inode.get());
    for (const auto& [name, inode] : folder->durable) copy->durable[name] = copies.at(inode.get());
    folders_[path] = std::move(copy);
  }
}

std::shared_ptr<Folder> Disk::find_folder(const std::string& path) const {
  const auto found = folders_.find(path);
  return found == folders_.end() ? nullptr : found->second;
}

std::shared_ptr<Folder> Disk::create_folder(const std::string& path) {
  std::shared_ptr<Folder>& folder = folders_[path];
  if (folder == nullptr) folder = std::make_shared<Folder>();
  return folder;
}

std::shared_ptr<Inode> Disk::find(const Folder& folder, const std::string& name) {
  const auto found = folder.current.find(name);
  return found == folder.current.end() ? nullptr : found->second;
}

std::shared_ptr<Inode> Disk::create(Folder& folder, const std::string& name) {
  auto inode = std::make_shared<Inode>(next_inode_++);
  inodes_.push_back(inode);
  folder.current[name] = inode;
  return inode;
}

void Disk::sync(Folder& folder) {
  folder.durable = folder.current;
  sweep();
}

void Disk::sync_some(Folder& folder, Prng& prng) {
  for (const std::string& name : unsynced_names(folder)) {
    if (prng.one_in(2)) take_over(folder.current, folder.durable, name);
  }
}

// A cheap pass over files that nothing leads to any more.
void Disk::sweep() {
  std::erase_if(inodes_, [](const std::shared_ptr<Inode>& inode) { return inode.use_count() == 1; });
}

std::set<const Inode*> Disk::named(bool durable_too) const {
  std::set<const Inode*> found;
  for (const auto& [path, folder] : folders_) {
    for (const auto& [name, inode] : folder->current) found.insert(inode.get());
    if (!durable_too) continue;
    for (const auto& [name, inode] : folder->durable) found.insert(inode.get());
  }
  return found;
}

void Disk::write_back(Prng& prng) {
  if (!inodes_.empty()) inodes_[prng.below(inodes_.size())]->write_back_one(prng);
  if (folders_.empty() || !prng.one_in(16)) return;
  Folder& folder = *std::next(folders_.begin(), static_cast<ptrdiff_t>(prng.below(folders_.size())))->second;
  const std::vector<std::string> names = unsynced_names(folder);
  if (!names.empty()) take_over(folder.current, folder.durable, names[prng.below(names.size())]);
}

void Disk::settle_sectors(Prng& prng, Survival survival) {
  if (survival == Survival::none) return;
  std::vector<Inode::UnsyncedSector> sectors;
  for (const auto& inode : inodes_) inode->collect_unsynced(sectors);
  std::sort(sectors.begin(), sectors.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.time, a.inode->number(), a.sector) < std::tuple(b.time, b.inode->number(), b.sector);
  });
  // Odds of one in 1, 2 or 16 to survive (or, for the last, to be lost); or a cut through the order of writing.
  const uint64_t odds = uint64_t{2} << (prng.one_in(2) ? 0 : 3);
  const bool mostly_lost = prng.one_in(2);
  const uint64_t cut = prng.below(sectors.size() + 1);
  for (uint64_t i = 0; i < sectors.size(); ++i) {
    bool kept = true;
    if (survival == Survival::random) kept = prng.one_in(odds) == mostly_lost;
    if (survival == Survival::prefix) kept = i < cut;
    if (survival == Survival::latest) kept = i >= cut;
    if (kept) sectors[i].inode->make_durable(sectors[i].sector);
  }
}

void Disk::settle_sizes(Prng& prng, Survival survival) {
  for (const auto& inode : inodes_) {
    const uint64_t synced = inode->durable_size_bytes();
    const uint64_t current = inode->size_bytes();
    if (synced == current || survival == Survival::none) continue;
    uint64_t size_bytes = current;
    if (survival != Survival::all && prng.one_in(2)) {
      size_bytes =
          prng.one_in(2) ? synced : prng.between(std::min(synced, current), std::max(synced, current));
    }
    inode->set_durable_size(size_bytes);
  }
}

void Disk::settle_names(Prng& prng, Survival survival) {
  for (const auto& [path, folder] : folders_) {
    for (const std::string& name : unsynced_names(*folder)) {
      if (survives(prng, survival)) take_over(folder->current, folder->durable, name);
    }
    folder->current = folder->durable;
  }
}

void Disk::power_cut(Prng& prng, Survival survival) {
  constexpr Survival kDrawn[] = {Survival::none, Survival::all, Survival::random, Survival::prefix,
                                 Survival::latest};
  if (survival == Survival::any) survival = kDrawn[prng.below(std::size(kDrawn))];
  settle_sectors(prng, survival);
  settle_sizes(prng, survival);
  settle_names(prng, survival);
  for (const auto& inode : inodes_) inode->power_off();
  end_process();
}

void Disk::end_process() {
  for (const auto& inode : inodes_) inode->end_process();
  // Its handles may live on as objects; what only they lead to is gone all the same.
  const std::set<const Inode*> kept = named(true);
  std::erase_if(inodes_, [&](const std::shared_ptr<Inode>& inode) { return kept.count(inode.get()) == 0; });
}

uint64_t Disk::used_bytes() const {
  const std::set<const Inode*> in_use = named(false);
  uint64_t total = 0;
  for (const auto& inode : inodes_) {
    if (inode->open() || in_use.count(inode.get()) != 0) total += inode->size_bytes();
  }
  return total;
}

}  // namespace ashlar::io::sim
