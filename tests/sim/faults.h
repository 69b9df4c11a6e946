// Disasters that pass: I/O errors, a full disk, syncs that fail; and the proof that the store recovers in process.
// Threads: one.
#pragma once

#include "sim/scene.h"

namespace ashlar::simulation {

// Begins an episode, unless one is going on or too much is in doubt already.
void begin_fault(Scene& scene);
// Called once per operation; ends the episode when its time has come and demands that the store recovers.
void tick_fault(Scene& scene);
// Ends the episode now, with the same demand.
void end_fault(Scene& scene);
// Ends it without asking anything of the store.
void stop_faults(Scene& scene);

// Background tasks run, time passes, sectors reach the platter by themselves.
void let_time_pass(Scene& scene);

}  // namespace ashlar::simulation
