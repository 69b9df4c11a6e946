// One seed from the first open to the last comparison.
// Threads: one run at a time per Totals.
#pragma once

#include <string>

#include "sim/plan.h"
#include "sim/totals.h"

namespace ashlar::simulation {

// Empty when every promise held; otherwise what broke and the last operations before it.
std::string run_seed(const Request& request, Totals& totals, bool verbose = false);

}  // namespace ashlar::simulation
