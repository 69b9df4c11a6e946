// A second process that loads the corpus and is killed in the middle of it.
//
//   this process                              child: ashlar demo-writer DIR --ack-fd N --lists LISTS
//     reads counts  <------- pipe ----------    after each acknowledged batch: entries so far, 8 bytes
//     SIGKILL at the given count
//     reads what is left in the pipe: the last count is what was acknowledged
//
// W1 The child says a count only after write() returned: whatever was said must be found after reopening.
// W2 Entries go in batches of kBatchEntries in the corpus's order, so what is found tells which batches are whole.
#pragma once

#include <cstdint>
#include <string>

#include "corpus.h"

namespace ashlar::cli {

inline constexpr size_t kBatchEntries = 100;

struct KilledLoad {
  uint64_t acknowledged = 0;  // entries
  bool was_killed = false;    // false: it ended before it could be killed
};

// Starts the child on a database at `directory` and kills it once it has acknowledged `kill_after` entries.
// Throws Failure(failed) where it cannot be started, or ends by itself with an error.
KilledLoad load_and_kill(const std::string& directory, const std::string& lists, uint64_t kill_after);

// What the child does.
void write_corpus(const std::string& directory, const Corpus& corpus, int ack_fd);

}  // namespace ashlar::cli
