// The child of fork(): what it inherited is closed to it, what it opens itself works, and the parent never notices.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "scratch.h"

namespace ashlar_test {
namespace {

// Runs `body` in a child; what it returns is the child's exit code.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

class Fork : public ::testing::Test {
 protected:
  void SetUp() override {
    db_ = open_db(scratch_.at("db"));
    ASSERT_EQ(put(db_, "k", "v"), ASHLAR_OK);
    ASSERT_EQ(ashlar_snapshot_create(db_, &snapshot_), ASHLAR_OK);
    ASSERT_EQ(ashlar_iterator_create(db_, nullptr, 0, nullptr, &iterator_), ASHLAR_OK);
    ASSERT_EQ(ashlar_iterator_first(iterator_), 1);
  }
  void TearDown() override {
    EXPECT_EQ(put(db_, "after", "still works"), ASHLAR_OK);
    EXPECT_EQ(get(db_, "k", snapshot_), "v");
    EXPECT_EQ(ashlar_iterator_valid(iterator_), 1);
    ashlar_iterator_destroy(iterator_);
    ashlar_snapshot_release(snapshot_);
    EXPECT_EQ(ashlar_close(db_), ASHLAR_OK);
    ashlar_db* again = open_db(scratch_.at("db"));
    EXPECT_EQ(get(again, "k"), "v");
    EXPECT_EQ(get(again, "after"), "still works");
    EXPECT_EQ(get(again, "from the child"), "not_found");
    EXPECT_EQ(ashlar_verify(again), ASHLAR_OK);
    EXPECT_EQ(ashlar_close(again), ASHLAR_OK);
  }

  Scratch scratch_;
  ashlar_db* db_ = nullptr;
  ashlar_snapshot* snapshot_ = nullptr;
  ashlar_iterator* iterator_ = nullptr;
};

TEST_F(Fork, EveryCallOfTheChildIsRefused) {
  EXPECT_EQ(in_child([&] {
              ashlar_value value;
              ashlar_snapshot* snapshot = nullptr;
              ashlar_iterator* iterator = nullptr;
              ashlar_keyspace keyspace = 0;
              ashlar_stats stats = {};
              stats.struct_size = sizeof stats;
              ashlar_batch* batch = ashlar_batch_create();
              if (ashlar_batch_put(batch, 0, "from the child", 14, "x", 1) != ASHLAR_OK) return 100;
              const ashlar_bytes pair = {"from the child", 14};
              const ashlar_code codes[] = {
                  put(db_, "from the child", "x"),
                  ashlar_remove(db_, 0, "k", 1, 0),
                  ashlar_write(db_, batch, 0),
                  ashlar_insert_many(db_, 0, &pair, &pair, 1, 0, nullptr),
                  ashlar_get(db_, nullptr, 0, "k", 1, &value),
                  ashlar_get(db_, snapshot_, 0, "k", 1, &value),
                  ashlar_contains(db_, nullptr, 0, "k", 1),
                  ashlar_snapshot_create(db_, &snapshot),
                  ashlar_iterator_create(db_, nullptr, 0, nullptr, &iterator),
                  ashlar_iterator_status(iterator_),
                  ashlar_keyspace_create(db_, "x", 1, &keyspace),
                  ashlar_keyspace_find(db_, "x", 1, &keyspace),
                  ashlar_keyspace_drop(db_, 1),
                  ashlar_keyspace_list(
                      db_, [](void*, ashlar_keyspace, const char*, size_t) {}, nullptr),
                  ashlar_sync(db_),
                  ashlar_flush(db_),
                  ashlar_compact(db_),
                  ashlar_wait_idle(db_),
                  ashlar_verify(db_),
                  ashlar_get_stats(db_, &stats),
                  ashlar_close(db_),
              };
              int number = 1;
              for (const ashlar_code code : codes) {
                if (code != ASHLAR_CLOSED) return number;
                ++number;
              }
              return std::string_view(ashlar_last_error()).find("fork") == std::string_view::npos ? 101 : 0;
            }),
            0);
}

TEST_F(Fork, InheritedIteratorsStandNowhereInTheChild) {
  EXPECT_EQ(in_child([&] {
              if (ashlar_iterator_valid(iterator_) || ashlar_iterator_first(iterator_)) return 1;
              if (ashlar_iterator_next(iterator_) || ashlar_iterator_seek(iterator_, "k", 1)) return 2;
              return ashlar_iterator_key(iterator_).size == 0 ? 0 : 3;
            }),
            0);
}

TEST_F(Fork, ReleasingInTheChildTouchesNothing) {
  ashlar_value value;
  ASSERT_EQ(ashlar_get(db_, nullptr, 0, "k", 1, &value), ASHLAR_OK);
  EXPECT_EQ(in_child([&] {
              ashlar_iterator_destroy(iterator_);
              ashlar_snapshot_release(snapshot_);
              ashlar_value_release(&value);
              return ashlar_close(db_) == ASHLAR_CLOSED ? 0 : 1;
            }),
            0);
  EXPECT_EQ(view(value), "v");
  ashlar_value_release(&value);
}

TEST_F(Fork, TheChildMayOpenADatabaseOfItsOwn) {
  const std::string path = scratch_.at("child");
  EXPECT_EQ(in_child([&] {
              ashlar_db* own = nullptr;
              if (ashlar_open(path.c_str(), nullptr, &own) != ASHLAR_OK) return 1;
              if (put(own, "k", "own") != ASHLAR_OK || get(own, "k") != "own") return 2;
              if (put(db_, "from the child", "x") != ASHLAR_CLOSED) return 3;
              ashlar_db* parents = nullptr;
              if (ashlar_open(scratch_.at("db").c_str(), nullptr, &parents) != ASHLAR_BUSY) return 4;
              return ashlar_close(own) == ASHLAR_OK ? 0 : 5;
            }),
            0);
  ashlar_db* db = open_db(path);
  EXPECT_EQ(get(db, "k"), "own");
  EXPECT_EQ(ashlar_close(db), ASHLAR_OK);
}

TEST_F(Fork, AGrandchildIsRefusedToo) {
  EXPECT_EQ(in_child([&] {
              return in_child([&] { return put(db_, "from the child", "x") == ASHLAR_CLOSED ? 0 : 1; });
            }),
            0);
}

}  // namespace
}  // namespace ashlar_test
