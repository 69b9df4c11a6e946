#include "io/fork_guard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace ashlar::io {
namespace {

// Exit code of `body` run in a fork child.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int state = 0;
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST(ForkGuard, TellsTheChildFromItsParent) {
  const ForkGuard guard;
  EXPECT_FALSE(guard.forked());
  EXPECT_EQ(in_child([&] { return guard.forked() ? 1 : 0; }), 1);
  EXPECT_FALSE(guard.forked());
}

TEST(ForkGuard, AChildMayStartAnewWhileTheInheritedStaysRefused) {
  const ForkGuard inherited;
  EXPECT_EQ(in_child([&] {
              const ForkGuard own;
              const ForkGuard second;
              return (inherited.forked() ? 1 : 0) + (own.forked() ? 2 : 0) + (second.forked() ? 4 : 0);
            }),
            1);
}

TEST(ForkGuard, AGrandchildRefusesBoth) {
  const ForkGuard first;
  EXPECT_EQ(in_child([&] {
              const ForkGuard second;
              return in_child([&] {
                const ForkGuard third;
                return (first.forked() ? 1 : 0) + (second.forked() ? 2 : 0) + (third.forked() ? 4 : 0);
              });
            }),
            3);
}

}  // namespace
}  // namespace ashlar::io
