// Runs seeds, one after the other, and prints what they did; exits with 1 at the first broken promise.
//
//   sim_run --seed 17                          one seed
//   sim_run --seed 17 --verbose                the same, every operation printed
//   sim_run --first 0 --seeds 10000            a range; --shard 0/2 takes every second of it
//   sim_run --regressions regression_seeds.txt the named seeds of old failures
//
// ASHLAR_TEST_SCALE (percent) scales the number of seeds of a range.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/scale.h"
#include "sim/run.h"

namespace {

using ashlar::simulation::Request;
using ashlar::simulation::Totals;

struct Arguments {
  Request request;
  uint64_t first = 0;
  uint64_t seeds = 0;  // 0: only request.seed
  uint64_t shard = 0;
  uint64_t shards = 1;
  std::string regressions;
  std::string preset;
  std::string canary;
  bool verbose = false;
  bool keep_going = false;
};

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--seed N | --first N --seeds N [--shard I/N] | --regressions FILE] [--ops N]\n"
               "       [--preset fast|durable|paranoid] [--canary NAME] [--verbose] "
               "[--keep-going]\n",
               program);
  std::exit(2);
}

bool set_preset(const std::string& name, Request& request) {
  for (const auto preset :
       {ashlar::store::Preset::fast, ashlar::store::Preset::durable, ashlar::store::Preset::paranoid}) {
    if (name != ashlar::simulation::preset_name(preset)) continue;
    request.preset = preset;
    return true;
  }
  return false;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--verbose") {
      arguments.verbose = true;
      continue;
    }
    if (word == "--keep-going") {
      arguments.keep_going = true;
      continue;
    }
    if (i + 1 == argc) usage(argv[0]);
    const char* value = argv[++i];
    if (word == "--seed") {
      arguments.request.seed = std::strtoull(value, nullptr, 10);
    } else if (word == "--first") {
      arguments.first = std::strtoull(value, nullptr, 10);
    } else if (word == "--seeds") {
      arguments.seeds = std::strtoull(value, nullptr, 10);
    } else if (word == "--ops") {
      arguments.request.operations = std::strtoull(value, nullptr, 10);
    } else if (word == "--shard") {
      if (std::sscanf(value, "%lu/%lu", &arguments.shard, &arguments.shards) != 2) usage(argv[0]);
    } else if (word == "--regressions") {
      arguments.regressions = value;
    } else if (word == "--preset") {
      arguments.preset = value;
      if (!set_preset(value, arguments.request)) usage(argv[0]);
    } else if (word == "--canary") {
      arguments.canary = value;
      const auto canary = ashlar::simulation::canary_named(value);
      if (!canary) usage(argv[0]);
      arguments.request.canary = *canary;
    } else {
      usage(argv[0]);
    }
  }
  return arguments;
}

class Driver {
 public:
  Driver(const char* program, const Arguments& arguments) : program_(program), arguments_(arguments) {}

  void run(const Request& request, const std::string& name) {
    const std::string problem = run_seed(request, totals_, arguments_.verbose);
    if (problem.empty()) return;
    ++failures_;
    std::string command =
        program_ + " --seed " + std::to_string(request.seed) + " --ops " + std::to_string(request.operations);
    if (request.preset)
      command += std::string(" --preset ") + ashlar::simulation::preset_name(*request.preset);
    if (!arguments_.canary.empty()) command += " --canary " + arguments_.canary;
    std::printf("FAILED seed %llu%s\n%s\nrepeat with: %s\n", static_cast<unsigned long long>(request.seed),
                name.c_str(), problem.c_str(), command.c_str());
    std::fflush(stdout);
    if (!arguments_.keep_going) finish();
  }

  void run_range() {
    const uint64_t seeds = ashlar::model::scaled(arguments_.seeds);
    for (uint64_t i = arguments_.shard; i < seeds; i += arguments_.shards) {
      Request request = arguments_.request;
      request.seed = arguments_.first + i;
      run(request, "");
    }
  }

  // Lines of "seed operations preset-or-any name"; # begins a comment.
  void run_regressions() {
    std::ifstream file(arguments_.regressions);
    if (!file) {
      std::printf("cannot read %s\n", arguments_.regressions.c_str());
      ++failures_;
    }
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line.substr(0, line.find('#')));
      Request request;
      std::string preset;
      std::string name;
      if (!(words >> request.seed)) continue;
      if (!(words >> request.operations >> preset >> name) ||
          (preset != "any" && !set_preset(preset, request))) {
        std::printf("%s: not a regression: %s\n", arguments_.regressions.c_str(), line.c_str());
        ++failures_;
        continue;
      }
      run(request, " (" + name + ")");
    }
  }

  [[noreturn]] void finish() const {
    std::printf("%s", totals_.report().c_str());
    std::exit(failures_ == 0 ? 0 : 1);
  }

 private:
  std::string program_;
  Arguments arguments_;
  Totals totals_;
  uint64_t failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  Driver driver(argv[0], arguments);
  if (!arguments.regressions.empty()) {
    driver.run_regressions();
  } else if (arguments.seeds != 0) {
    driver.run_range();
  } else {
    driver.run(arguments.request, "");
  }
  driver.finish();
}
