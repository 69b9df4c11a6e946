#include "io/sim/fault.h"

#include <array>

namespace ashlar::io::sim {

namespace {

bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;  // the last '*', and how much of the name it has taken
  size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == name[n]))) {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool suits(Effect effect, Call call) {
  switch (effect) {
    case Effect::io_error:
    case Effect::no_space:
      return true;
    case Effect::short_read:
      return call == Call::read;
    case Effect::flip_bit:
      return call == Call::read || call == Call::map;
    case Effect::lose:
      return call == Call::write || call == Call::sync || call == Call::sync_directory;
    case Effect::misdirect:
      return call == Call::write;
  }
  return false;
}

}  // namespace

std::string_view call_name(Call call) {
  static constexpr std::array<std::string_view, kCallCount> kNames = {
      "open", "create", "list",   "size",   "read",           "write", "sync",      "resize",
      "fill", "map",    "rename", "remove", "sync directory", "lock",  "free bytes"};
  return kNames[static_cast<size_t>(call)];
}

size_t FaultPlan::add(Fault fault) {
  active_.push_back({std::move(fault)});
  ++open_count_;
  return active_.size() - 1;
}

void FaultPlan::end_all() {
  for (Active& active : active_) active.over = true;
  open_count_ = 0;
}

const Fault* FaultPlan::strike(Call call, std::string_view name, std::string_view other_name) {
  if (open_count_ == 0) return nullptr;
  for (Active& active : active_) {
    const Fault& fault = active.fault;
    if (active.over || !fault.calls.has(call) || !suits(fault.effect, call)) continue;
    if (!matches(fault.pattern, name) && (other_name.empty() || !matches(fault.pattern, other_name)))
      continue;
    if (++active.seen < fault.nth) continue;
    if (++active.hits >= fault.times) {
      active.over = true;
      --open_count_;
    }
    return &fault;
  }
  return nullptr;
}

}  // namespace ashlar::io::sim
