// The engines that this build can drive.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver.h"

namespace ashlar::bench {

struct Engine {
  std::string name;    // stable: later runs are compared with earlier ones by it
  std::string tables;  // letters of the tables that it joins unless --engines asks for it by name
  std::function<std::unique_ptr<Driver>()> make;
};

[[nodiscard]] std::vector<Engine> all_engines();
// "rocksdb: reason", for every engine that this build was made without.
[[nodiscard]] std::vector<std::string> missing_engines();

}  // namespace ashlar::bench
