// rocksdb 3096: four writers share one write of the journal, and that write fails. On real threads over a real disk,
// with a door in between that can hold a write back and make it fail.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "store/store.h"

namespace ashlar::cases {
namespace {

// Stands between the store and its segment files.
class Door {
 public:
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_pass() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  void set_failing(bool failing) { failing_ = failing; }
  void wait_for_visitor() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return visitors_ > 0; });
  }
  // Called in the middle of a write.
  Status enter() {
    std::unique_lock lock(mutex_);
    ++visitors_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    --visitors_;
    return failing_ ? io_error("the door refuses this write") : ok_status();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int visitors_ = 0;
  std::atomic<bool> failing_{false};
};

class DoorFile final : public io::File {
 public:
  DoorFile(std::unique_ptr<io::File> inner, Door& door) : inner_(std::move(inner)), door_(door) {}
  Result<size_t> read_at(uint64_t offset, void* buffer, size_t size_bytes) const override {
    return inner_->read_at(offset, buffer, size_bytes);
  }
  Status write_at(uint64_t offset, Bytes bytes) override {
    ASHLAR_TRY(door_.enter());
    return inner_->write_at(offset, bytes);
  }
  Status sync() override { return inner_->sync(); }
  Result<uint64_t> size_bytes() const override { return inner_->size_bytes(); }
  Status resize(uint64_t size_bytes) override { return inner_->resize(size_bytes); }
  Status fill_zeros(uint64_t size_bytes) override { return inner_->fill_zeros(size_bytes); }
  Result<std::unique_ptr<io::Mapping>> map(uint64_t size_bytes) override { return inner_->map(size_bytes); }
  const std::string& name() const noexcept override { return inner_->name(); }

 private:
  std::unique_ptr<io::File> inner_;
  Door& door_;
};

class DoorDirectory final : public io::Directory {
 public:
  DoorDirectory(std::unique_ptr<io::Directory> inner, Door& door) : inner_(std::move(inner)), door_(door) {}
  Result<std::unique_ptr<io::File>> open(const std::string& name, io::OpenMode mode) override {
    ASHLAR_ASSIGN(auto file, inner_->open(name, mode));
    return std::unique_ptr<io::File>(std::make_unique<DoorFile>(std::move(file), door_));
  }
  Result<std::vector<std::string>> list() override { return inner_->list(); }
  Status rename(const std::string& from, const std::string& to) override { return inner_->rename(from, to); }
  Status remove(const std::string& name) override { return inner_->remove(name); }
  Status sync() override { return inner_->sync(); }
  Result<std::unique_ptr<io::Lock>> lock(const std::string& name) override { return inner_->lock(name); }
  Result<uint64_t> free_bytes() override { return inner_->free_bytes(); }
  const std::string& path() const noexcept override { return inner_->path(); }

 private:
  std::unique_ptr<io::Directory> inner_;
  Door& door_;
};

class DoorEnvironment final : public io::Environment {
 public:
  explicit DoorEnvironment(Door& door) : door_(door) {}
  io::Clock& clock() override { return io::posix_environment().clock(); }
  std::unique_ptr<io::Executor> create_executor() override {
    return io::posix_environment().create_executor();
  }
  Result<std::unique_ptr<io::Directory>> open_directory(const std::string& path,
                                                        io::CreateMode mode) override {
    ASHLAR_ASSIGN(auto directory, io::posix_environment().open_directory(path, mode));
    return std::unique_ptr<io::Directory>(std::make_unique<DoorDirectory>(std::move(directory), door_));
  }
  Uuid boot_id() override { return io::posix_environment().boot_id(); }
  Uuid random_uuid() override { return io::posix_environment().random_uuid(); }

 private:
  Door& door_;
};

constexpr KeyspaceId kDefault{0};

bool is_there(store::Store& store, const std::string& key) {
  lsm::PinnedValue value;
  bool found = false;
  const Status status = store.get(nullptr, kDefault, key, &value, &found);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return found;
}

TEST(GroupCases, K17AFailedGroupFailsForEachOfItsWriters) {
  constexpr int kFollowers = 4;
  const std::string path = testing::TempDir() + "ashlar_group_" + std::to_string(getpid());
  std::filesystem::remove_all(path);
  Door door;
  DoorEnvironment environment(door);
  store::Options options;
  options.preset = store::Preset::paranoid;
  std::array<Status, kFollowers> statuses;
  {
    auto opened = store::Store::open(environment, path, options);
    ASSERT_TRUE(opened.ok()) << opened.status().to_string();
    store::Store& store = **opened;
    ASSERT_TRUE(store.put(kDefault, "before", "1").ok());

    // While the first writer is held inside its write, the others queue up behind it.
    door.hold();
    Status first;
    std::thread leader([&] { first = store.put(kDefault, "leader", "1"); });
    door.wait_for_visitor();
    std::vector<std::thread> followers;
    for (int i = 0; i < kFollowers; ++i) {
      followers.emplace_back([&, i] {
        statuses[i] = store.put(kDefault, "follower" + std::to_string(i), std::string(100, 'f'));
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    door.set_failing(true);
    door.let_pass();
    leader.join();
    for (std::thread& follower : followers) follower.join();
    door.set_failing(false);

    EXPECT_FALSE(first.ok());
    EXPECT_FALSE(is_there(store, "leader"));
    for (int i = 0; i < kFollowers; ++i) {
      EXPECT_FALSE(statuses[i].ok()) << i;
      EXPECT_FALSE(is_there(store, "follower" + std::to_string(i))) << i;
    }
    // A segment that was being made ready meanwhile may have met the door too.
    Status after = store.put(kDefault, "after", "1");
    for (int attempt = 0; attempt < 40 && !after.ok(); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      after = store.put(kDefault, "after", "1");
    }
    EXPECT_TRUE(after.ok()) << after.to_string();
    EXPECT_TRUE(is_there(store, "before"));
    EXPECT_TRUE(is_there(store, "after"));
  }
  auto reopened = store::Store::open(io::posix_environment(), path, options);
  ASSERT_TRUE(reopened.ok()) << reopened.status().to_string();
  EXPECT_TRUE(is_there(**reopened, "before"));
  EXPECT_TRUE(is_there(**reopened, "after"));
  for (int i = 0; i < kFollowers; ++i) {
    if (statuses[i].code() == Code::indeterminate) continue;
    EXPECT_FALSE(is_there(**reopened, "follower" + std::to_string(i))) << i;
  }
  EXPECT_TRUE((*reopened)->close().ok());
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace ashlar::cases
