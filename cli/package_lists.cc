#include "package_lists.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lz4frame.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

extern char** environ;

namespace ashlar::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kChunkBytes = 256 * 1024;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct FreeContext {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool read_whole(const std::string& path, std::string* out, std::string* problem) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    *problem = std::strerror(errno);
    return false;
  }
  std::string chunk(kChunkBytes, '\0');
  size_t count = 0;
  while ((count = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0) out->append(chunk, 0, count);
  if (std::ferror(file.get()) == 0) return true;
  *problem = "reading stopped in the middle";
  return false;
}

// One or several frames, one after the other.
bool unpack_lz4(std::string_view packed, std::string* out, std::string* problem) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) {
    *problem = "no memory for lz4";
    return false;
  }
  const std::unique_ptr<LZ4F_dctx, FreeContext> context(raw);
  std::string chunk(kChunkBytes, '\0');
  size_t wanted = 0;
  while (!packed.empty()) {
    size_t read = packed.size();
    size_t written = chunk.size();
    wanted = LZ4F_decompress(context.get(), chunk.data(), &written, packed.data(), &read, nullptr);
    if (LZ4F_isError(wanted) != 0) {
      *problem = fmt::format("lz4: {}", LZ4F_getErrorName(wanted));
      return false;
    }
    out->append(chunk, 0, written);
    packed.remove_prefix(read);
  }
  if (wanted == 0) return true;
  *problem = "lz4: the file ends in the middle of a frame";
  return false;
}

// Runs `program -dc path` and takes its output.
bool unpack_by(const char* program, const std::string& path, std::string* out, std::string* problem) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    *problem = std::strerror(errno);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const std::string words[] = {program, "-dc", "--", path};
  char* const arguments[] = {const_cast<char*>(words[0].c_str()), const_cast<char*>(words[1].c_str()),
                             const_cast<char*>(words[2].c_str()), const_cast<char*>(words[3].c_str()),
                             nullptr};
  pid_t child = 0;
  const int outcome = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string chunk(kChunkBytes, '\0');
  for (;;) {
    const ssize_t count = read(ends[0], chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    out->append(chunk, 0, static_cast<size_t>(count));
  }
  close(ends[0]);
  if (outcome != 0) {
    *problem = fmt::format("{}: {}", program, std::strerror(outcome));
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  *problem = fmt::format("{} failed", program);
  return false;
}

std::string_view field(std::string_view stanza, std::string_view name) {
  size_t at = 0;
  while (at < stanza.size()) {
    const size_t end = std::min(stanza.find('\n', at), stanza.size());
    const std::string_view line = stanza.substr(at, end - at);
    if (line.size() > name.size() && line.substr(0, name.size()) == name && line[name.size()] == ':') {
      const size_t start = line.find_first_not_of(' ', name.size() + 1);
      return start == std::string_view::npos ? std::string_view() : line.substr(start);
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

std::vector<std::string> find_package_lists(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    for (const char* const end :
         {"_Packages", "_Packages.lz4", "_Packages.gz", "_Packages.xz", "_Packages.zst"}) {
      if (ends_with(name, end)) found.push_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  const auto same_list = [](const std::string& a, const std::string& b) {
    return a.substr(0, a.rfind("_Packages")) == b.substr(0, b.rfind("_Packages"));
  };
  found.erase(std::unique(found.begin(), found.end(), same_list), found.end());
  return found;
}

bool read_package_list(const std::string& path, std::string* text, std::string* problem) {
  text->clear();
  if (ends_with(path, ".gz")) return unpack_by("gzip", path, text, problem);
  if (ends_with(path, ".xz")) return unpack_by("xz", path, text, problem);
  if (ends_with(path, ".zst")) return unpack_by("zstd", path, text, problem);
  if (!ends_with(path, ".lz4")) return read_whole(path, text, problem);
  std::string packed;
  return read_whole(path, &packed, problem) && unpack_lz4(packed, text, problem);
}

void append_stanzas(std::string_view text, std::vector<CorpusEntry>* entries) {
  while (!text.empty()) {
    const size_t end = text.find("\n\n");
    const std::string_view stanza = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view name = field(stanza, "Package");
    const std::string_view version = field(stanza, "Version");
    if (!name.empty() && !version.empty()) {
      entries->push_back({fmt::format("{}/{}", name, version), std::string(stanza)});
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    while (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  }
}

}  // namespace ashlar::cli
