#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ashlar {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "ashlar: broken invariant at %s:%d: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ashlar
