// Ashlar's side of the benchmark: its adapter, through the public C interface alone, and the cost of single calls of it.
#pragma once

#include "registry.h"
#include "session.h"

namespace ashlar::bench {

[[nodiscard]] std::vector<Engine> ashlar_engines();

// C: nanoseconds and allocations per call in the steady state.
void run_table_c(Session& session);

}  // namespace ashlar::bench
