#include "base/status.h"

#include <array>

namespace ashlar {

std::string_view code_name(Code code) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "ok",    "corruption", "io",     "no_space",  "conflict",   "invalid_argument", "unsupported_format",
      "limit", "busy",       "closed", "cancelled", "constraint", "syntax",           "indeterminate"};
  const auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : "unknown";
}

Status::Status(Code code, std::string message) {
  ASHLAR_CHECK(code != Code::ok);
  detail_ = std::make_unique<Detail>(Detail{code, std::move(message)});
}

Status::Status(const Status& other) {
  if (other.detail_) detail_ = std::make_unique<Detail>(*other.detail_);
}

Status& Status::operator=(const Status& other) {
  if (this != &other) detail_ = other.detail_ ? std::make_unique<Detail>(*other.detail_) : nullptr;
  return *this;
}

std::string Status::to_string() const {
  if (ok()) return "ok";
  std::string text(code_name(code()));
  text += ": ";
  text += message();
  return text;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return Status();
  std::string text(context);
  text += ": ";
  text += message();
  return Status(code(), std::move(text));
}

Status corruption(std::string message) { return Status(Code::corruption, std::move(message)); }
Status io_error(std::string message) { return Status(Code::io, std::move(message)); }
Status invalid_argument(std::string message) { return Status(Code::invalid_argument, std::move(message)); }
Status limit_exceeded(std::string message) { return Status(Code::limit, std::move(message)); }
Status unsupported_format(std::string message) {
  return Status(Code::unsupported_format, std::move(message));
}
Status busy(std::string message) { return Status(Code::busy, std::move(message)); }
Status closed(std::string message) { return Status(Code::closed, std::move(message)); }
Status indeterminate(std::string message) { return Status(Code::indeterminate, std::move(message)); }

}  // namespace ashlar
