#include "sim/life.h"

#include <algorithm>

#include "model/match.h"
#include "sim/faults.h"
#include "sim/reads.h"

namespace ashlar::simulation {

namespace {

using io::sim::Crash;

constexpr char kPath[] = "db";

void count_life(Scene& scene) {
  if (scene.store == nullptr || scene.crashed()) return;
  const auto stats = scene.store->stats();
  if (stats.ok()) scene.totals.add_life(*stats);
}

bool plan_has(const Scene& scene, Operation operation) {
  return scene.plan.weights[static_cast<size_t>(operation)] != 0;
}

Crash draw_crash(Scene& scene) { return scene.prng.one_in(2) ? Crash::process : Crash::power_cut; }

// Opens the store, through crashes and faults in the middle of opening. `worst` is the worst death since the store was
// last looked at.
void open_until_alive(Scene& scene, Crash& worst) {
  while (true) {
    scene.injected.clear();
    scene.disk_was_full = false;
    Crash crash = Crash::process;
    if (plan_has(scene, Operation::crash_later) && scene.prng.one_in(6)) {
      crash = draw_crash(scene);
      scene.world.crash_at(scene.prng.between(1, 30), crash);
    }
    if (plan_has(scene, Operation::fault) && scene.prng.one_in(10)) begin_fault(scene);
    auto opened = store::Store::open(scene.world, kPath, scene.options);
    if (scene.crashed()) {
      scene.trace.note("  crashed while opening, power %llu", crash == Crash::power_cut);
      ++scene.totals.crashes_while_opening;
      scene.world.restart();
      stop_faults(scene);
      if (crash == Crash::power_cut) worst = crash;
      continue;
    }
    scene.world.crash_at(0, crash);
    if (opened.ok()) {
      scene.store = std::move(opened).value();
      stop_faults(scene);
      return;
    }
    scene.allow(opened.status(), "open");
    stop_faults(scene);
  }
}

// The list of keyspaces decides what became of calls that were cut off.
void settle_keyspaces(Scene& scene) {
  const auto listed = scene.store->keyspaces();
  if (!listed.ok()) scene.fail_here("keyspaces: " + listed.status().to_string());
  size_t known = 0;
  for (Keyspace& keyspace : scene.keyspaces) {
    const auto found = std::find_if(listed->begin(), listed->end(),
                                    [&](const auto& info) { return info.name == keyspace.name; });
    const bool there = found != listed->end();
    known += there ? 1 : 0;
    switch (keyspace.state) {
      case Keyspace::State::live:
        if (!there) scene.fail_here("keyspace " + keyspace.name + " is lost");
        if (found->id != keyspace.id) scene.fail_here("keyspace " + keyspace.name + " has another id");
        break;
      case Keyspace::State::dropped:
        if (there) scene.fail_here("keyspace " + keyspace.name + " is back");
        break;
      case Keyspace::State::maybe_created:
      case Keyspace::State::maybe_dropped:
        if (there) keyspace.id = found->id;
        keyspace.state = there ? Keyspace::State::live : Keyspace::State::dropped;
        break;
    }
  }
  if (known != listed->size()) scene.fail_here("the list shows a keyspace that nobody created");
}

template <typename Each>
void for_each_key(Scene& scene, const Each& each) {
  for (const Keyspace& keyspace : scene.keyspaces) {
    if (keyspace.state != Keyspace::State::live) continue;
    Rank next = 0;
    scan_keyspace(scene, keyspace.id, [&](Rank rank, Bytes value) {
      for (; next < rank; ++next) each(keyspace.slot, next, nullptr);
      each(keyspace.slot, rank, &value);
      next = rank + 1;
    });
    for (; next < scene.keys.size(); ++next) each(keyspace.slot, next, nullptr);
  }
}

[[noreturn]] void explain(Scene& scene, const model::Matcher& matcher, Commit low) {
  model::Matcher without_promise(scene.history, 0, scene.history.last());
  for_each_key(scene,
               [&](Slot slot, Rank rank, const Bytes* found) { without_promise.key(slot, rank, found); });
  if (const auto state = without_promise.best()) {
    scene.fail_here("lost commits that were promised: shows commit " + std::to_string(state->commit) +
                    ", promised " + std::to_string(low) + ", attempted " +
                    std::to_string(scene.history.last()));
  }
  const auto nearest = matcher.nearest();
  std::string text = "no allowed state fits: promised " + std::to_string(low) + ", attempted " +
                     std::to_string(scene.history.last()) + ", nearest is commit " +
                     std::to_string(nearest.state.commit) + " with " +
                     std::to_string(nearest.voters - nearest.votes) + " wrong keys:";
  int named = 0;
  for_each_key(scene, [&](Slot slot, Rank rank, const Bytes* found) {
    if (model::fits(scene.history, slot, rank, nearest.state, found) || ++named > 8) return;
    text += "\n  slot " + std::to_string(slot) + " rank " + std::to_string(rank) + " " +
            model::printable(scene.keys.key(rank)) + ": found " +
            (found == nullptr ? "nothing" : std::to_string(found->size()) + " bytes");
    if (const model::Version* newest = scene.history.newest(slot, rank)) {
      text += ", newest in the model is commit " + std::to_string(newest->commit) +
              (newest->removed ? " (removed)" : ", " + std::to_string(newest->size_bytes) + " bytes");
    }
  });
  scene.fail_here(text);
}

// Promise 1. Afterwards the model is what the database shows.
void settle_commits(Scene& scene, Crash worst) {
  const Commit low = worst == Crash::power_cut ? scene.promise.power : scene.promise.process;
  model::Matcher matcher(scene.history, low, scene.history.last());
  for_each_key(scene, [&](Slot slot, Rank rank, const Bytes* found) { matcher.key(slot, rank, found); });
  const auto state = matcher.best();
  if (!state) explain(scene, matcher, low);
  scene.totals.unpromised_lost += scene.history.last() - state->commit;
  for (uint32_t bits = state->present; bits != 0; bits &= bits - 1) ++scene.totals.doubts_that_survived;
  scene.trace.note("  shows commit %llu of %llu, promised %llu", state->commit, scene.history.last(), low);
  scene.history.truncate(state->commit, state->present);
  // What was recovered once stays; after a power cut it stands on the disk itself.
  scene.promise.process = state->commit;
  scene.promise.power =
      worst == Crash::power_cut ? state->commit : std::min(scene.promise.power, state->commit);
  // A verbose run keeps everything, to name the older state that a broken database shows.
  if (!scene.verbose) scene.history.prune(scene.promise.power);
}

void open_and_settle(Scene& scene, Crash worst) {
  scene.trace.note("open, preset %llu (0 fast, 1 durable, 2 paranoid)",
                   static_cast<uint64_t>(scene.options.preset));
  open_until_alive(scene, worst);
  ++scene.totals.opens;
  settle_keyspaces(scene);
  settle_commits(scene, worst);
}

}  // namespace

void open_store(Scene& scene) {
  Keyspace first;
  first.name = "default";
  first.slot = scene.history.add_slot();
  scene.keyspaces.push_back(first);
  open_and_settle(scene, Crash::process);
  for (uint32_t i = 1; i < scene.plan.keyspaces; ++i) {
    Keyspace keyspace;
    keyspace.name = "first" + std::to_string(i);
    keyspace.slot = scene.history.add_slot();
    auto created = scene.store->create_keyspace(keyspace.name);
    if (!created.ok()) {
      scene.allow(created.status(), "create_keyspace");
      keyspace.state = Keyspace::State::maybe_created;
    } else {
      keyspace.id = created.value();
    }
    scene.keyspaces.push_back(keyspace);
  }
}

void reopen(Scene& scene) {
  end_fault(scene);
  if (scene.crashed()) return bury_if_crashed(scene);
  scene.world.crash_at(0, Crash::process);
  const bool hold_on = scene.prng.one_in(4);
  if (!hold_on) scene.release_handles();
  count_life(scene);
  const Status closed = scene.store->close();
  if (closed.ok()) {
    ++scene.totals.clean_closes;
    scene.promise.process = scene.promise.power = scene.history.last();
  } else {
    scene.allow(closed, "close");
  }
  scene.trace.note("close, ok %llu, handles held %llu", closed.ok(), hold_on);
  // What was opened before stays readable, and holds the directory.
  for (int moves = 0; hold_on && moves < 8 && !scene.cursors.empty(); ++moves) move_cursor(scene);
  scene.release_handles();
  scene.store.reset();
  scene.options = redraw_options(scene.prng, scene.plan, scene.options);
  Crash worst = Crash::process;
  open_and_settle(scene, worst);
}

void die(Scene& scene, Death death) {
  stop_faults(scene);
  if (scene.crashed()) return bury_if_crashed(scene);
  scene.world.crash_at(0, Crash::process);
  count_life(scene);
  scene.trace.note(death == Death::power ? "power cut" : "kill");
  if (death == Death::power) {
    ++scene.totals.power_cuts;
    scene.world.power_cut();
  } else {
    ++scene.totals.kills;
    scene.world.kill_process();
  }
  scene.release_handles();
  scene.store.reset();
  scene.options = redraw_options(scene.prng, scene.plan, scene.options);
  open_and_settle(scene, death == Death::power ? Crash::power_cut : Crash::process);
}

void arm_crash(Scene& scene) {
  scene.armed_crash = draw_crash(scene);
  const uint64_t nth = scene.prng.between(1, scene.prng.one_in(3) ? 100 : 12);
  scene.trace.note("crash at I/O %llu, power %llu", nth, scene.armed_crash == Crash::power_cut);
  scene.world.crash_at(nth, scene.armed_crash);
}

void bury_if_crashed(Scene& scene) {
  if (!scene.crashed()) return;
  scene.trace.note("crashed, power %llu", scene.armed_crash == Crash::power_cut);
  ++scene.totals.crashes_at_io;
  scene.release_handles();
  scene.store.reset();
  scene.world.restart();
  stop_faults(scene);
  open_and_settle(scene, scene.armed_crash);
}

void rot(Scene& scene) {
  scene.world.crash_at(0, Crash::process);
  scene.release_handles();
  if (scene.prng.one_in(3)) {
    if (scene.store->close().ok()) scene.promise.process = scene.history.last();
  } else {
    scene.world.kill_process();
  }
  scene.store.reset();
  std::vector<std::string> files = scene.world.files();
  std::erase_if(files, [](const std::string& name) { return name.ends_with("LOCK"); });
  const std::string file = files[scene.prng.below(files.size())];
  std::string bytes = scene.world.read_file(file).value_or("");
  const size_t used = bytes.find_last_not_of('\0') + 1;
  if (used == 0) return;
  const size_t at = scene.prng.below(used);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << scene.prng.below(8)));
  scene.world.replace_file(file, bytes);
  ++scene.totals.bits_flipped;
  scene.trace.note("a bit flips at %llu of a file of %llu bytes", at, bytes.size());

  scene.injected.clear();
  scene.disk_was_full = false;
  const auto reported = [&](const Status& status) {
    if (status.code() != Code::corruption)
      scene.fail_here("after a bit flip in " + file + ": " + status.to_string());
    ++scene.totals.rot_reported;
  };
  auto opened = store::Store::open(scene.world, kPath, scene.options);
  if (!opened.ok()) return reported(opened.status());
  scene.store = std::move(opened).value();
  const Status verified = scene.store->verify();
  if (!verified.ok()) reported(verified);
  for (const Keyspace& keyspace : scene.keyspaces) {
    if (keyspace.state != Keyspace::State::live) continue;
    auto cursor = scene.store->iterate(nullptr, keyspace.id, store::ScanOptions());
    if (!cursor.ok()) return reported(cursor.status());
    for (bool on = (*cursor)->first(); on; on = (*cursor)->next()) {
    }
    if (!(*cursor)->status().ok()) return reported((*cursor)->status());
  }
  settle_commits(scene, Crash::process);
}

}  // namespace ashlar::simulation
