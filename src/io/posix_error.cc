#include "io/posix_error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace ashlar::io {

namespace {

Status describe(int error, std::string text) {
  text += ": ";
  const char* description = error == ENOENT ? "no such file" : ::strerrordesc_np(error);
  text += description != nullptr ? description : "unknown error";
  const char* name = ::strerrorname_np(error);
  text += " (" + (name != nullptr ? std::string(name) : std::to_string(error)) + ")";
  const bool full = error == ENOSPC || error == EDQUOT;
  return Status(full ? Code::no_space : Code::io, std::move(text));
}

std::string prefix(std::string_view call, std::string_view path) {
  std::string text(call);
  text += ' ';
  text += path;
  return text;
}

}  // namespace

Status posix_error(int error, std::string_view call, std::string_view path) {
  return describe(error, prefix(call, path));
}

Status posix_error_at(int error, std::string_view call, std::string_view path, uint64_t offset) {
  return describe(error, prefix(call, path) + " at " + std::to_string(offset));
}

}  // namespace ashlar::io
