// An engine that is a std::map: what a workload must see, and the harness's own cost. It keeps no promise at all.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "driver.h"

namespace ashlar::bench {

class Model : public Driver {
 public:
  [[nodiscard]] std::string version() const override { return "1"; }
  [[nodiscard]] Kept kept(Promise) const override { return {Fit::kWeaker, "memory only"}; }
  [[nodiscard]] std::string settings() const override { return "std::map"; }

  void open(const DriverOptions& options) override;
  void close() override;
  void put(std::string_view key, std::string_view value) override;
  void write(std::span<const Entry> entries) override;
  void remove(std::string_view key) override;
  bool get(std::string_view key, ValueSink sink) override;
  uint64_t scan(std::string_view from, uint64_t limit, EntrySink sink) override;
  void sync() override {}
  void drain() override {}

 protected:
  using Map = std::map<std::string, std::string, std::less<>>;
  [[nodiscard]] Map& map() { return map_; }

 private:
  Map map_;
};

}  // namespace ashlar::bench
