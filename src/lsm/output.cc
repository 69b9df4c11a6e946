#include "lsm/output.h"

#include <algorithm>
#include <utility>

#include "lsm/run_builder.h"

namespace ashlar::lsm {

DeeperRuns::DeeperRuns(const Version& version, size_t first_level, const std::vector<RunRef>& except) {
  for (size_t level = first_level; level < kLevels; ++level) {
    Level deeper;
    deeper.is_sorted = level > 0;
    for (const RunRef& run : version.level(level)) {
      const auto is_same = [&](const RunRef& other) { return other->id() == run->id(); };
      if (std::none_of(except.begin(), except.end(), is_same)) deeper.runs.push_back(run);
    }
    if (!deeper.runs.empty()) levels_.push_back(std::move(deeper));
  }
}

bool DeeperRuns::may_hold(Bytes stored_key) {
  for (Level& level : levels_) {
    const auto holds = [&](const RunRef& run) {
      return run->smallest_key() <= stored_key && stored_key <= run->largest_key();
    };
    if (!level.is_sorted) {
      if (std::any_of(level.runs.begin(), level.runs.end(), holds)) return true;
      continue;
    }
    while (level.next < level.runs.size() && level.runs[level.next]->largest_key() < stored_key) ++level.next;
    if (level.next < level.runs.size() && holds(level.runs[level.next])) return true;
  }
  return false;
}

namespace {

constexpr uint64_t kEntriesBetweenStops = 4096;

// Decides, entry by entry, what stays, and hands that to the builder.
class Retention {
 public:
  Retention(OutputRules* rules, RunBuilder* builder) : rules_(*rules), builder_(*builder) {}

  Status take(Bytes key, uint64_t trailer, Bytes value) {
    if (is_first_ || key != key_) {
      ASHLAR_TRY(finish_key());
      begin_key(key);
    }
    if (is_dropped_) return ok_status();
    const size_t interval = interval_of(kv::trailer_sequence(trailer));
    if (interval < rules_.boundaries.size() && interval == last_interval_) return ok_status();
    last_interval_ = interval;
    if (kv::trailer_kind(trailer) == kv::Kind::remove && rules_.tombstones != TombstonePolicy::keep) {
      if (rules_.tombstones == TombstonePolicy::drop_at_bottom) tombstones_.push_back(trailer);
      return ok_status();
    }
    ASHLAR_TRY(keep_tombstones());
    return builder_.add(key, trailer, value);
  }

  // Tombstones that nothing older followed hide only what lies deeper.
  Status finish_key() {
    if (tombstones_.empty()) return ok_status();
    if (rules_.deeper.may_hold(key_)) return keep_tombstones();
    tombstones_.clear();
    return ok_status();
  }

 private:
  void begin_key(Bytes key) {
    const KeyspaceId keyspace = kv::keyspace_of(key);
    if (rules_.is_dropped && (is_first_ || keyspace != kv::keyspace_of(key_)))
      is_dropped_ = rules_.is_dropped(keyspace);
    key_.assign(key);
    is_first_ = false;
    last_interval_ = SIZE_MAX;
  }

  // Interval i is (boundary i - 1, boundary i]; the last one, above all boundaries, is open to later
  // snapshots.
  size_t interval_of(Sequence sequence) const {
    const auto at = std::lower_bound(rules_.boundaries.begin(), rules_.boundaries.end(), sequence);
    return static_cast<size_t>(at - rules_.boundaries.begin());
  }

  Status keep_tombstones() {
    for (const uint64_t trailer : tombstones_) ASHLAR_TRY(builder_.add(key_, trailer, Bytes()));
    tombstones_.clear();
    return ok_status();
  }

  OutputRules& rules_;
  RunBuilder& builder_;
  bool is_first_ = true;
  std::string key_;
  bool is_dropped_ = false;          // of key_'s keyspace
  size_t last_interval_ = SIZE_MAX;  // of the last version of key_ that stayed
  std::vector<uint64_t>
      tombstones_;  // of key_, newest first, that stay if something older follows or lies deeper
};

Status copy_entries(kv::Cursor& input, OutputRules* rules, RunBuilder* builder, uint64_t* entries_read) {
  Retention retention(rules, builder);
  uint64_t countdown = kEntriesBetweenStops;
  for (input.seek_first(); input.valid(); input.next()) {
    if (--countdown == 0) {
      countdown = kEntriesBetweenStops;
      if (rules->should_stop && rules->should_stop())
        return Status(Code::cancelled, "writing of runs was stopped");
    }
    ++*entries_read;
    ASHLAR_TRY(retention.take(input.key(), input.trailer(), input.value()));
  }
  ASHLAR_TRY(input.status());
  return retention.finish_key();
}

}  // namespace

Result<Output> write_runs(kv::Cursor& input, OutputRules rules, const OutputTarget& target) {
  ASHLAR_CHECK(std::is_sorted(rules.boundaries.begin(), rules.boundaries.end()));
  RunBuilder builder(target);
  Output output;
  ASHLAR_TRY(copy_entries(input, &rules, &builder, &output.entries_read));
  ASHLAR_ASSIGN(output.runs, builder.finish(rules.should_stop));
  for (const RunRef& run : output.runs) {
    output.entries_kept += run->properties().entry_count;
    output.bytes_written += run->size_bytes();
  }
  ASHLAR_CHECK(output.entries_kept <= output.entries_read);
  return output;
}

}  // namespace ashlar::lsm
