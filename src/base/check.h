// ASHLAR_CHECK(condition): a broken promise of our own stops the process, in release builds too.
// Bad bytes from disk or from the caller are never checked this way; they become a Status.
#pragma once

namespace ashlar {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace ashlar

#define ASHLAR_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define ASHLAR_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)
#define ASHLAR_CHECK(condition) \
  (ASHLAR_LIKELY(condition) ? static_cast<void>(0) : ::ashlar::check_failed(#condition, __FILE__, __LINE__))

// For invariants too dear for release builds.
#ifdef NDEBUG
#define ASHLAR_DCHECK(condition) static_cast<void>(0)
#else
#define ASHLAR_DCHECK(condition) ASHLAR_CHECK(condition)
#endif
