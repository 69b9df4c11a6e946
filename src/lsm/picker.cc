#include "lsm/picker.h"

#include <algorithm>
#include <utility>

namespace ashlar::lsm {

namespace {

using Runs = std::vector<RunRef>;

uint64_t bytes_of(const Runs& runs) {
  uint64_t total_bytes = 0;
  for (const RunRef& run : runs) total_bytes += run->size_bytes();
  return total_bytes;
}

// The smallest closed range that holds all the runs.
struct Hull {
  Bytes smallest;
  Bytes largest;

  explicit Hull(const Runs& runs)
      : smallest(runs.front()->smallest_key()), largest(runs.front()->largest_key()) {
    for (const RunRef& run : runs) add(*run);
  }
  void add(const RunMeta& run) {
    smallest = std::min(smallest, run.smallest_key());
    largest = std::max(largest, run.largest_key());
  }
  bool touches(const RunMeta& run) const {
    return run.smallest_key() <= largest && run.largest_key() >= smallest;
  }
};

uint64_t target_bytes(size_t level, const PickerOptions& options) {
  uint64_t target = options.level_base_bytes;
  for (size_t i = 1; i < level; ++i) {
    if (target > UINT64_MAX / 1000 / options.level_multiplier) return UINT64_MAX / 1000;
    target *= options.level_multiplier;
  }
  return target;
}

bool is_mostly_tombstones(const RunMeta& run, const PickerOptions& options) {
  const run::Properties& properties = run.properties();
  return options.tombstone_percent > 0 && properties.tombstone_count > 0 &&
         properties.tombstone_count * 100 >= properties.entry_count * options.tombstone_percent;
}

size_t dropped_keyspaces(const RunMeta& run, const PickerOptions& options) {
  if (!options.is_dropped) return 0;
  const auto& keyspaces = run.properties().keyspaces;
  return static_cast<size_t>(std::count_if(keyspaces.begin(), keyspaces.end(), options.is_dropped));
}

bool touches_level(const Version& version, size_t level, const RunMeta& run) {
  return !version.overlapping(level, run.smallest_key(), run.largest_key()).empty();
}

bool touches_deeper(const Version& version, size_t level, const RunMeta& run) {
  for (size_t deeper = level + 1; deeper < kLevels; ++deeper)
    if (touches_level(version, deeper, run)) return true;
  return false;
}

Compaction make(Compaction::Kind kind, size_t level, size_t target_level, const Runs& upper,
                const char* reason) {
  Compaction compaction;
  compaction.kind = kind;
  compaction.level = level;
  compaction.target_level = target_level;
  compaction.reason = reason;
  for (const RunRef& run : upper) compaction.inputs.push_back({level, run});
  return compaction;
}

// P4: the runs next to `lower`, or next to the hull where there are none, that are small beside what is
// merged anyway.
void add_small_neighbours(const Version& version, size_t level, const Hull& hull, uint64_t merged_bytes,
                          const PickerOptions& options, Runs* lower) {
  const Runs& runs = version.level(level);
  const auto is_small = [&](const RunRef& run) {
    return run->size_bytes() < options.run_target_bytes / 8 && run->size_bytes() <= 4 * merged_bytes;
  };
  const auto before_hull = [&](const RunRef& run) { return run->largest_key() < hull.smallest; };
  const auto first = std::partition_point(runs.begin(), runs.end(), before_hull);
  const auto end = first + static_cast<std::ptrdiff_t>(lower->size());
  if (end != runs.end() && is_small(*end)) lower->push_back(*end);
  if (first != runs.begin() && is_small(*std::prev(first))) lower->insert(lower->begin(), *std::prev(first));
}

Compaction merge_down(const Version& version, size_t level, const Runs& upper, const PickerOptions& options,
                      const char* reason) {
  const Hull hull(upper);
  Compaction compaction = make(Compaction::Kind::merge, level, level + 1, upper, reason);
  Runs lower = version.overlapping(level + 1, hull.smallest, hull.largest);
  if (level == 0) add_small_neighbours(version, 1, hull, bytes_of(upper), options, &lower);
  for (RunRef& run : lower) compaction.inputs.push_back({level + 1, std::move(run)});
  return compaction;
}

Runs movable_from_level0(const Version& version, const PickerOptions& options) {
  const Runs& runs = version.level(0);
  Runs movable;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto overlaps = [&](const RunRef& older) { return Hull({older}).touches(*runs[i]); };
    const bool touches_older =
        std::any_of(runs.begin() + static_cast<std::ptrdiff_t>(i) + 1, runs.end(), overlaps);
    const bool is_small = runs[i]->size_bytes() < options.run_target_bytes / 8;
    if (!is_small && !touches_older && !touches_level(version, 1, *runs[i])) movable.push_back(runs[i]);
  }
  return movable;
}

// The oldest run and all that overlap it, directly or through others.
Runs oldest_group(const Runs& runs) {
  std::vector<bool> is_taken(runs.size(), false);
  is_taken.back() = true;
  Hull hull({runs.back()});
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (is_taken[i] || !hull.touches(*runs[i])) continue;
      is_taken[i] = grew = true;
      hull.add(*runs[i]);
    }
  }
  Runs group;
  for (size_t i = 0; i < runs.size(); ++i)
    if (is_taken[i]) group.push_back(runs[i]);
  return group;
}

