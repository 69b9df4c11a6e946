// A real process writes to a real disk and is killed with SIGKILL at a random moment, again and again on one database:
// while it opens, writes, flushes, compacts or closes. After each kill every acknowledged commit must be there, every
// batch whole, and the next process goes on from what survived.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "crash/ledger.h"
#include "model/scale.h"

namespace ashlar::crash {
namespace {

constexpr int kFailedExit = 3;

void sleep_us(uint64_t duration_us) {
  timespec duration{static_cast<time_t>(duration_us / 1000000),
                    static_cast<long>(duration_us % 1000000) * 1000};
  while (nanosleep(&duration, &duration) != 0) {
  }
}

// What a child does until it is killed.
struct Orders {
  ashlar_preset preset = ASHLAR_PRESET_DURABLE;
  uint32_t writers = 1;
  bool maintain = false;  // flush and compact beside the writers
  bool reopen = false;    // close and open again after a few hundred commits
  uint64_t seed = 0;
};

class Child {
 public:
  Child(std::string path, const Orders& orders, Shared* shared)
      : path_(std::move(path)), orders_(orders), shared_(shared) {}

  [[noreturn]] void run() {
    while (true) {
      ashlar_db* db = nullptr;
      ashlar_keyspace slots = 0;
      expect_ok(open_database(path_, orders_.preset, &db, &slots));
      shared_->opens.fetch_add(1);
      write_until_told(db, slots);
      expect_ok(ashlar_close(db));
      shared_->closes.fetch_add(1);
    }
  }

 private:
  void expect_ok(ashlar_code code) {
    if (code == ASHLAR_OK) return;
    if (shared_->failed.fetch_add(1) == 0) {
      std::snprintf(shared_->failure, sizeof shared_->failure, "%s: %s", ashlar_code_name(code),
                    ashlar_last_error());
    }
    _exit(kFailedExit);
  }

  void write_until_told(ashlar_db* db, ashlar_keyspace slots) {
    const uint64_t commits = orders_.reopen ? 200 : UINT64_MAX;
    std::vector<std::thread> threads;
    for (uint32_t number = 0; number < orders_.writers; ++number) {
      threads.emplace_back([this, db, slots, number, commits] {
        Writer writer(db, slots, number, shared_->writers[number]);
        Prng prng(orders_.seed + number);
        for (uint64_t i = 0; i < commits; ++i) {
          expect_ok(writer.commit_next(prng.one_in(256) ? ASHLAR_SYNC : 0));
        }
      });
    }
    if (orders_.maintain) {
      Prng prng(orders_.seed);
      for (uint64_t i = 0; i < commits / 20; ++i) {
        expect_ok(prng.one_in(4) ? ashlar_compact(db) : ashlar_flush(db));
        sleep_us(prng.below(3000));
      }
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::string path_;
  Orders orders_;
  Shared* shared_;
};

class Kill9Test : public testing::TestWithParam<ashlar_preset> {
 protected:
  void SetUp() override {
    path_ =
        testing::TempDir() + "ashlar_kill9_" + std::to_string(getpid()) + "_" + std::to_string(GetParam());
    std::filesystem::remove_all(path_);
    void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    shared_ = new (page) Shared();
  }
  void TearDown() override {
    munmap(shared_, sizeof(Shared));
    std::filesystem::remove_all(path_);
  }

  // Starts a child, kills it at a random moment.
  void kill_one(Prng& prng, const Orders& orders) {
    shared_->opens = 0;
    shared_->closes = 0;
    for (uint32_t number = 0; number < kMaxWriters; ++number) {
      begun_at_[number] = shared_->writers[number].batch_acknowledged.load();
    }
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) Child(path_, orders, shared_).run();

    int status = 0;
    const bool early = prng.one_in(6);  // in the middle of opening, most likely
    while (!early && shared_->opens.load() == 0 && waitpid(pid, &status, WNOHANG) == 0) sleep_us(200);
    sleep_us(early ? prng.below(4000) : prng.below(prng.one_in(4) ? 80000 : 15000));
    kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) == pid) {
      ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << shared_->failure;
      ASSERT_EQ(WTERMSIG(status), SIGKILL);
    }
    ASSERT_EQ(shared_->failed.load(), 0u) << shared_->failure;
    ++kills_;
    if (shared_->opens.load() == 0) ++kills_while_opening_;
    if (shared_->closes.load() > 0) ++kills_after_reopening_;
  }

