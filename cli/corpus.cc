#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "failure.h"
#include "package_lists.h"
#include "text.h"

namespace ashlar::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWords = "/usr/share/dict/words";
constexpr const char* kDocuments = "/usr/share/doc";
constexpr const char* kPackagePrefix = "libreoffice";
constexpr size_t kOtherPrefixLetters = 3;
constexpr size_t kMaxDocuments = 50000;
constexpr uintmax_t kMaxDocumentBytes = 4 << 20;

void read_packages(const std::string& lists, Corpus& corpus) {
  const std::vector<std::string> files = find_package_lists(lists);
  size_t read = 0;
  for (const std::string& file : files) {
    std::string text;
    std::string problem;
    if (!read_package_list(file, &text, &problem)) {
      corpus.remarks.push_back(fmt::format("left out {}: {}", file, problem));
      continue;
    }
    append_stanzas(text, &corpus.entries);
    ++read;
  }
  corpus.description =
      fmt::format("Debian package index, {} list{} of {}", read, read == 1 ? "" : "s", lists);
  corpus.noun = "stanzas";
  corpus.prefix = kPackagePrefix;
}

void read_words(Corpus& corpus) {
  std::ifstream file(kWords);
  std::string word;
  for (uint64_t number = 1; std::getline(file, word); ++number) {
    corpus.entries.push_back({word, std::to_string(number)});
  }
  corpus.description = kWords;
  corpus.noun = "words";
}

void read_documents(Corpus& corpus) {
  std::vector<fs::path> files;
  std::error_code problem;
  fs::recursive_directory_iterator walk(kDocuments, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && walk != fs::recursive_directory_iterator(); walk.increment(problem)) {
    std::error_code ignored;
    if (!walk->is_regular_file(ignored) || walk->path().extension() == ".gz") continue;
    if (walk->file_size(ignored) <= kMaxDocumentBytes) files.push_back(walk->path());
  }
  std::sort(files.begin(), files.end());
  files.resize(std::min(files.size(), kMaxDocuments));
  for (const fs::path& path : files) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    corpus.entries.push_back({path.string(), content.str()});
  }
  corpus.description = fmt::format("files under {}", kDocuments);
  corpus.noun = "files";
}

// Keeps the last entry of each key, in the order of the survivors.
void drop_duplicates(Corpus& corpus) {
  std::unordered_map<std::string_view, size_t> last;
  last.reserve(corpus.entries.size());
  for (size_t i = 0; i < corpus.entries.size(); ++i) last[corpus.entries[i].key] = i;
  std::vector<CorpusEntry> kept;
  kept.reserve(last.size());
  std::vector<bool> stays(corpus.entries.size());
  for (const auto& [key, index] : last) stays[index] = true;
  corpus.duplicates = corpus.entries.size() - last.size();
  for (size_t i = 0; i < corpus.entries.size(); ++i) {
    if (stays[i]) kept.push_back(std::move(corpus.entries[i]));
  }
  corpus.entries = std::move(kept);
  for (const CorpusEntry& entry : corpus.entries) corpus.bytes += entry.key.size() + entry.value.size();
}

// Where the usual prefix finds nothing: the first letters of a key in the middle.
void choose_prefix(Corpus& corpus) {
  const auto begins = [&](const CorpusEntry& entry) {
    return entry.key.compare(0, corpus.prefix.size(), corpus.prefix) == 0;
  };
  if (!corpus.prefix.empty() && std::any_of(corpus.entries.begin(), corpus.entries.end(), begins)) return;
  corpus.prefix = corpus.entries[corpus.entries.size() / 2].key.substr(0, kOtherPrefixLetters);
}

}  // namespace

Corpus read_corpus(const std::string& lists) {
  Corpus corpus;
  read_packages(lists, corpus);
  if (corpus.entries.empty()) {
    corpus.remarks.push_back(fmt::format("no package list in {} (apt-get update fetches them)", lists));
    read_words(corpus);
  }
  if (corpus.entries.empty()) read_documents(corpus);
  if (corpus.entries.empty()) {
    throw Failure(ExitCode::failed,
                  fmt::format("found no text to load: neither {}, {} nor {}", lists, kWords, kDocuments));
  }
  drop_duplicates(corpus);
  choose_prefix(corpus);
  return corpus;
}

}  // namespace ashlar::cli