size_t touched_count(const Version& version, size_t level, const Hull& hull) {
  return version.overlapping(level, hull.smallest, hull.largest).size();
}

Compaction pick_from_level0(const Version& version, const PickerOptions& options, const char* reason) {
  if (const Runs movable = movable_from_level0(version, options); !movable.empty())
    return make(Compaction::Kind::move, 0, 1, movable, reason);
  const Runs& all = version.level(0);
  const Runs group = oldest_group(all);
  // Where it costs no further run of level 1, the rest comes along.
  const bool take_all = touched_count(version, 1, Hull(all)) == touched_count(version, 1, Hull(group));
  return merge_down(version, 0, take_all ? all : group, options, reason);
}

// The runs of a level, beginning behind the key where the last compaction of that level ended.
Runs round_robin(const Version& version, size_t level, const PickerOptions& options) {
  Runs runs = version.level(level);
  const auto is_done = [&](const RunRef& run) { return run->largest_key() <= options.resume_keys[level]; };
  std::rotate(runs.begin(), std::partition_point(runs.begin(), runs.end(), is_done), runs.end());
  return runs;
}

Compaction pick_from_level(const Version& version, size_t level, const PickerOptions& options,
                           const char* reason) {
  const Runs runs = round_robin(version, level, options);
  const uint64_t level_bytes = bytes_of(runs);
  const uint64_t target = target_bytes(level, options);
  Runs movable;
  for (const RunRef& run : runs) {
    if (level_bytes - bytes_of(movable) < target) break;
    if (!touches_level(version, level + 1, *run)) movable.push_back(run);
  }
  if (!movable.empty()) return make(Compaction::Kind::move, level, level + 1, movable, reason);

  const auto is_heavy = [&](const RunRef& run) { return is_mostly_tombstones(*run, options); };
  const auto heavy = std::find_if(runs.begin(), runs.end(), is_heavy);
  if (heavy != runs.end()) return merge_down(version, level, {*heavy}, options, reason);
  Compaction compaction = merge_down(version, level, {runs.front()}, options, reason);
  compaction.resume_key = runs.front()->largest_key();
  return compaction;
}

std::optional<Compaction> pick_drop(const Version& version, const PickerOptions& options) {
  Compaction compaction = make(Compaction::Kind::drop, 0, 0, {}, "keyspaces were dropped");
  for (size_t level = 0; level < kLevels; ++level) {
    for (const RunRef& run : version.level(level)) {
      const size_t dropped = dropped_keyspaces(*run, options);
      if (dropped > 0 && dropped == run->properties().keyspaces.size())
        compaction.inputs.push_back({level, run});
    }
  }
  if (compaction.inputs.empty()) return std::nullopt;
  compaction.level = compaction.target_level = compaction.inputs.front().level;
  return compaction;
}

