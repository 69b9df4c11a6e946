#include "sim/scene.h"

namespace ashlar::simulation {

namespace {
// Streams that do not shift each other when one of them draws more.
uint64_t stream(const Plan& plan, uint64_t purpose) {
  uint64_t state = plan.seed * 8 + purpose;
  return split_mix(state);
}

model::KeySet make_keys(const Plan& plan) {
  Prng prng(stream(plan, 1));
  return model::KeySet(prng, plan.keys);
}
}  // namespace

Scene::Scene(const Plan& the_plan, Totals& the_totals, bool is_verbose)
    : plan(the_plan),
      verbose(is_verbose),
      totals(the_totals),
      trace(is_verbose),
      prng(stream(plan, 2)),
      keys(make_keys(plan)),
      history(keys),
      options(plan.options),
      world(stream(plan, 3)) {}

bool Scene::faults_hit() const {
  if (disk_was_full) return true;
  for (const size_t number : injected) {
    if (world.fault_hits(number) > 0) return true;
  }
  return false;
}

const Keyspace& Scene::any_keyspace() {
  const Keyspace& drawn = keyspaces[prng.below(keyspaces.size())];
  return drawn.state == Keyspace::State::live ? drawn : keyspaces.front();
}

void Scene::allow(const Status& status, const char* call) {
  if (crashed()) return;
  const bool proper =
      status.code() == Code::io || status.code() == Code::no_space || status.code() == Code::indeterminate;
  if (!proper || !faults_hit()) fail_here(std::string(call) + " failed: " + status.to_string());
  ++totals.failed_calls;
}

void Scene::fail_here(const std::string& what) const {
  fail("step " + std::to_string(trace.step()) + ", preset " + preset_name(options.preset) + ": " + what +
       "\nthe last operations:\n" + trace.tail());
}

void Scene::release_handles() {
  cursors.clear();
  snapshots.clear();
}

}  // namespace ashlar::simulation
