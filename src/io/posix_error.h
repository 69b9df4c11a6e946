// errno, made into a Status that names the call, the file and the place in it.
//
//   "write db/000001.seg at 4096: No space left on device (ENOSPC)"
//
// ENOSPC and EDQUOT become no_space, everything else io. A missing file reads "no such file".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace ashlar::io {

Status posix_error(int error, std::string_view call, std::string_view path);
Status posix_error_at(int error, std::string_view call, std::string_view path, uint64_t offset);

}  // namespace ashlar::io