std::optional<Compaction> pick_fullest(const Version& version, const PickerOptions& options) {
  size_t fullest = 0;
  uint64_t highest_percent = std::max<uint64_t>(version.level(0).size() * 100 / options.level0_trigger,
                                                version.level_bytes(0) * 100 / options.level_base_bytes);
  for (size_t level = 1; level + 1 < kLevels; ++level) {
    const uint64_t percent = version.level_bytes(level) * 100 / target_bytes(level, options);
    if (percent <= highest_percent) continue;
    highest_percent = percent;
    fullest = level;
  }
  if (highest_percent < 100) return std::nullopt;
  constexpr const char* kReason = "level is full";
  return fullest == 0 ? pick_from_level0(version, options, kReason)
                      : pick_from_level(version, fullest, options, kReason);
}

std::optional<Compaction> purge_run(const Version& version, size_t level, const RunRef& run,
                                    const PickerOptions& options) {
  if (dropped_keyspaces(*run, options) > 0)
    return make(Compaction::Kind::merge, level, level, {run}, "a keyspace was dropped");
  if (!is_mostly_tombstones(*run, options)) return std::nullopt;
  constexpr const char* kReason = "mostly tombstones";
  if (!touches_deeper(version, level, *run)) {
    if (run->properties().largest_sequence > options.oldest_boundary) return std::nullopt;
    return make(Compaction::Kind::merge, level, level, {run}, kReason);
  }
  if (!touches_level(version, level + 1, *run))
    return make(Compaction::Kind::move, level, level + 1, {run}, kReason);
  return merge_down(version, level, {run}, options, kReason);
}

std::optional<Compaction> pick_purge(const Version& version, const PickerOptions& options) {
  const Runs& level0 = version.level(0);
  const auto is_due = [&](const RunRef& run) {
    return is_mostly_tombstones(*run, options) || dropped_keyspaces(*run, options) > 0;
  };
  if (std::any_of(level0.begin(), level0.end(), is_due))
    return pick_from_level0(version, options, "tombstones or a dropped keyspace in level 0");
  for (size_t level = 1; level < kLevels; ++level) {
    for (const RunRef& run : version.level(level))
      if (auto compaction = purge_run(version, level, run, options)) return compaction;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Compaction> pick(const Version& version, const PickerOptions& options) {
  ASHLAR_CHECK(options.level0_trigger > 0 && options.level_base_bytes > 0 && options.level_multiplier > 0);
  if (auto compaction = pick_drop(version, options)) return compaction;
  if (auto compaction = pick_fullest(version, options)) return compaction;
  return pick_purge(version, options);
}

std::optional<Compaction> pick_everything(const Version& version, const PickerOptions& options) {
  uint64_t total_bytes = 0;
  size_t used_levels = 0;
  bool has_waste = !version.level(0).empty();
  Compaction compaction = make(Compaction::Kind::merge, 0, 0, {}, "everything");
  for (size_t level = 0; level < kLevels; ++level) {
    if (!version.level(level).empty() && used_levels++ == 0) compaction.level = level;
    for (const RunRef& run : version.level(level)) {
      const run::Properties& properties = run->properties();
      has_waste |= properties.tombstone_count > 0 || properties.key_count < properties.entry_count ||
                   dropped_keyspaces(*run, options) > 0;
      total_bytes += run->size_bytes();
      compaction.inputs.push_back({level, run});
    }
  }
  if (used_levels == 0 || (used_levels == 1 && !has_waste)) return std::nullopt;
  size_t target = std::max<size_t>(version.deepest_level(), 1);
  while (target + 1 < kLevels && target_bytes(target, options) < total_bytes) ++target;
  compaction.target_level = target;
  return compaction;
}

uint64_t Compaction::input_bytes() const {
  uint64_t total_bytes = 0;
  for (const Input& input : inputs) total_bytes += input.run->size_bytes();
  return total_bytes;
}

std::string Compaction::to_string() const {
  constexpr const char* kNames[] = {"merge", "move", "drop"};
  std::string text = kNames[static_cast<size_t>(kind)];
  text += " L" + std::to_string(level) + " -> L" + std::to_string(target_level) + " (" + reason + "):";
  size_t last_level = kLevels;
  for (const Input& input : inputs) {
    if (input.level != last_level)
      text += (last_level == kLevels ? " L" : " | L") + std::to_string(input.level);
    last_level = input.level;
    text += " " + run_file_name(input.run->id()).substr(0, input.run->file_name().size() - 4);
  }
  return text;
}

}  // namespace ashlar::lsm
