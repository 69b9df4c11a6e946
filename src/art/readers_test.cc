// One writer beside readers. Run under ThreadSanitizer as well.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "art/cursor.h"
#include "art/sample_keys.h"
#include "art/tree.h"
#include "base/prng.h"

namespace ashlar::art {
namespace {

// Keys are inserted in the order of `keys_`; `published_` of them are in the tree for certain. A key's record holds
// its place in that order (its sequence), so a reader can tell which keys it was entitled to see.
class Workload {
 public:
  explicit Workload(std::vector<std::string> keys) : keys_(std::move(keys)) {}

  void write() {
    while (readers_ < 4) std::this_thread::yield();
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (i % 64 == 0) std::this_thread::yield();  // two processors, five threads
      tree_.insert(
          new_record(arena_, Sequence(i + 1), 7, keys_[i].data(), static_cast<uint32_t>(keys_[i].size()), 0));
      published_.store(i + 1, std::memory_order_release);
    }
  }

  // Each reader goes on until it has made a pass over the finished tree.
  template <typename Pass>
  void read(Pass pass) {
    ++readers_;
    for (bool done = false; !done && !failed_;) {
      const size_t published = published_.load(std::memory_order_acquire);
      done = published == keys_.size();
      if (published > 0) pass(published);
    }
  }

  // Present keys are found, whole; a key made up is not.
  void get(uint64_t seed) {
    Prng prng(seed);
    read([&](size_t published) {
      const size_t i = prng.below(published);
      const Record* record = tree_.find(keys_[i]);
      if (record == nullptr || record->key() != keys_[i] || record->kind() != 7 ||
          record->sequence().value < i + 1) {
        return fail("a published key was not found, or not whole");
      }
      for (Sequence newer = record->sequence(); (record = record->previous_version()) != nullptr;
           newer = record->sequence()) {
        if (record->sequence() >= newer) return fail("versions out of order");
      }
      if (const Record* none = tree_.find(keys_[i] + "\x01never"); none != nullptr)
        return fail("found what is not there");
    });
  }

  // Walks see all keys published before they began, in order, each once.
  void scan(bool forward) {
    read([&](size_t published) {
      std::vector<bool> met(keys_.size() + 1);
      Cursor cursor(tree_);
      forward ? cursor.first() : cursor.last();
      std::string before;
      for (bool any = false; cursor.valid(); any = true) {
        if (any && (forward ? cursor.key() <= before : cursor.key() >= before)) return fail("out of order");
        before = std::string(cursor.key());
        for (const Record* record = cursor.record(); record != nullptr; record = record->previous_version()) {
          met[record->sequence().value] = true;
        }
        forward ? cursor.next() : cursor.previous();
      }
      for (size_t i = 1; i <= published; ++i) {
        if (!met[i])
          return fail("a walk missed version " + std::to_string(i) + " of " + std::to_string(published));
      }
    });
  }

  // Seeks land on the key itself when it is present, else beyond it, never before.
  void seek(uint64_t seed) {
    Prng prng(seed);
    Cursor cursor(tree_);
    read([&](size_t published) {
      const std::string& key = keys_[prng.below(published)];
      cursor.seek(key);
      if (!cursor.valid() || cursor.key() != key) return fail("seek missed its key");
      cursor.seek_for_previous(key);
      if (!cursor.valid() || cursor.key() != key) return fail("seek_for_previous missed its key");
      const std::string cut = key.substr(0, prng.below(key.size() + 1));
      cursor.seek(cut);
      if (!cursor.valid() || cursor.key() < cut || cursor.key() > key) return fail("seek landed outside");
      cursor.seek_for_previous(key + "~");
      if (!cursor.valid() || cursor.key() > key + "~" || cursor.key() < key)
        return fail("seek_for_previous landed outside");
    });
  }

  void fail(const std::string& what) {
    if (!failed_.exchange(true)) what_ = what;
  }

  void run() {
    std::thread getter([&] { get(1); });
    std::thread walker([&] { scan(true); });
    std::thread backward([&] { scan(false); });
    std::thread seeker([&] { seek(2); });
    write();
    for (std::thread* thread : {&getter, &walker, &backward, &seeker}) thread->join();
    ASSERT_FALSE(failed_) << what_;
  }

 private:
  const std::vector<std::string> keys_;
  Arena arena_;
  Tree tree_{arena_};
  std::atomic<size_t> published_{0};
  std::atomic<int> readers_{0};
  std::atomic<bool> failed_{false};
  std::string what_;
};

TEST(Readers, SeeEveryPublishedKeyInEveryShape) {
  for (const KeySet& set : sample_key_sets(1500, 17)) {
    SCOPED_TRACE(set.name);
    Workload workload(set.keys);
    ASSERT_NO_FATAL_FAILURE(workload.run());
  }
}

// Many growths of every kind of node in a short time.
TEST(Readers, SeeEveryPublishedKeyWhileNodesGrow) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Prng prng(seed);
    std::vector<std::string> keys;
    for (int i = 0; i < 3000; ++i) {
      std::string key = std::string(prng.below(2) * 12, 'p') + random_bytes(prng, 1 + prng.below(2));
      if (prng.one_in(4)) key.resize(prng.below(key.size() + 1));
      keys.push_back(key);
    }
    Workload workload(keys);
    ASSERT_NO_FATAL_FAILURE(workload.run());
  }
}

}  // namespace
}  // namespace ashlar::art
