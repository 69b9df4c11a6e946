// How a command ends: exit codes, and the exception that carries one to main().
//
//   0 done   1 no such key   2 wrong use or wrong input   3 corruption or a failed check
//   4 somebody else has the database open   5 the system, the disk, or anything else that stopped it
#pragma once

#include <ashlar/ashlar.hpp>
#include <stdexcept>
#include <string>

namespace ashlar::cli {

enum class ExitCode : int {
  ok = 0,
  not_found = 1,
  usage = 2,
  corruption = 3,
  busy = 4,
  failed = 5,
};

class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

inline Failure usage_failure(const std::string& message) { return {ExitCode::usage, message}; }
// The system call that has just failed, with errno's text.
Failure system_failure(const std::string& what);

ExitCode exit_code(Code code);

}  // namespace ashlar::cli
