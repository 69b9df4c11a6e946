#include "sim/writes.h"

#include <algorithm>

namespace ashlar::simulation {

namespace {

struct Draft {
  const Keyspace* keyspace;
  Rank rank;
  uint32_t tag;
  uint32_t size_bytes;
  bool remove;
};

uint32_t draw_size(Scene& scene) {
  const Plan& plan = scene.plan;
  if (plan.large_value_one_in != 0 && scene.prng.one_in(plan.large_value_one_in)) {
    return static_cast<uint32_t>(scene.prng.between(40 << 10, 200 << 10));
  }
  const uint32_t most = scene.prng.one_in(4) ? plan.medium_value_bytes : plan.small_value_bytes;
  return static_cast<uint32_t>(scene.prng.below(most + 1));
}

// The value that makes the encoded put as long as every other one.
uint32_t uniform_size(const Scene& scene, Rank rank) {
  constexpr size_t kEncodedBytes = 1600;
  const Bytes key = scene.keys.key(rank);
  uint32_t size = 200;
  while (kv::encoded_size({kv::Kind::put, KeyspaceId(0), key, model::value_bytes(0, size)}) < kEncodedBytes)
    ++size;
  return size;
}

Draft draw_put(Scene& scene) {
  Draft draft{&scene.any_keyspace(), static_cast<Rank>(scene.prng.below(scene.keys.size())),
              static_cast<uint32_t>(scene.next_tag++), 0, false};
  draft.size_bytes = scene.plan.uniform_frames ? uniform_size(scene, draft.rank) : draw_size(scene);
  return draft;
}

Draft draw_remove(Scene& scene) {
  return {&scene.any_keyspace(), static_cast<Rank>(scene.prng.below(scene.keys.size())), 0, 0, true};
}

void stage(Scene& scene, const Draft& draft) {
  if (draft.remove) {
    scene.history.stage_remove(draft.keyspace->slot, draft.rank);
  } else {
    scene.history.stage_put(draft.keyspace->slot, draft.rank, draft.tag, draft.size_bytes);
  }
}

void acknowledge(Scene& scene, store::WriteMode mode, bool empty) {
  const Commit commit = scene.history.accept();
  ++scene.totals.commits;
  if (empty) return;  // nothing to be durable, and so no promise about what came before
  const bool sync = mode == store::WriteMode::sync;
  switch (scene.options.preset) {
    case store::Preset::fast:
      if (sync) scene.promise.process = scene.promise.power = commit;
      break;
    case store::Preset::durable:
      scene.promise.process = commit;
      if (sync) scene.promise.power = commit;
      break;
    case store::Preset::paranoid:
      scene.promise.process = scene.promise.power = commit;
      break;
  }
}

// What the running process shows of a commit in doubt: all of it or nothing.
bool see_doubt(Scene& scene, const std::vector<Draft>& drafts) {
  bool shown = false;
  bool hidden = false;
  for (size_t i = 0; i < drafts.size(); ++i) {
    const Draft& draft = drafts[i];
    const bool overwritten = std::any_of(
        drafts.begin() + static_cast<ptrdiff_t>(i) + 1, drafts.end(),
        [&](const Draft& later) { return later.keyspace == draft.keyspace && later.rank == draft.rank; });
    if (overwritten) continue;
    lsm::PinnedValue value;
    bool found = false;
    const Status status =
        scene.store->get(nullptr, draft.keyspace->id, scene.keys.key(draft.rank), &value, &found);
    if (!status.ok()) continue;
    const model::Version* before = scene.history.get(draft.keyspace->slot, draft.rank, scene.history.last());
    const bool as_before = before == nullptr ? !found : found && value.bytes() == before->value();
    const bool as_after =
        draft.remove ? !found : found && value.bytes() == model::value_bytes(draft.tag, draft.size_bytes);
    if (!as_before && !as_after)
      scene.fail_here("a key of a commit in doubt shows neither its old nor its new value");
    shown = shown || !as_before;
    hidden = hidden || !as_after;
  }
  if (shown && hidden) scene.fail_here("a commit in doubt is half visible");
  return shown;
}

void settle(Scene& scene, const Status& status, const std::vector<Draft>& drafts, store::WriteMode mode) {
  if (scene.crashed()) {
    scene.trace.note("  died in the write");
    for (const Draft& draft : drafts) stage(scene, draft);
    scene.history.accept();  // attempted; nothing is promised
    return;
  }
  if (status.ok()) {
    for (const Draft& draft : drafts) stage(scene, draft);
    return acknowledge(scene, mode, drafts.empty());
  }
  scene.allow(status, "write");
  if (status.code() != Code::indeterminate) {
    scene.trace.note("  refused");
    return;
  }
  const bool visible = see_doubt(scene, drafts);
  for (const Draft& draft : drafts) stage(scene, draft);
  const Commit commit = scene.history.doubt(visible);
  scene.trace.note("  commit %llu in doubt, visible %llu", commit, visible);
  ++scene.totals.doubts;
}

Status write_draft(Scene& scene, const Draft& draft, store::WriteMode mode) {
  const Bytes key = scene.keys.key(draft.rank);
  if (draft.remove) return scene.store->remove(draft.keyspace->id, key, mode);
  return scene.store->put(draft.keyspace->id, key, model::value_bytes(draft.tag, draft.size_bytes), mode);
}

Keyspace* find_named(Scene& scene, const std::string& name) {
  for (Keyspace& keyspace : scene.keyspaces) {
    if (keyspace.name == name) return &keyspace;
  }
  return nullptr;
}

}  // namespace

void put_one(Scene& scene, store::WriteMode mode) {
  const Draft draft = draw_put(scene);
  scene.trace.note("put slot %llu rank %llu, %llu bytes", draft.keyspace->slot, draft.rank, draft.size_bytes);
  const Status status = write_draft(scene, draft, mode);
  settle(scene, status, {draft}, mode);
}

void remove_one(Scene& scene) {
  const Draft draft = draw_remove(scene);
  scene.trace.note("remove slot %llu rank %llu", draft.keyspace->slot, draft.rank);
  const Status status = write_draft(scene, draft, store::WriteMode::preset);
  settle(scene, status, {draft}, store::WriteMode::preset);
}

void write_batch(Scene& scene) {
  std::vector<Draft> drafts;
  kv::Batch batch;
  uint64_t count = scene.prng.below(scene.prng.one_in(3) ? 40 : 6);
  const bool large = scene.plan.large_batch_one_in != 0 && scene.prng.one_in(scene.plan.large_batch_one_in);
  if (large) count = scene.prng.between(50, 400);
  for (uint64_t i = 0; i < count; ++i) {
    Draft draft = scene.prng.one_in(4) ? draw_remove(scene) : draw_put(scene);
    if (large && !draft.remove) draft.size_bytes = 500;
    // The same key more than once in one batch: the last one wins.
    if (!drafts.empty() && scene.prng.one_in(8)) {
      draft.rank = drafts.back().rank;
      draft.keyspace = drafts.back().keyspace;
    }
    const Bytes key = scene.keys.key(draft.rank);
    const Status added =
        draft.remove ? batch.remove(draft.keyspace->id, key)
                     : batch.put(draft.keyspace->id, key, model::value_bytes(draft.tag, draft.size_bytes));
    if (!added.ok()) scene.fail_here("a batch refuses: " + added.to_string());
    drafts.push_back(draft);
  }
  const auto mode = scene.prng.one_in(16) ? store::WriteMode::sync : store::WriteMode::preset;
  scene.trace.note("batch of %llu, %llu bytes, sync %llu", count, batch.body().size(),
                   mode == store::WriteMode::sync);
  const Status status = scene.store->write(batch, mode);
  settle(scene, status, drafts, mode);
}

void create_keyspace(Scene& scene) {
  if (scene.keyspaces.size() >= 24) return;
  if (scene.prng.one_in(4)) {
    const Keyspace& known = scene.any_keyspace();
    auto again = scene.store->create_keyspace(known.name);
    if (!again.ok()) return scene.allow(again.status(), "create_keyspace");
    if (again.value() != known.id) scene.fail_here("creating " + known.name + " again gives another id");
    return;
  }
  Keyspace keyspace;
  keyspace.name = "ks" + std::to_string(scene.next_name++);
  keyspace.slot = scene.history.add_slot();
  scene.trace.note("create keyspace, slot %llu", keyspace.slot);
  auto created = scene.store->create_keyspace(keyspace.name);
  if (created.ok() && !scene.crashed()) {
    keyspace.id = created.value();
    for (const Keyspace& other : scene.keyspaces) {
      if (other.state != Keyspace::State::maybe_created && other.id == keyspace.id)
        scene.fail_here("an id is reused");
    }
  } else {
    if (!scene.crashed()) scene.allow(created.status(), "create_keyspace");
    keyspace.state = Keyspace::State::maybe_created;
  }
  scene.keyspaces.push_back(std::move(keyspace));
}

void drop_keyspace(Scene& scene) {
  Keyspace* keyspace = find_named(scene, scene.any_keyspace().name);
  if (keyspace->slot == 0) {
    const Status status = scene.store->drop_keyspace(keyspace->id);
    if (status.code() != Code::invalid_argument)
      scene.fail_here("dropping the default keyspace: " + status.to_string());
    return;
  }
  scene.trace.note("drop keyspace, slot %llu", keyspace->slot);
  const Status status = scene.store->drop_keyspace(keyspace->id);
  if (scene.crashed()) {
    keyspace->state = Keyspace::State::maybe_dropped;
  } else if (!status.ok()) {
    scene.allow(status, "drop_keyspace");
    keyspace->state = Keyspace::State::maybe_dropped;
  } else {
    keyspace->state = Keyspace::State::dropped;
    const Status refused = scene.store->put(keyspace->id, "k", "v");
    if (refused.code() != Code::invalid_argument) {
      scene.fail_here("a put into a dropped keyspace: " + refused.to_string());
    }
  }
}

bool too_many_doubts(const Scene& scene) {
  return scene.history.doubts().size() >= model::History::kMaxDoubts;
}

void expect_recovery_in_process(Scene& scene) {
  constexpr int kAttempts = 40;
  constexpr uint64_t kPauseNs = 500'000'000;
  bool resumed = false;
  for (int attempt = 0; attempt < kAttempts && !resumed; ++attempt) {
    const Commit before = scene.history.last();
    const size_t doubts = scene.history.doubts().size();
    put_one(scene, store::WriteMode::preset);
    if (scene.crashed() || too_many_doubts(scene)) return;
    resumed = scene.history.last() != before && scene.history.doubts().size() == doubts;
    if (!resumed) scene.world.advance(kPauseNs);
  }
  if (!resumed) scene.fail_here("writes do not resume after the fault: " + scene.store->background_error());
  Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    status = scene.store->flush();
    if (scene.crashed()) return;
    if (status.ok()) {
      scene.promise.process = scene.promise.power = scene.history.last();
      return;
    }
    scene.world.advance(kPauseNs);
  }
  scene.fail_here("flush does not work again after the fault: " + status.to_string());
}

}  // namespace ashlar::simulation
