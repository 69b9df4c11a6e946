#include "failure.h"

#include <cerrno>
#include <cstring>

namespace ashlar::cli {

Failure system_failure(const std::string& what) {
  return {ExitCode::failed, what + ": " + std::strerror(errno)};
}

ExitCode exit_code(Code code) {
  switch (code) {
    case Code::ok:
      return ExitCode::ok;
    case Code::invalid_argument:
    case Code::limit:
    case Code::syntax:
    case Code::constraint:
      return ExitCode::usage;
    case Code::corruption:
      return ExitCode::corruption;
    case Code::busy:
      return ExitCode::busy;
    case Code::io:
    case Code::no_space:
    case Code::conflict:
    case Code::unsupported_format:
    case Code::closed:
    case Code::cancelled:
    case Code::indeterminate:
      return ExitCode::failed;
  }
  return ExitCode::failed;
}

}  // namespace ashlar::cli
