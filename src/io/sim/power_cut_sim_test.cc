// Random programs against a model of what may survive: for every sector of every file all versions since it was last
// made durable, for every size and name likewise. A power cut must leave one of them and nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/prng.h"
#include "io/sim/world.h"

namespace ashlar::io::sim {
namespace {

constexpr uint64_t kSector = Inode::kSectorBytes;
constexpr uint64_t kLargest = 16 * kSector;

// All that a power cut may leave of one file: per sector the set of versions (each a full sector, zeros beyond the
// end), and the range of sizes.
struct Allowed {
  std::string bytes;  // as processes see it, kLargest long, zeros beyond the size
  uint64_t size_bytes = 0;
  std::vector<std::set<std::string>> versions{kLargest / kSector, {std::string(kSector, '\0')}};
  uint64_t smallest = 0;
  uint64_t largest = 0;

  Allowed() : bytes(kLargest, '\0') {}

  void note() {
    for (uint64_t s = 0; s < versions.size(); ++s) versions[s].insert(bytes.substr(s * kSector, kSector));
    smallest = std::min(smallest, size_bytes);
    largest = std::max(largest, size_bytes);
  }
  void synced() {
    for (auto& set : versions) set.clear();
    smallest = largest = size_bytes;
    note();
  }
  void synced_range(uint64_t offset, uint64_t length) {
    if (length == 0) return;
    for (uint64_t s = offset / kSector; s <= (offset + length - 1) / kSector; ++s) {
      versions[s] = {bytes.substr(s * kSector, kSector)};
    }
    smallest = std::max(smallest, std::min(size_bytes, offset + length));
    largest = std::max(largest, size_bytes);
  }
  // Empty when `found` may be; else what is wrong.
  std::string check(std::string found) const {
    if (found.size() < smallest || found.size() > largest) return "size " + std::to_string(found.size());
    const uint64_t size = found.size();
    found.resize(kLargest, '\0');
    for (uint64_t s = 0; s < versions.size(); ++s) {
      const std::string sector = found.substr(s * kSector, kSector);
      const bool known = std::any_of(versions[s].begin(), versions[s].end(), [&](std::string version) {
        // The surviving size may cut a version short.
        for (uint64_t i = 0; i < kSector; ++i) {
          if (s * kSector + i >= size) version[i] = '\0';
        }
        return version == sector;
      });
      if (!known) return "sector " + std::to_string(s);
    }
    return {};
  }
};

// What the runs together have shown to be possible; a simulation that never loses anything proves nothing.
struct Seen {
  uint64_t lost = 0;
  uint64_t kept = 0;
  uint64_t between = 0;  // neither the synced nor the latest state of a file
  uint64_t names_lost = 0;
  uint64_t names_back = 0;
};

class Program {
 public:
  Program(uint64_t seed, Seen& seen) : world_(seed), prng_(seed * 31 + 1), seen_(seen) {}

  void run() {
    for (int life = 0; life < 3 && !testing::Test::HasFailure(); ++life) {
      start();
      const uint64_t steps = prng_.between(1, 40);
      for (uint64_t i = 0; i < steps; ++i) step();
      if (prng_.one_in(4)) {
        world_.kill_process();
        verify_kill();
      } else {
        world_.power_cut();
        verify_power_cut();
      }
    }
  }
  uint64_t history() const { return world_.history_hash(); }

 private:
  struct Open {
    std::unique_ptr<File> file;
    std::unique_ptr<Mapping> mapping;
  };

  std::string pick() { return std::string(1, static_cast<char>('a' + prng_.below(3))); }

  void start() {
    open_.clear();
    directory_ = std::move(world_.open_directory("db", CreateMode::create_if_missing)).value();
    for (const auto& [name, allowed] : files_) {
      open_[name].file = std::move(directory_->open(name, OpenMode::read_write)).value();
    }
  }