  void judge(bool deep) {
    ashlar_db* db = nullptr;
    ashlar_keyspace slots = 0;
    ASSERT_EQ(open_database(path_, GetParam(), &db, &slots), ASHLAR_OK) << ashlar_last_error();
    for (uint32_t number = 0; number < kMaxWriters; ++number) {
      Shared::Counters& counters = shared_->writers[number];
      const Survived survived = survey(db, slots, number);
      ASSERT_EQ(survived.problem, "") << "writer " << number;
      EXPECT_GE(survived.batches, counters.batch_acknowledged.load()) << "lost a batch of writer " << number;
      EXPECT_LE(survived.batches,
                std::max(counters.batch_started.load(), counters.batch_acknowledged.load()));
      EXPECT_GE(survived.plain, counters.plain_acknowledged.load()) << "lost a put of writer " << number;
      EXPECT_LE(survived.plain, survived.batches);
      // A batch is begun only after the put before it was acknowledged, so it cannot be there without it.
      if (survived.batches > begun_at_[number] + 1) {
        EXPECT_GE(survived.plain + 1, survived.batches);
      }
      commits_ += survived.batches - base_[number];
      unacknowledged_ += survived.batches - counters.batch_acknowledged.load();
      base_[number] = survived.batches;
      counters.batch_started = counters.batch_acknowledged = survived.batches;
      counters.plain_started = counters.plain_acknowledged = survived.plain;
    }
    if (deep) {
      ASSERT_EQ(ashlar_verify(db), ASHLAR_OK) << ashlar_last_error();
      ashlar_stats stats{};
      stats.struct_size = sizeof stats;
      ASSERT_EQ(ashlar_get_stats(db, &stats), ASHLAR_OK);
      run_files_ = std::max(run_files_, stats.run_files);
    }
    ASSERT_EQ(ashlar_close(db), ASHLAR_OK) << ashlar_last_error();
  }

  std::string path_;
  Shared* shared_ = nullptr;
  uint64_t base_[kMaxWriters] = {};      // survived when last judged
  uint64_t begun_at_[kMaxWriters] = {};  // acknowledged when the last child began
  uint64_t kills_ = 0;
  uint64_t kills_while_opening_ = 0;
  uint64_t kills_after_reopening_ = 0;
  uint64_t commits_ = 0;
  uint64_t unacknowledged_ = 0;
  uint64_t run_files_ = 0;
};

TEST_P(Kill9Test, EveryAcknowledgedCommitSurvives) {
  const uint64_t rounds = model::scaled(GetParam() == ASHLAR_PRESET_DURABLE ? 240 : 30);
  Prng prng(20261130 + GetParam());
  for (uint64_t round = 0; round < rounds; ++round) {
    Orders orders;
    orders.preset = GetParam();
    orders.writers = static_cast<uint32_t>(prng.one_in(2) ? 1 : prng.between(2, kMaxWriters));
    orders.maintain = prng.one_in(3);
    orders.reopen = prng.one_in(6);
    orders.seed = prng.next();
    SCOPED_TRACE("round " + std::to_string(round));
    kill_one(prng, orders);
    if (HasFatalFailure()) return;
    // Sometimes nobody looks between two kills: the next child recovers what the last one left, and is killed too.
    if (prng.one_in(5) && round + 1 < rounds) continue;
    judge(prng.one_in(4) || round + 1 == rounds);
    if (HasFailure()) return;
  }
  std::printf(
      "kill -9: %llu kills (%llu while opening, %llu after a close and reopen), %llu commits survived, %llu "
      "of "
      "them not yet acknowledged, up to %llu run files\n",
      static_cast<unsigned long long>(kills_), static_cast<unsigned long long>(kills_while_opening_),
      static_cast<unsigned long long>(kills_after_reopening_), static_cast<unsigned long long>(commits_),
      static_cast<unsigned long long>(unacknowledged_), static_cast<unsigned long long>(run_files_));
  EXPECT_EQ(kills_, rounds);
}

INSTANTIATE_TEST_SUITE_P(Presets, Kill9Test, testing::Values(ASHLAR_PRESET_DURABLE, ASHLAR_PRESET_PARANOID),
                         [](const auto& instance) {
                           return instance.param == ASHLAR_PRESET_DURABLE ? "durable" : "paranoid";
                         });

}  // namespace
}  // namespace ashlar::crash
