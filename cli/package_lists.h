// apt's package lists: finding, unpacking and cutting them into stanzas.
//
//   *_Packages        plain
//   *_Packages.lz4    read with liblz4's frame interface
//   *_Packages.gz .xz .zst    read through gzip, xz or zstd, where that program is installed
//
// A stanza is a block of lines up to an empty one; its key is "Package/Version".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpus.h"

namespace ashlar::cli {

// The list files in `directory`, sorted by name; of one list in several forms the first that sorts.
std::vector<std::string> find_package_lists(const std::string& directory);

// False, with *problem set, where the file cannot be read or unpacked.
bool read_package_list(const std::string& path, std::string* text, std::string* problem);

// Appends the stanzas of `text` that have a name and a version.
void append_stanzas(std::string_view text, std::vector<CorpusEntry>* entries);

}  // namespace ashlar::cli
