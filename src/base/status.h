// Outcome of an operation that can fail: a code a caller can act on, and a text a person can read.
//
//   Status   one pointer; null = ok, so a success costs one register and no allocation
//   Result   a value or a Status
//
// A code exists only where a caller acts differently. "Not found" is an empty optional, never an error.
// The text names the file, the offset, what was expected and what was found, where there is a file.
// Threads: values; share them as you would share an int.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace ashlar {

enum class Code : uint8_t {
  ok = 0,
  corruption = 1,          // bytes on disk are not what was written; nothing was changed
  io = 2,                  // the operating system refused or failed
  no_space = 3,            // the disk is full; reads go on, retry when space is back
  conflict = 4,            // a transaction lost against a later commit; retry it
  invalid_argument = 5,    // the call itself is wrong; do not retry
  unsupported_format = 6,  // written by a newer version, or a feature this build lacks
  limit = 7,               // larger than the documented limits
  busy = 8,                // another process or handle holds the database
  closed = 9,              // the handle was closed or moved from
  cancelled = 10,          // stopped on the caller's demand
  constraint = 11,         // SQL constraint
  syntax = 12,             // SQL text
  indeterminate = 13,      // the outcome is unknown until the database is reopened
};

// Stable lower-case name of a code, e.g. "no_space".
std::string_view code_name(Code code);

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  bool ok() const noexcept { return detail_ == nullptr; }
  Code code() const noexcept { return detail_ ? detail_->code : Code::ok; }
  // Empty for ok.
  std::string_view message() const noexcept {
    return detail_ ? std::string_view(detail_->message) : std::string_view();
  }
  // "corruption: journal/000003.seg at 4096: ..." or "ok".
  std::string to_string() const;
  // The same code with `context` put before the text; ok stays ok.
  Status with_context(std::string_view context) const;

 private:
  struct Detail {
    Code code;
    std::string message;
  };
  std::unique_ptr<Detail> detail_;
};

inline Status ok_status() { return Status(); }
Status corruption(std::string message);
Status io_error(std::string message);
Status invalid_argument(std::string message);
Status limit_exceeded(std::string message);
Status unsupported_format(std::string message);
Status busy(std::string message);
Status closed(std::string message);
Status indeterminate(std::string message);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) { ASHLAR_CHECK(!status_.ok()); }  // NOLINT

  bool ok() const noexcept { return value_.has_value(); }
  const Status& status() const& noexcept { return status_; }
  Status&& status() && noexcept { return std::move(status_); }
  T& value() & {
    ASHLAR_CHECK(value_.has_value());
    return *value_;
  }
  const T& value() const& {
    ASHLAR_CHECK(value_.has_value());
    return *value_;
  }
  T&& value() && {
    ASHLAR_CHECK(value_.has_value());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

// Returns from the enclosing function when `expression` is a failed Status.
#define ASHLAR_TRY(expression)                               \
  do {                                                       \
    ::ashlar::Status ashlar_try_status_ = (expression);      \
    if (!ashlar_try_status_.ok()) return ashlar_try_status_; \
  } while (false)

// `ASHLAR_ASSIGN(auto file, directory.open(...));` binds the value or returns the Status.
#define ASHLAR_ASSIGN(declaration, expression) \
  ASHLAR_ASSIGN_IMPL(ASHLAR_CONCAT(ashlar_result_, __LINE__), declaration, expression)
#define ASHLAR_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                               \
  if (!result.ok()) return std::move(result).status();      \
  declaration = std::move(result).value()
#define ASHLAR_CONCAT(a, b) ASHLAR_CONCAT_IMPL(a, b)
#define ASHLAR_CONCAT_IMPL(a, b) a##b

}  // namespace ashlar
