// For tests: runs that exist in metadata only, edits that exercise every field, and states as text.
#pragma once

#include <memory>
#include <string>

#include "kv/entry.h"
#include "lsm/edit.h"
#include "lsm/state.h"

namespace ashlar::lsm {

inline std::string stored_key(uint32_t keyspace, Bytes key) {
  std::string out;
  kv::set_stored_key(out, KeyspaceId(keyspace), key);
  return out;
}

struct RunShape {
  uint64_t id = 1;
  const char* smallest = "a";
  const char* largest = "z";
  uint64_t smallest_sequence = 1;
  uint64_t largest_sequence = 1;
  uint64_t size_bytes = 1000;
  uint64_t tombstones = 0;
  uint64_t entries = 100;
  uint64_t keys = 100;
  uint32_t keyspace = 0;
};

// Has no file.
inline RunRef shaped_run(const RunShape& shape, std::shared_ptr<const RunContext> context = nullptr) {
  run::Properties properties;
  properties.entry_count = shape.entries;
  properties.tombstone_count = shape.tombstones;
  properties.put_count = shape.entries - shape.tombstones;
  properties.key_count = shape.keys;
  properties.block_count = 1;
  properties.smallest_sequence = Sequence(shape.smallest_sequence);
  properties.largest_sequence = Sequence(shape.largest_sequence);
  properties.smallest_key = stored_key(shape.keyspace, shape.smallest);
  properties.largest_key = stored_key(shape.keyspace, shape.largest);
  properties.keyspaces = {KeyspaceId(shape.keyspace)};
  properties.file_bytes = shape.size_bytes;
  properties.identity = shape.id * 1000003;
  return std::make_shared<RunMeta>(std::move(context), RunId(shape.id), std::move(properties));
}

inline std::string state_text(const State& state) {
  std::string text =
      "uuid " + std::to_string(state.uuid.high) + "," + std::to_string(state.uuid.low) + " floor " +
      std::to_string(state.journal_floor.value) + " flushed " + std::to_string(state.flushed_sequence.value) +
      (state.journaled ? " journaled" : " unjournaled") + " next " + std::to_string(state.next_run.value) +
      "," + std::to_string(state.next_segment.value) + "," + std::to_string(state.next_keyspace.value) + "\n";
  for (const auto& [id, keyspace] : state.keyspaces)
    text += "keyspace " + std::to_string(id.value) + " " + keyspace.name + " " + keyspace.options + "\n";
  return text + state.version->to_string();
}

inline State sample_first_state() {
  State state;
  state.uuid = {11, 22};
  Edit edit;
  edit.created = {{KeyspaceId(0), "default", ""}};
  return state.apply(edit).value();
}

// Edit `step` of a story in which runs are flushed, compacted and moved, and keyspaces come and go. Fits the
// state that the edits before it lead to from sample_first_state().
inline Edit sample_edit(uint64_t step, const std::shared_ptr<const RunContext>& context) {
  Edit edit;
  edit.flushed_sequence = Sequence(step * 10);
  edit.journal_floor = SegmentId(step);
  edit.next_segment = SegmentId(step + 5);
  edit.added.push_back({0, shaped_run({.id = 100 + step,
                                       .smallest_sequence = step * 10 - 9,
                                       .largest_sequence = step * 10,
                                       .size_bytes = 1000 + step},
                                      context)});
  const auto keyspace = static_cast<uint32_t>(step);
  if (step % 2 == 1) edit.created = {{KeyspaceId(keyspace), "space " + std::to_string(step), "options"}};
  if (step % 4 == 0) edit.dropped = {KeyspaceId(keyspace - 1)};
  if (step % 3 == 0) {
    for (uint64_t old = step > 3 ? step - 3 : 1; old < step; ++old)
      edit.removed.push_back({0, RunId(100 + old)});
    if (step > 3) edit.removed.push_back({1, RunId(500 + step - 3)});
    edit.added.push_back({1, shaped_run({.id = 500 + step, .largest_sequence = step * 10 - 10}, context)});
    edit.journaled = step % 2 == 0;
  }
  return edit;
}

}  // namespace ashlar::lsm