  void step() {
    const std::string name = pick();
    if (files_.count(name) == 0) return create(name);
    Open& open = open_[name];
    Allowed& allowed = *files_[name];
    switch (prng_.below(12)) {
      case 0:
        return remove(name);
      case 1:
        return rename(name, pick());
      case 2:
        ASSERT_TRUE(directory_->sync().ok());
        durable_names_.clear();
        for (const auto& [current, file] : files_) durable_names_[current] = {file};
        return;
      case 3:
      case 4:
        ASSERT_TRUE(open.file->sync().ok());
        return allowed.synced();
      case 5:
        return change_size(open, allowed);
      case 6:
        return map_or_unmap(open, allowed);
      case 7:
        return sync_range(open, allowed);
      case 8:
        return world_.write_back(prng_.below(4));
      default:
        return prng_.one_in(2) ? write(open, allowed) : store(open, allowed);
    }
  }

  std::string random_bytes(uint64_t size) {
    return std::string(size, static_cast<char>('0' + prng_.below(64)));
  }

  void create(const std::string& name) {
    open_[name].file = std::move(directory_->open(name, OpenMode::create)).value();
    files_[name] = std::make_shared<Allowed>();
    note_name(name);
  }
  void remove(const std::string& name) {
    ASSERT_TRUE(directory_->remove(name).ok());
    open_.erase(name);
    files_.erase(name);
    note_name(name);
  }
  void rename(const std::string& from, const std::string& to) {
    ASSERT_TRUE(directory_->rename(from, to).ok());
    if (from == to) return;
    Open moved = std::move(open_[from]);
    open_.erase(from);
    open_[to] = std::move(moved);
    files_[to] = files_[from];
    files_.erase(from);
    note_name(from);
    note_name(to);
  }
  void note_name(const std::string& name) {
    auto& versions = durable_names_[name];
    if (versions.empty()) versions.insert(nullptr);
    const auto found = files_.find(name);
    versions.insert(found == files_.end() ? nullptr : found->second);
  }
  void write(Open& open, Allowed& allowed) {
    const uint64_t limit =
        open.mapping != nullptr ? allowed.size_bytes : kLargest;  // a mapped file does not grow
    if (limit == 0) return;
    const uint64_t offset = prng_.below(limit);
    const std::string bytes = random_bytes(prng_.between(1, std::min<uint64_t>(limit - offset, 1500)));
    ASSERT_TRUE(open.file->write_at(offset, bytes).ok());
    allowed.bytes.replace(offset, bytes.size(), bytes);
    allowed.size_bytes = std::max(allowed.size_bytes, offset + bytes.size());
    allowed.note();
  }
  void store(Open& open, Allowed& allowed) {
    if (open.mapping == nullptr) return;
    const uint64_t offset = prng_.below(open.mapping->size_bytes());
    const std::string bytes =
        random_bytes(prng_.between(1, std::min<uint64_t>(open.mapping->size_bytes() - offset, 900)));
    std::memcpy(open.mapping->data() + offset, bytes.data(), bytes.size());
    allowed.bytes.replace(offset, bytes.size(), bytes);
    allowed.note();
  }
  void change_size(Open& open, Allowed& allowed) {
    if (open.mapping != nullptr) return;
    const uint64_t size = prng_.below(kLargest + 1);
    if (prng_.one_in(2)) {
      ASSERT_TRUE(open.file->fill_zeros(size).ok());
      allowed.size_bytes = 0;
    } else {
      ASSERT_TRUE(open.file->resize(size).ok());
      allowed.size_bytes = std::min(allowed.size_bytes, size);
    }
    std::fill(allowed.bytes.begin() + static_cast<ptrdiff_t>(allowed.size_bytes), allowed.bytes.end(), '\0');
    allowed.size_bytes = size;
    allowed.note();
  }
  void map_or_unmap(Open& open, const Allowed& allowed) {
    if (open.mapping != nullptr) {
      open.mapping.reset();
    } else if (allowed.size_bytes != 0) {
      open.mapping = std::move(open.file->map(prng_.between(1, allowed.size_bytes))).value();
    }
  }
  void sync_range(Open& open, Allowed& allowed) {
    if (open.mapping == nullptr) return;
    const uint64_t offset = prng_.below(open.mapping->size_bytes());
    const uint64_t length = prng_.between(1, open.mapping->size_bytes() - offset);
    ASSERT_TRUE(open.mapping->sync(offset, length).ok());
    allowed.synced_range(offset, length);
  }

