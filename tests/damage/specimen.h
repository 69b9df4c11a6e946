// A small database with everything in it, to be damaged: three keyspaces, runs of several levels with a compaction
// behind them, and commits that are only in the journal.
// Threads: one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/sim/world.h"
#include "store/store.h"

namespace ashlar::damage {

inline constexpr char kPath[] = "db";
inline std::string path_of(const std::string& file) { return std::string(kPath) + "/" + file; }

enum class Ending : uint8_t {
  closed,  // close() returned ok
  killed,  // the process died; the machine goes on, so nothing may be missing
};

using Rows = std::map<std::string, std::string>;
using Contents = std::map<std::string, Rows>;  // by name of the keyspace

struct Specimen {
  std::unique_ptr<io::sim::World> world = std::make_unique<io::sim::World>(1);
  store::Options options;
  Contents contents;
  std::vector<std::string> files;  // sorted names, without the folder
};

Specimen make_specimen(Ending ending, run::Compression compression);

// What a reopened database turned out to be.
struct Verdict {
  enum class Kind : uint8_t {
    right,    // every read gave what was written, and verify() agrees
    noticed,  // every read was right, verify() reports damage that no read met
    refused,  // open, scan or get reported the damage
    wrong,    // other data without an error, an error of another kind, or one that does not name the file
  };
  Kind kind = Kind::right;
  std::string text;
};

// Opens `world` (which it changes) and reads everything. `suspects` are the files that were damaged: an error must name
// one of them.
Verdict examine(io::sim::World& world, const Specimen& specimen, const std::vector<std::string>& suspects);

}  // namespace ashlar::damage
