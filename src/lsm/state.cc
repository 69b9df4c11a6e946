#include "lsm/state.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ashlar::lsm {

namespace {

template <typename Id>
Status raise(const char* what, const std::optional<Id>& to, Id* number) {
  if (!to.has_value()) return ok_status();
  if (*to < *number)
    return invalid_argument(std::string(what) + " falls from " + std::to_string(number->value) + " to " +
                            std::to_string(to->value));
  *number = *to;
  return ok_status();
}

Status change_runs(const Edit& edit, State* state) {
  if (edit.added.empty() && edit.removed.empty()) return ok_status();
  Levels levels = state->version->levels();
  for (const auto& removed : edit.removed) {
    auto& runs = levels[removed.level];
    const auto at =
        std::find_if(runs.begin(), runs.end(), [&](const RunRef& run) { return run->id() == removed.id; });
    if (at == runs.end())
      return invalid_argument("run " + run_file_name(removed.id) + " is removed from level " +
                              std::to_string(removed.level) + ", where it is not");
    runs.erase(at);
  }
  for (const auto& added : edit.added) {
    if (added.run->id().value == UINT64_MAX) return invalid_argument("run ids are used up");
    levels[added.level].push_back(added.run);
    state->next_run = std::max(state->next_run, added.run->id().next());
  }
  ASHLAR_ASSIGN(state->version, Version::create(std::move(levels)));
  return ok_status();
}

Status change_keyspaces(const Edit& edit, State* state) {
  for (const KeyspaceId id : edit.dropped) {
    if (state->keyspaces.erase(id) == 0)
      return invalid_argument("keyspace " + std::to_string(id.value) + " is dropped and does not exist");
  }
  if (edit.created.empty()) return ok_status();
  std::set<std::string> names;
  for (const auto& [id, keyspace] : state->keyspaces) names.insert(keyspace.name);
  for (const Keyspace& keyspace : edit.created) {
    const std::string id = std::to_string(keyspace.id.value);
    if (keyspace.id < state->next_keyspace) return invalid_argument("keyspace id " + id + " is used again");
    if (keyspace.id.value == UINT32_MAX) return invalid_argument("keyspace ids are used up");
    if (!names.insert(keyspace.name).second)
      return invalid_argument("keyspace " + id + " has the name of another one");
    state->keyspaces.emplace(keyspace.id, keyspace);
    state->next_keyspace = KeyspaceId(keyspace.id.value + 1);
  }
  return ok_status();
}

}  // namespace

Result<State> State::apply(const Edit& edit) const {
  State next = *this;
  ASHLAR_TRY(raise("journal floor", edit.journal_floor, &next.journal_floor));
  ASHLAR_TRY(raise("flushed sequence", edit.flushed_sequence, &next.flushed_sequence));
  ASHLAR_TRY(raise("next run", edit.next_run, &next.next_run));
  ASHLAR_TRY(raise("next segment", edit.next_segment, &next.next_segment));
  ASHLAR_TRY(change_runs(edit, &next));
  ASHLAR_TRY(change_keyspaces(edit, &next));
  ASHLAR_TRY(raise("next keyspace", edit.next_keyspace, &next.next_keyspace));
  next.journaled = edit.journaled.value_or(next.journaled);
  return next;
}

Edit State::as_edit() const {
  Edit edit;
  for (size_t level = 0; level < kLevels; ++level)
    for (const RunRef& run : version->level(level)) edit.added.push_back({level, run});
  edit.journal_floor = journal_floor;
  edit.flushed_sequence = flushed_sequence;
  edit.journaled = journaled;
  edit.next_run = next_run;
  edit.next_segment = next_segment;
  edit.next_keyspace = next_keyspace;
  for (const auto& [id, keyspace] : keyspaces) edit.created.push_back(keyspace);
  return edit;
}

}  // namespace ashlar::lsm