  static std::string visible(const Allowed& allowed) { return allowed.bytes.substr(0, allowed.size_bytes); }

  void verify_kill() {
    std::vector<std::string> expected;
    for (const auto& [name, allowed] : files_) {
      expected.push_back("db/" + name);
      ASSERT_EQ(*world_.read_file("db/" + name), visible(*allowed));
    }
    ASSERT_EQ(world_.files(), expected);
  }

  // Every name leads to one of the files it may lead to; then what was found is the new, durable state.
  void verify_power_cut() {
    std::map<std::string, std::shared_ptr<Allowed>> survived;
    for (const std::string& name : {std::string("a"), std::string("b"), std::string("c")}) {
      const auto found = world_.read_file("db/" + name);
      std::set<std::shared_ptr<Allowed>> candidates = durable_names_[name];
      if (candidates.empty()) candidates.insert(nullptr);
      std::string why = "none of its files: ";
      bool fits = false;
      for (const auto& candidate : candidates) {
        const std::string wrong = candidate == nullptr ? (found ? "exists" : "")
                                  : !found             ? "missing"
                                                       : candidate->check(*found);
        fits = fits || wrong.empty();
        why += wrong + "; ";
      }
      ASSERT_TRUE(fits) << name << ": " << why;
      count(name, found);
      if (!found) continue;
      // A rename that survived by half leaves two names for one file; the model knows only files of one name.
      const bool shared = std::any_of(survived.begin(), survived.end(), [&](const auto& other) {
        const auto& others = durable_names_[other.first];
        return std::any_of(candidates.begin(), candidates.end(), [&](const auto& candidate) {
          return candidate != nullptr && others.count(candidate) != 0;
        });
      });
      if (shared) {
        world_.remove_file("db/" + name);
        continue;
      }
      auto fresh = std::make_shared<Allowed>();
      fresh->bytes = *found;
      fresh->bytes.resize(kLargest, '\0');
      fresh->size_bytes = found->size();
      fresh->synced();
      survived[name] = std::move(fresh);
    }
    files_ = survived;
    durable_names_.clear();
    for (const auto& [name, allowed] : files_) durable_names_[name] = {allowed};
  }

  void count(const std::string& name, const std::optional<std::string>& found) {
    const auto current = files_.find(name);
    if (!found) {
      if (current != files_.end()) ++seen_.names_lost;
      return;
    }
    if (current == files_.end()) {
      ++seen_.names_back;
    } else if (*found == visible(*current->second)) {
      ++seen_.kept;
    } else {
      ++seen_.lost;
      bool oldest = true;
      for (uint64_t s = 0; s * kSector < found->size(); ++s) {
        oldest = oldest && current->second->bytes.compare(s * kSector, kSector,
                                                          found->substr(s * kSector, kSector)) != 0;
      }
      if (!oldest) ++seen_.between;
    }
  }

  World world_;
  Prng prng_;
  Seen& seen_;
  std::unique_ptr<Directory> directory_;
  std::map<std::string, Open> open_;
  std::map<std::string, std::shared_ptr<Allowed>> files_;
  std::map<std::string, std::set<std::shared_ptr<Allowed>>> durable_names_;  // nullptr: no such file
};

TEST(PowerCutSim, LeavesOnlyWhatMayHaveSurvivedAndAllThatMust) {
  Seen seen;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Program program(seed, seen);
    program.run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(seen.lost, 1000u);
  EXPECT_GT(seen.kept, 1000u);
  EXPECT_GT(seen.between, 500u);
  EXPECT_GT(seen.names_lost, 500u);
  EXPECT_GT(seen.names_back, 500u);
}

TEST(PowerCutSim, TheSameSeedIsTheSameHistory) {
  std::set<uint64_t> histories;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Seen seen;
    uint64_t history[2];
    for (uint64_t& hash : history) {
      Program program(seed, seen);
      program.run();
      hash = program.history();
    }
    EXPECT_EQ(history[0], history[1]) << "seed " << seed;
    histories.insert(history[0]);
  }
  EXPECT_EQ(histories.size(), 200u);
}

}  // namespace
}  // namespace ashlar::io::sim
