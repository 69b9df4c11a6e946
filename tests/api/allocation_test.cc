// What a call costs in allocations, and what happens where memory runs out.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <vector>

#include "scratch.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASHLAR_TEST_OWN_ALLOCATOR 0
#else
#define ASHLAR_TEST_OWN_ALLOCATOR 1
#endif

#if ASHLAR_TEST_OWN_ALLOCATOR

namespace {
thread_local uint64_t allocations = 0;
}

// The library's allocations come here as well: a program's operator new stands in for the standard one everywhere.
// Not inlined: the compiler would take malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace ashlar_test {
namespace {

constexpr int kCalls = 20000;

std::vector<std::string> make_keys() {
  std::vector<std::string> keys;
  for (int i = 0; i < kCalls; ++i) keys.push_back("key" + std::to_string(i * 7919 % kCalls));
  return keys;
}

TEST(Allocations, TheCounterSeesTheLibrary) {
  const uint64_t before = allocations;
  ashlar_batch_destroy(ashlar_batch_create());
  EXPECT_GT(allocations, before);
}

TEST(Allocations, PutAndGetHaveNone) {
  const Scratch scratch;
  ashlar_options options;
  ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
  ashlar_db* db = open_db(scratch.at("db"), &options);
  const std::vector<std::string> keys = make_keys();
  const std::string value(100, 'v');
  ashlar_value found;
  const auto count = [&](auto call) {
    const uint64_t before = allocations;
    for (const std::string& key : keys) call(key);
    return allocations - before;
  };
  const auto put_one = [&](const std::string& key) {
    ASSERT_EQ(ashlar_put(db, 0, key.data(), key.size(), value.data(), value.size(), 0), ASHLAR_OK);
  };
  const auto get_one = [&](const std::string& key) {
    ASSERT_EQ(ashlar_get(db, nullptr, 0, key.data(), key.size(), &found), ASHLAR_OK);
    ashlar_value_release(&found);
  };
  // Now and then the index takes a new chunk of memory; per put that is nothing.
  EXPECT_LT(count(put_one), 50u);
  EXPECT_LT(count(put_one), 50u);
  EXPECT_EQ(count(get_one), 0u);
  ASSERT_EQ(ashlar_flush(db), ASHLAR_OK);
  count(get_one);  // fills the block cache
  EXPECT_EQ(count(get_one), 0u);
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

// The library has no exceptions; where the allocator throws, the process ends instead of unwinding through held locks.
TEST(OutOfMemory, EndsTheProcessAndThrowsNothing) {
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    ashlar_batch* batch = ashlar_batch_create();
    const std::string value(size_t{64} << 20, 'v');
    const rlimit limit = {size_t{256} << 20, size_t{256} << 20};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    try {
      for (int i = 0; i < 20; ++i) {
        if (ashlar_batch_put(batch, 0, "k", 1, value.data(), value.size()) != ASHLAR_OK) _exit(2);
      }
    } catch (...) {
      _exit(3);
    }
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

}  // namespace
}  // namespace ashlar_test

#endif
