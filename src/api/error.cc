#include "api/error.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ashlar::api {

namespace {

constexpr size_t kTextBytes = 2048;
constexpr std::string_view kCut = "...";

// No constructor and no destructor: usable from the first to the last moment of a thread.
thread_local char last_text[kTextBytes];

constexpr bool same_number(Code code, ashlar_code number) {
  return static_cast<int>(code) == static_cast<int>(number);
}
static_assert(same_number(Code::ok, ASHLAR_OK) && same_number(Code::corruption, ASHLAR_CORRUPTION) &&
              same_number(Code::io, ASHLAR_IO) && same_number(Code::no_space, ASHLAR_NO_SPACE) &&
              same_number(Code::conflict, ASHLAR_CONFLICT) &&
              same_number(Code::invalid_argument, ASHLAR_INVALID_ARGUMENT) &&
              same_number(Code::unsupported_format, ASHLAR_UNSUPPORTED_FORMAT) &&
              same_number(Code::limit, ASHLAR_LIMIT) && same_number(Code::busy, ASHLAR_BUSY) &&
              same_number(Code::closed, ASHLAR_CLOSED) && same_number(Code::cancelled, ASHLAR_CANCELLED) &&
              same_number(Code::constraint, ASHLAR_CONSTRAINT) && same_number(Code::syntax, ASHLAR_SYNTAX) &&
              same_number(Code::indeterminate, ASHLAR_INDETERMINATE));

}  // namespace

ashlar_code fail(ashlar_code code, std::string_view text) {
  const size_t size = std::min(text.size(), kTextBytes - 1);
  std::memcpy(last_text, text.data(), size);
  if (size < text.size()) std::memcpy(last_text + size - kCut.size(), kCut.data(), kCut.size());
  last_text[size] = '\0';
  return code;
}

ashlar_code fail(const Status& status) {
  return fail(static_cast<ashlar_code>(status.code()), status.message());
}

}  // namespace ashlar::api

const char* ashlar_last_error(void) { return ashlar::api::last_text; }

const char* ashlar_code_name(ashlar_code code) {
  if (code == ASHLAR_NOT_FOUND) return "not_found";
  if (code < ASHLAR_OK || code > ASHLAR_INDETERMINATE) return "unknown";
  // Every name is a literal, hence terminated.
  return ashlar::code_name(static_cast<ashlar::Code>(code)).data();
}

#define ASHLAR_TEXT(number) ASHLAR_LITERAL(number)
#define ASHLAR_LITERAL(number) #number

const char* ashlar_version(void) {
  return ASHLAR_TEXT(ASHLAR_VERSION_MAJOR) "." ASHLAR_TEXT(ASHLAR_VERSION_MINOR) "." ASHLAR_TEXT(
      ASHLAR_VERSION_PATCH);
}
