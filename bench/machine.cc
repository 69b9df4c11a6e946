#include "machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace ashlar::bench {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;  // names itself
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

std::string field_of(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(name, 0) != 0) continue;
    const size_t colon = line.find(':');
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "unknown";
}

std::string file_system(const std::string& directory) {
  struct statfs status {};
  if (::statfs(directory.c_str(), &status) != 0) return "unknown";
  switch (static_cast<unsigned long>(status.f_type)) {
    case 0xEF53:
      return "ext4";
    case 0x58465342:
      return "xfs";
    case 0x9123683E:
      return "btrfs";
    case 0x01021994:
      return "tmpfs: no disk under it, figures of syncs mean nothing";
    case 0x794C7630:
      return "overlayfs";
    default:
      return fmt::format("type {:#x}", static_cast<unsigned long>(status.f_type));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_machine(const std::string& directory) {
  utsname kernel{};
  ::uname(&kernel);
  double load[1] = {0};
  const bool has_load = ::getloadavg(load, 1) == 1;
  return {
      {"processor", field_of("/proc/cpuinfo", "model name")},
      {"cores", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN))},
      {"memory", field_of("/proc/meminfo", "MemTotal")},
      {"kernel", fmt::format("{} {}", kernel.sysname, kernel.release)},
      {"file_system", file_system(directory)},
      {"compiler", kCompiler},
      {"load_before", has_load ? fmt::format("{:.2f}", load[0]) : "unknown"},
  };
}

}  // namespace ashlar::bench
