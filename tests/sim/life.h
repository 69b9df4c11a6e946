// The life of the process and of the machine: opening, closing, dying, and what a reopened database must show.
// Threads: one.
#pragma once

#include "sim/scene.h"

namespace ashlar::simulation {

enum class Death : uint8_t {
  process,  // kill -9: files and mappings stay as they are
  power,    // the machine: what was not synced survives in part, torn at will
};

// The first open of an empty directory, or a reopen after close(); the state must equal the model.
void open_store(Scene& scene);

// close(), sometimes with cursors still held, then open with other options.
void reopen(Scene& scene);

// Ends the process or the machine now, opens again and settles what survived.
void die(Scene& scene, Death death);

// Arranges that the world stops at its n-th I/O from now.
void arm_crash(Scene& scene);

// After any operation: if the world has stopped, what die() does from there on.
void bury_if_crashed(Scene& scene);

// A bit of some file flips while nobody looks; then the data must be right, or the damage reported.
void rot(Scene& scene);

}  // namespace ashlar::simulation
