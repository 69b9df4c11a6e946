// The data of the demo: real text that is on the machine already.
//
//   1. apt's package lists: /var/lib/apt/lists/*_Packages, plain or compressed; one entry per stanza,
//      key "name/version", value the stanza as it stands
//   2. /usr/share/dict/words: key the word, value its line number
//   3. text files under /usr/share/doc: key the path, value the content
//
// The first of these that yields anything is taken. Entries have distinct keys: of the same key in several lists the
// last one counts. Their order is the same in every process that reads the same files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::cli {

struct CorpusEntry {
  std::string key;
  std::string value;
};

struct Corpus {
  std::string description;           // "Debian package index, 3 lists"
  std::string noun;                  // "stanzas"
  std::string prefix;                // one that several keys begin with
  std::vector<std::string> remarks;  // what could not be read, and why
  uint64_t duplicates = 0;           // entries whose key came again later
  uint64_t bytes = 0;                // of keys and values
  std::vector<CorpusEntry> entries;
};

// `lists` is where apt keeps its lists. Throws Failure(failed) where there is no text at all.
Corpus read_corpus(const std::string& lists);

}  // namespace ashlar::cli
