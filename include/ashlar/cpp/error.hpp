// Outcomes: Error is a code and a text, Status is nothing or an Error, Result<T> is a T or an Error.
//
//   db.put("k", "v").check();                 // throws ashlar::Exception where it failed
//   auto r = db.get("k");                     // or look first:
//   if (!r.ok()) return r.error().code;
//   use(r.value());
//
// Nothing throws unless you ask with check() or value(). In a program built without exceptions these two print the
// error and abort. A dropped Status or Result is a compiler warning. Neither converts to bool: with Result<bool> that would
// read as the answer.
#pragma once

#include <ashlar/ashlar.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// Keeps the wrapper, which lives in the program, apart from the library's own classes, and units compiled with
// exceptions apart from those without: mixing them is a link error, not two meanings of one function.
#if defined(__cpp_exceptions)
#define ASHLAR_CPP_NAMESPACE v0
#else
#define ASHLAR_CPP_NAMESPACE v0_no_exceptions
#endif

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {

enum class Code : int {
  ok = ASHLAR_OK,
  corruption = ASHLAR_CORRUPTION,
  io = ASHLAR_IO,
  no_space = ASHLAR_NO_SPACE,
  conflict = ASHLAR_CONFLICT,
  invalid_argument = ASHLAR_INVALID_ARGUMENT,
  unsupported_format = ASHLAR_UNSUPPORTED_FORMAT,
  limit = ASHLAR_LIMIT,
  busy = ASHLAR_BUSY,
  closed = ASHLAR_CLOSED,
  cancelled = ASHLAR_CANCELLED,
  constraint = ASHLAR_CONSTRAINT,
  syntax = ASHLAR_SYNTAX,
  indeterminate = ASHLAR_INDETERMINATE,
};

// Stable lower-case name, e.g. "no_space".
inline std::string_view code_name(Code code) { return ashlar_code_name(static_cast<ashlar_code>(code)); }

struct Error {
  Code code = Code::ok;
  std::string message;

  // "busy: lock inventory/LOCK: held by process 4711 (shop)"
  std::string to_string() const { return std::string(code_name(code)) + ": " + message; }
};

class Exception : public std::runtime_error {
 public:
  explicit Exception(Error error) : std::runtime_error(error.to_string()), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }
  Code code() const noexcept { return error_.code; }

 private:
  Error error_;
};

// Throws, or prints and aborts where exceptions are off.
[[noreturn]] inline void raise(const Error& error) {
#if defined(__cpp_exceptions)
  throw Exception(error);
#else
  std::fprintf(stderr, "ashlar: %s\n", error.to_string().c_str());
  std::abort();
#endif
}

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const noexcept { return error_.code == Code::ok; }
  Code code() const noexcept { return error_.code; }
  // "" where ok.
  const std::string& message() const noexcept { return error_.message; }
  // Code::ok and "" where ok.
  const Error& error() const noexcept { return error_; }
  std::string to_string() const { return ok() ? "ok" : error_.to_string(); }
  void check() const {
    if (!ok()) raise(error_);
  }

 private:
  Error error_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return content_.index() == 0; }
  Code code() const noexcept { return ok() ? Code::ok : std::get_if<1>(&content_)->code; }
  // Code::ok and "" where ok.
  const Error& error() const noexcept {
    static const Error none;
    return ok() ? none : *std::get_if<1>(&content_);
  }
  Status status() const { return ok() ? Status() : Status(error()); }

  T& value() & {
    need_value();
    return *std::get_if<0>(&content_);
  }
  const T& value() const& {
    need_value();
    return *std::get_if<0>(&content_);
  }
  // By value: a reference into a temporary Result would dangle.
  T value() && {
    need_value();
    return std::move(*std::get_if<0>(&content_));
  }

 private:
  void need_value() const {
    if (!ok()) raise(error());
  }
  std::variant<T, Error> content_;
};

namespace detail {

// The Error of a call that has just failed on this thread.
inline Error last_error(ashlar_code code) { return Error{static_cast<Code>(code), ashlar_last_error()}; }

inline Status to_status(ashlar_code code) {
  if (code == ASHLAR_OK) return Status();
  return last_error(code);
}

inline Error closed_error(const char* what) {
  return Error{Code::closed, std::string(what) + " is closed, or was moved from"};
}

}  // namespace detail
}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
