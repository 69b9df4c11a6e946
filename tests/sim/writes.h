// Writes to the store under test, and what each outcome means for the model.
//
//   ok             acknowledged: visible, and covered by the promise of the preset
//   indeterminate  in doubt: either way, and a reopen decides
//   other error    never happened: not visible now, nor after any reopen
//   crash inside   attempted: it may be the last commit that survives
//
// Threads: one.
#pragma once

#include "sim/scene.h"

namespace ashlar::simulation {

void put_one(Scene& scene, store::WriteMode mode);
void remove_one(Scene& scene);
void write_batch(Scene& scene);

void create_keyspace(Scene& scene);
void drop_keyspace(Scene& scene);

// Whether so many commits are in doubt that only a reopen helps.
bool too_many_doubts(const Scene& scene);

// The world is healthy again: given some time, a put and then a flush must succeed, without a reopen.
void expect_recovery_in_process(Scene& scene);

}  // namespace ashlar::simulation
