// The demo: a fresh database, real data, everything checked. What each step found is one line for the reader.
//
// Steps run in order on one corpus; a step that finds something wrong throws Failure(corruption) and says what.
#pragma once

#include <ashlar/ashlar.hpp>
#include <filesystem>
#include <string>

#include "corpus.h"

namespace ashlar::cli {

struct DemoOptions {
  std::string directory;  // empty: a temporary one, removed at the end
  std::string lists = "/var/lib/apt/lists";
};

class Demo {
 public:
  Demo(const DemoOptions& options, std::filesystem::path place);
  void run();

 private:
  void read_data();
  void load();
  void read_back();
  void scan_prefix();
  void read_snapshot_while_writing();
  void verify_and_close();
  void kill_a_writer();
  void check_killed(const std::filesystem::path& directory, uint64_t acknowledged);

  DemoOptions options_;
  std::filesystem::path place_;
  Corpus corpus_;
  Db db_;
};

}  // namespace ashlar::cli
