#include "sim/faults.h"

#include "sim/writes.h"

namespace ashlar::simulation {

namespace {

using io::sim::Call;
using io::sim::CallSet;
using io::sim::Effect;

struct Kind {
  const char* name;
  CallSet calls;
};

const Kind kKinds[] = {
    {"every changing call fails",
     {Call::create, Call::write, Call::sync, Call::resize, Call::fill, Call::rename, Call::remove,
      Call::sync_directory}},
    {"writes fail", {Call::write, Call::fill}},
    {"syncs fail", Call::sync},
    {"directory calls fail",
     {Call::create, Call::open, Call::rename, Call::remove, Call::sync_directory, Call::list}},
    {"reads fail", {Call::read, Call::open}},
    {"everything fails", CallSet::all()},
};

}  // namespace

void begin_fault(Scene& scene) {
  if (scene.fault_is_on || scene.history.doubts().size() + 2 > model::History::kMaxDoubts) return;
  scene.fault_is_on = true;
  scene.fault_ends_at = scene.trace.step() + scene.prng.between(1, 40);
  ++scene.totals.faults;
  if (scene.prng.one_in(3)) {
    const uint64_t spare = scene.prng.one_in(3) ? 0 : scene.prng.below(100 << 10);
    scene.world.set_capacity(scene.world.used_bytes() + spare);
    scene.disk_was_full = true;
    scene.trace.note("the disk has %llu bytes left", spare);
    return;
  }
  const Kind& kind = kKinds[scene.prng.below(std::size(kKinds))];
  io::sim::Fault fault{.calls = kind.calls};
  fault.nth = scene.prng.between(1, scene.prng.one_in(2) ? 3 : 30);
  fault.times = scene.prng.one_in(3) ? io::sim::Fault::kForEver : scene.prng.between(1, 3);
  if (scene.prng.one_in(4)) fault.pattern = scene.prng.one_in(2) ? "*.seg" : "MANIFEST*";
  if (scene.prng.one_in(4)) fault.effect = Effect::no_space;
  scene.trace.note(kind.name);
  scene.trace.note("  from call %llu on, %llu times", fault.nth, fault.times);
  scene.injected.push_back(scene.world.inject(std::move(fault)));
}

void stop_faults(Scene& scene) {
  if (!scene.fault_is_on) return;
  scene.fault_is_on = false;
  scene.world.end_faults();
  scene.world.set_capacity(UINT64_MAX);
  scene.trace.note("the fault is over");
}

void end_fault(Scene& scene) {
  if (!scene.fault_is_on) return;
  stop_faults(scene);
  if (!scene.crashed() && !too_many_doubts(scene)) expect_recovery_in_process(scene);
}

void tick_fault(Scene& scene) {
  if (!scene.fault_is_on) return;
  const bool full_of_doubt = scene.history.doubts().size() + 2 > model::History::kMaxDoubts;
  if (scene.crashed() || full_of_doubt || scene.trace.step() >= scene.fault_ends_at) end_fault(scene);
}

void let_time_pass(Scene& scene) {
  const Commit before = scene.history.last();
  switch (scene.prng.below(5)) {
    case 0:
    case 1:
      for (uint64_t tasks = scene.prng.between(1, 4); tasks > 0; --tasks) scene.world.step();
      break;
    case 2:
      scene.world.run_until_idle();
      break;
    case 3:
      scene.world.write_back(scene.prng.between(1, 50));
      break;
    default: {
      const uint64_t interval_ns = uint64_t{1'000'000} * scene.options.sync_interval_ms;
      scene.trace.note("three sync intervals pass");
      scene.world.advance(3 * interval_ns + 1'000'000);
      const bool promised = scene.options.preset == store::Preset::durable && interval_ns != 0;
      if (promised && !scene.crashed() && !scene.faults_hit() && scene.history.doubts().empty()) {
        scene.promise.power = before;
      }
      break;
    }
  }
}

}  // namespace ashlar::simulation
