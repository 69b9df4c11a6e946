// What the figures were taken on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ashlar::bench {

// (name, text) pairs: processor, cores, memory, kernel, file system of the scratch directory, compiler, load.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> describe_machine(const std::string& directory);

}  // namespace ashlar::bench
