// Every call of the store that the n-th failure test makes, and what each leaves to be expected.
// Threads: one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace ashlar::crash {

inline constexpr KeyspaceId kDefault{0};

// What must be there, and what may be: writes that failed as indeterminate.
struct Ledger {
  std::map<std::string, std::string> sure;
  std::map<std::string, std::string> perhaps;  // this value, or what `sure` says
};

Status put(store::Store& store, Ledger& ledger, const std::string& key, size_t size_bytes,
           store::WriteMode mode = store::WriteMode::preset);

struct Call {
  const char* name;
  std::function<Status(store::Store&, Ledger&)> run;
};

std::vector<Call> all_calls();

}  // namespace ashlar::crash
