#include "sim/plan.h"

namespace ashlar::simulation {

namespace {

struct Weight {
  Operation operation;
  uint32_t usual;
  bool essential;  // never left out
};

constexpr Weight kWeights[] = {
    {Operation::put, 300, true},           {Operation::remove, 90, false},
    {Operation::batch, 90, true},          {Operation::sync_write, 8, false},
    {Operation::get, 160, true},           {Operation::scan, 12, false},
    {Operation::cursor_open, 12, false},   {Operation::cursor_move, 100, false},
    {Operation::cursor_close, 10, false},  {Operation::snapshot_take, 10, false},
    {Operation::snapshot_read, 60, false}, {Operation::snapshot_release, 9, false},
    {Operation::flush, 5, false},          {Operation::compact, 2, false},
    {Operation::sync, 4, false},           {Operation::wait_idle, 2, false},
    {Operation::background, 30, false},    {Operation::keyspace_create, 2, false},
    {Operation::keyspace_drop, 1, false},  {Operation::stats, 3, false},
    {Operation::verify, 1, false},         {Operation::reopen, 3, false},
    {Operation::kill, 4, false},           {Operation::power_cut, 4, false},
    {Operation::crash_later, 4, false},    {Operation::fault, 4, false},
};
static_assert(std::size(kWeights) == kOperations);

uint32_t& weight_of(Plan& plan, Operation operation) { return plan.weights[static_cast<size_t>(operation)]; }

void draw_weights(Prng& prng, Plan& plan) {
  for (const Weight& weight : kWeights) {
    // Half of the usual to twice the usual.
    auto drawn = static_cast<uint32_t>(weight.usual * 8 * prng.between(50, 200) / 100);
    if (!weight.essential && prng.one_in(8)) drawn = 0;
    weight_of(plan, weight.operation) = drawn;
  }
  // A third of the seeds has crashes but no faults, a sixth neither.
  const uint64_t disasters = prng.below(6);
  if (disasters <= 2) weight_of(plan, Operation::fault) = 0;
  if (disasters == 0) {
    weight_of(plan, Operation::kill) = 0;
    weight_of(plan, Operation::power_cut) = 0;
    weight_of(plan, Operation::crash_later) = 0;
  }
}

template <size_t N>
uint64_t pick(Prng& prng, const uint64_t (&choices)[N]) {
  return choices[prng.below(N)];
}

void draw_sizes(Prng& prng, store::Options& options) {
  options.compression = static_cast<run::Compression>(prng.below(4));
  options.delta_bytes = pick(prng, {64 << 10, 64 << 10, 96 << 10, 160 << 10});
  options.first_segment_bytes = pick(prng, {16 << 10, 32 << 10, 64 << 10});
  options.block_cache_bytes = pick(prng, {0, 16 << 10, 256 << 10});
  options.run_target_bytes = pick(prng, {8 << 10, 32 << 10, 128 << 10});
  options.level_base_bytes = pick(prng, {16 << 10, 64 << 10, 256 << 10});
  options.run_block_bytes = static_cast<uint32_t>(pick(prng, {1024, 2048, 4096}));
  options.filter_bits_per_key = static_cast<uint32_t>(pick(prng, {0, 6, 10}));
  options.level0_trigger = static_cast<uint32_t>(prng.between(2, 4));
  options.level0_stop = options.level0_trigger + static_cast<uint32_t>(prng.between(2, 8));
  options.sync_interval_ms = static_cast<uint32_t>(pick(prng, {0, 10, 100, 1000}));
}

// The workload that brings a planted bug out soon.
void arm_canary(Plan& plan, Canary canary) {
  switch (canary) {
    case Canary::none:
      return;
    case Canary::skip_frame_checksum:
      plan.options.canaries.skip_frame_checksum = true;
      plan.options.preset = store::Preset::durable;
      weight_of(plan, Operation::flush) = weight_of(plan, Operation::compact) = 0;
      plan.rot_at_end = true;
      weight_of(plan, Operation::fault) = 0;
      break;
    case Canary::publish_before_persist:
      plan.options.canaries.publish_before_persist = true;
      plan.options.preset = store::Preset::paranoid;
      // On one thread nobody reads between the publishing and the persisting; a persist that fails shows it all the same.
      weight_of(plan, Operation::power_cut) = 100;
      weight_of(plan, Operation::fault) = 100;
      break;
    case Canary::reuse_without_new_salt:
      plan.options.canaries.reuse_without_new_salt = true;
      plan.options.preset = store::Preset::durable;
      plan.options.sync_interval_ms = 0;
      // A stale frame revives where the new life of its segment reaches its offset with just its sequence: after a power
      // cut took commits, when equal frames are written again in their place.
      plan.uniform_frames = true;
      plan.weights.fill(0);
      weight_of(plan, Operation::put) = 1000;
      weight_of(plan, Operation::get) = 100;
      weight_of(plan, Operation::background) = 20;
      weight_of(plan, Operation::power_cut) = 10;
      weight_of(plan, Operation::kill) = 30;
      break;
    case Canary::drop_tombstones_early:
      plan.options.canaries.drop_tombstones_early = true;
      weight_of(plan, Operation::remove) = 2000;
      weight_of(plan, Operation::flush) = 150;
      weight_of(plan, Operation::background) = 600;
      weight_of(plan, Operation::fault) = 0;
      break;
  }
}

}  // namespace

const char* operation_name(Operation operation) {
  static constexpr const char* kNames[] = {
      "put",           "remove",      "batch",        "sync_write",    "get",           "scan",
      "cursor_open",   "cursor_move", "cursor_close", "snapshot_take", "snapshot_read", "snapshot_release",
      "flush",         "compact",     "sync",         "wait_idle",     "background",    "keyspace_create",
      "keyspace_drop", "stats",       "verify",       "reopen",        "kill",          "power_cut",
      "crash_later",   "fault"};
  static_assert(std::size(kNames) == kOperations);
  return kNames[static_cast<size_t>(operation)];
}

const char* preset_name(store::Preset preset) {
  switch (preset) {
    case store::Preset::fast:
      return "fast";
    case store::Preset::durable:
      return "durable";
    case store::Preset::paranoid:
      return "paranoid";
  }
  return "?";
}

std::optional<Canary> canary_named(const std::string& name) {
  if (name == "skip_frame_checksum") return Canary::skip_frame_checksum;
  if (name == "publish_before_persist") return Canary::publish_before_persist;
  if (name == "reuse_without_new_salt") return Canary::reuse_without_new_salt;
  if (name == "drop_tombstones_early") return Canary::drop_tombstones_early;
  return std::nullopt;
}

Operation Plan::draw(Prng& prng) const {
  auto ticket = static_cast<uint32_t>(prng.below(weight_sum));
  for (size_t i = 0; i < kOperations; ++i) {
    if (ticket < weights[i]) return static_cast<Operation>(i);
    ticket -= weights[i];
  }
  return Operation::put;
}

Plan make_plan(const Request& request) {
  uint64_t state = request.seed ^ 0x61736c6172;
  Prng prng(split_mix(state));
  Plan plan;
  plan.seed = request.seed;
  plan.operations = request.operations;
  plan.options.preset = request.preset.value_or(static_cast<store::Preset>(request.seed % 3));
  // Few keys collide often; many make deep trees of runs. Most seeds have few, for speed.
  plan.keys = prng.one_in(16) ? prng.between(500, 2000) : prng.between(10, 200);
  plan.keyspaces = static_cast<uint32_t>(prng.between(1, 3));
  plan.small_value_bytes = static_cast<uint32_t>(pick(prng, {0, 20, 64, 200}));
  plan.medium_value_bytes = static_cast<uint32_t>(pick(prng, {300, 1000, 3000}));
  if (prng.one_in(3)) plan.large_value_one_in = static_cast<uint32_t>(prng.between(200, 1000));
  if (prng.one_in(3)) plan.large_batch_one_in = static_cast<uint32_t>(prng.between(50, 200));
  draw_sizes(prng, plan.options);
  draw_weights(prng, plan);
  plan.rot_at_end = prng.one_in(8);
  arm_canary(plan, request.canary);
  if (!request.plant) plan.options.canaries = store::Canaries();
  for (const uint32_t weight : plan.weights) plan.weight_sum += weight;
  return plan;
}

store::Options redraw_options(Prng& prng, const Plan& plan, const store::Options& before) {
  store::Options options = before;
  if (plan.uniform_frames) return options;
  if (prng.one_in(3)) draw_sizes(prng, options);
  if (prng.one_in(6)) options.preset = static_cast<store::Preset>(prng.below(3));
  if (prng.one_in(4)) options.preset = plan.options.preset;
  return options;
}

}  // namespace ashlar::simulation
