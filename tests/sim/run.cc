#include "sim/run.h"

#include "sim/faults.h"
#include "sim/life.h"
#include "sim/reads.h"
#include "sim/scene.h"
#include "sim/writes.h"

namespace ashlar::simulation {

namespace {

void look_at_stats(Scene& scene) {
  const auto stats = scene.store->stats();
  if (!stats.ok()) return scene.allow(stats.status(), "stats");
  size_t live = 0;
  bool certain = true;
  for (const Keyspace& keyspace : scene.keyspaces) {
    live += keyspace.state == Keyspace::State::live ? 1 : 0;
    certain = certain && keyspace.state != Keyspace::State::maybe_created &&
              keyspace.state != Keyspace::State::maybe_dropped;
  }
  if (certain && stats->keyspaces != live) {
    scene.fail_here("stats count " + std::to_string(stats->keyspaces) + " keyspaces, there are " +
                    std::to_string(live));
  }
  if (stats->snapshots < scene.snapshots.size()) scene.fail_here("stats miss an open snapshot");
  if (!scene.faults_hit() && !scene.store->background_error().empty()) {
    scene.fail_here("a background error without a fault: " + scene.store->background_error());
  }
}

void call(Scene& scene, const char* name, Status (store::Store::*method)()) {
  scene.trace.note(name);
  const Status status = (scene.store.get()->*method)();
  if (scene.crashed()) return;
  if (!status.ok()) return scene.allow(status, name);
  scene.promise.process = scene.promise.power = scene.history.last();
}

void verify(Scene& scene) {
  const Status status = scene.store->verify();
  if (!status.ok() && !scene.crashed()) scene.allow(status, "verify");
}

void perform(Scene& scene, Operation operation) {
  switch (operation) {
    case Operation::put:
      return put_one(scene, store::WriteMode::preset);
    case Operation::remove:
      return remove_one(scene);
    case Operation::batch:
      return write_batch(scene);
    case Operation::sync_write:
      return put_one(scene, store::WriteMode::sync);
    case Operation::get:
      return get_one(scene);
    case Operation::scan:
      return scan_some(scene);
    case Operation::cursor_open:
      return open_cursor(scene);
    case Operation::cursor_move:
      return move_cursor(scene);
    case Operation::cursor_close:
      return close_cursor(scene);
    case Operation::snapshot_take:
      return take_snapshot(scene);
    case Operation::snapshot_read:
      return read_snapshot(scene);
    case Operation::snapshot_release:
      return release_snapshot(scene);
    case Operation::flush:
      return call(scene, "flush", &store::Store::flush);
    case Operation::compact:
      return call(scene, "compact", &store::Store::compact);
    case Operation::sync:
      return call(scene, "sync", &store::Store::sync);
    case Operation::wait_idle:
      return call(scene, "wait_idle", &store::Store::wait_idle);
    case Operation::background:
      return let_time_pass(scene);
    case Operation::keyspace_create:
      return create_keyspace(scene);
    case Operation::keyspace_drop:
      return drop_keyspace(scene);
    case Operation::stats:
      return look_at_stats(scene);
    case Operation::verify:
      return verify(scene);
    case Operation::reopen:
      return reopen(scene);
    case Operation::kill:
      return die(scene, Death::process);
    case Operation::power_cut:
      return die(scene, Death::power);
    case Operation::crash_later:
      return arm_crash(scene);
    case Operation::fault:
      return begin_fault(scene);
  }
}

void play(Scene& scene) {
  open_store(scene);
  for (uint64_t step = 1; step <= scene.plan.operations; ++step) {
    scene.trace.set_step(step);
    perform(scene, scene.plan.draw(scene.prng));
    ++scene.totals.operations;
    bury_if_crashed(scene);
    tick_fault(scene);
    bury_if_crashed(scene);
    if (too_many_doubts(scene)) die(scene, Death::process);
  }
  end_fault(scene);
  bury_if_crashed(scene);
  compare_everything(scene);
  bury_if_crashed(scene);
  if (scene.plan.rot_at_end) {
    rot(scene);
  } else {
    reopen(scene);
    bury_if_crashed(scene);
  }
}

}  // namespace

std::string run_seed(const Request& request, Totals& totals, bool verbose) {
  const Plan plan = make_plan(request);
  Scene scene(plan, totals, verbose);
  ++totals.seeds;
  try {
    play(scene);
  } catch (const Failure& failure) {
    return failure.text;
  }
  return "";
}

}  // namespace ashlar::simulation
