#include "machine_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "failure.h"

namespace ashlar::cli {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<uint64_t> number_in(const fs::path& path) {
  std::istringstream line(first_line(path));
  uint64_t number = 0;
  if (line >> number) return number;
  return std::nullopt;
}

std::optional<bool> flag_in(const fs::path& path) {
  const auto number = number_in(path);
  if (!number) return std::nullopt;
  return *number != 0;
}

// mountinfo writes blanks in names as \040.
std::string decode_octal(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

void add_options(std::vector<std::string>& all, const std::string& list) {
  std::istringstream words(list);
  std::string word;
  while (std::getline(words, word, ',')) {
    if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
  }
}

bool holds(const std::string& mount_point, const std::string& path) {
  if (mount_point == "/") return true;
  return path.compare(0, mount_point.size(), mount_point) == 0 &&
         (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

// The last mount whose point is the longest that holds the path: it covers the others.
void read_mount(MachineFacts& facts) {
  std::ifstream table("/proc/self/mountinfo");
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string id, parent, device, root, point, options, word;
    words >> id >> parent >> device >> root >> point >> options;
    while (words >> word && word != "-") {
    }
    std::string type, source, super_options;
    words >> type >> source >> super_options;
    point = decode_octal(point);
    if (!words || !holds(point, facts.existing_directory) || point.size() < facts.mount_point.size())
      continue;
    facts.mount_point = point;
    facts.file_system = type;
    facts.mount_source = decode_octal(source);
    facts.mount_options.clear();
    add_options(facts.mount_options, options);
    add_options(facts.mount_options, super_options);
  }
}

void read_device(MachineFacts& facts, dev_t device) {
  fs::path place = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  std::error_code ignored;
  if (!fs::exists(place, ignored)) return;
  place = fs::canonical(place, ignored);
  facts.device.name = place.filename().string();
  // The queue belongs to the whole disk.
  if (!fs::exists(place / "queue", ignored)) place = place.parent_path();
  const fs::path queue = place / "queue";
  facts.device.write_cache = first_line(queue / "write_cache");
  facts.device.fua = flag_in(queue / "fua");
  facts.device.rotational = flag_in(queue / "rotational");
  facts.device.logical_block_bytes = number_in(queue / "logical_block_size");
  facts.device.physical_block_bytes = number_in(queue / "physical_block_size");
  facts.device.atomic_write_bytes = number_in(queue / "atomic_write_max_bytes");
}

// Alignment is told for regular files only; one without a name is made for the question where the system can.
void read_direct_io(MachineFacts& facts) {
  const int fd = open(facts.existing_directory.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  facts.direct_open_works = true;
#ifdef STATX_DIOALIGN
  struct statx info = {};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 && (info.stx_mask & STATX_DIOALIGN) != 0) {
    facts.direct_memory_alignment = info.stx_dio_mem_align;
    facts.direct_offset_alignment = info.stx_dio_offset_align;
  }
#endif
  close(fd);
}

std::string machine_kind() {
  std::ifstream cpu("/proc/cpuinfo");
  std::string line;
  bool hypervisor = false;
  while (!hypervisor && std::getline(cpu, line)) {
    hypervisor = line.compare(0, 5, "flags") == 0 && line.find(" hypervisor") != std::string::npos;
  }
  const std::string product = first_line("/sys/class/dmi/id/product_name");
  if (hypervisor) return product.empty() ? "virtual machine" : fmt::format("virtual machine ({})", product);
  std::error_code ignored;
  if (fs::exists("/.dockerenv", ignored) || fs::exists("/run/.containerenv", ignored)) return "container";
  return product;
}

}  // namespace

MachineFacts read_machine_facts(const std::string& directory) {
  MachineFacts facts;
  std::error_code ignored;
  fs::path place = fs::absolute(directory).lexically_normal();
  if (place.has_relative_path() && place.filename().empty()) place = place.parent_path();
  facts.exists = fs::is_directory(place, ignored);
  while (!fs::is_directory(place, ignored) && place.has_relative_path()) place = place.parent_path();
  facts.existing_directory = fs::canonical(place).string();

  struct stat info = {};
  if (stat(facts.existing_directory.c_str(), &info) != 0) {
    throw system_failure("cannot look at " + facts.existing_directory);
  }
  read_mount(facts);
  struct statvfs space = {};
  if (statvfs(facts.existing_directory.c_str(), &space) == 0) {
    facts.total_bytes = uint64_t{space.f_blocks} * space.f_frsize;
    facts.free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
  }
  read_device(facts, info.st_dev);
  read_direct_io(facts);
  facts.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  facts.machine = machine_kind();
  return facts;
}

}  // namespace ashlar::cli
