#include "lsm/edit.h"

#include <utility>

#include "lsm/version.h"

namespace ashlar::lsm {

namespace {

enum class Field : uint64_t {
  added_run = 1,
  removed_run = 2,
  journal_floor = 3,
  flushed_sequence = 4,
  journaled = 5,
  next_run = 6,
  next_segment = 7,
  next_keyspace = 8,
  created_keyspace = 9,
  dropped_keyspace = 10,
};

constexpr uint64_t kCritical = 1;

void append_field(std::string& out, Field field, Bytes bytes) {
  append_varint(out, static_cast<uint64_t>(field) << 1 | kCritical);
  append_sized(out, bytes);
}

void append_number(std::string& out, Field field, uint64_t value) {
  std::string bytes;
  append_varint(bytes, value);
  append_field(out, field, bytes);
}

// Each of these eats the whole of `in`, or says no.
bool read_number(Bytes in, uint64_t max, uint64_t* value) {
  return read_varint(in, value) && in.empty() && *value <= max;
}

template <typename Id>
bool read_once(Bytes in, uint64_t max, std::optional<Id>* target) {
  uint64_t value = 0;
  if (target->has_value() || !read_number(in, max, &value)) return false;
  *target = Id(static_cast<decltype(Id().value)>(value));
  return true;
}

bool read_flag(Bytes in, std::optional<bool>* target) {
  uint64_t value = 0;
  if (target->has_value() || !read_number(in, 1, &value)) return false;
  *target = value == 1;
  return true;
}

bool read_added(Bytes in, const std::shared_ptr<const RunContext>& context, Edit* edit) {
  uint64_t level = 0;
  uint64_t id = 0;
  if (!read_varint(in, &level) || level >= kLevels || !read_varint(in, &id)) return false;
  auto properties = run::decode_properties(in);
  if (!properties.ok() || !in.empty()) return false;
  edit->added.push_back({static_cast<size_t>(level),
                         std::make_shared<RunMeta>(context, RunId(id), std::move(properties).value())});
  return true;
}

bool read_removed(Bytes in, Edit* edit) {
  uint64_t level = 0;
  uint64_t id = 0;
  if (!read_varint(in, &level) || level >= kLevels || !read_varint(in, &id) || !in.empty()) return false;
  edit->removed.push_back({static_cast<size_t>(level), RunId(id)});
  return true;
}

bool read_created(Bytes in, Edit* edit) {
  uint64_t id = 0;
  Bytes name;
  Bytes options;
  if (!read_varint(in, &id) || id > UINT32_MAX || !read_sized(in, &name) || !read_sized(in, &options) ||
      !in.empty())
    return false;
  edit->created.push_back({KeyspaceId(static_cast<uint32_t>(id)), std::string(name), std::string(options)});
  return true;
}

bool read_dropped(Bytes in, Edit* edit) {
  uint64_t id = 0;
  if (!read_number(in, UINT32_MAX, &id)) return false;
  edit->dropped.push_back(KeyspaceId(static_cast<uint32_t>(id)));
  return true;
}

bool read_field(Field field, Bytes in, const std::shared_ptr<const RunContext>& context, Edit* edit) {
  switch (field) {
    case Field::added_run:
      return read_added(in, context, edit);
    case Field::removed_run:
      return read_removed(in, edit);
    case Field::journal_floor:
      return read_once(in, UINT64_MAX, &edit->journal_floor);
    case Field::flushed_sequence:
      return read_once(in, kMaxSequence.value, &edit->flushed_sequence);
    case Field::journaled:
      return read_flag(in, &edit->journaled);
    case Field::next_run:
      return read_once(in, UINT64_MAX, &edit->next_run);
    case Field::next_segment:
      return read_once(in, UINT64_MAX, &edit->next_segment);
    case Field::next_keyspace:
      return read_once(in, UINT32_MAX, &edit->next_keyspace);
    case Field::created_keyspace:
      return read_created(in, edit);
    case Field::dropped_keyspace:
      return read_dropped(in, edit);
  }
  return false;
}

bool is_known(uint64_t number) {
  return number >= static_cast<uint64_t>(Field::added_run) &&
         number <= static_cast<uint64_t>(Field::dropped_keyspace);
}

}  // namespace

std::string encode_edit(const Edit& edit) {
  std::string out;
  for (const auto& removed : edit.removed) {
    std::string bytes;
    append_varint(bytes, removed.level);
    append_varint(bytes, removed.id.value);
    append_field(out, Field::removed_run, bytes);
  }
  for (const auto& added : edit.added) {
    std::string bytes;
    append_varint(bytes, added.level);
    append_varint(bytes, added.run->id().value);
    run::encode_properties(added.run->properties(), bytes);
    append_field(out, Field::added_run, bytes);
  }
  if (edit.journal_floor) append_number(out, Field::journal_floor, edit.journal_floor->value);
  if (edit.flushed_sequence) append_number(out, Field::flushed_sequence, edit.flushed_sequence->value);
  if (edit.journaled) append_number(out, Field::journaled, *edit.journaled ? 1 : 0);
  if (edit.next_run) append_number(out, Field::next_run, edit.next_run->value);
  if (edit.next_segment) append_number(out, Field::next_segment, edit.next_segment->value);
  if (edit.next_keyspace) append_number(out, Field::next_keyspace, edit.next_keyspace->value);
  for (const Keyspace& keyspace : edit.created) {
    std::string bytes;
    append_varint(bytes, keyspace.id.value);
    append_sized(bytes, keyspace.name);
    append_sized(bytes, keyspace.options);
    append_field(out, Field::created_keyspace, bytes);
  }
  for (const KeyspaceId id : edit.dropped) append_number(out, Field::dropped_keyspace, id.value);
  return out;
}

Result<Edit> decode_edit(Bytes bytes, const std::shared_ptr<const RunContext>& context) {
  Edit edit;
  while (!bytes.empty()) {
    uint64_t tag = 0;
    Bytes field;
    if (!read_varint(bytes, &tag) || !read_sized(bytes, &field))
      return corruption("edit is cut short inside a field's head");
    const uint64_t number = tag >> 1;
    if (!is_known(number)) {
      if ((tag & kCritical) == 0) continue;
      return unsupported_format("edit holds field " + std::to_string(number) +
                                ", which a newer version wrote and which must be understood");
    }
    if (!read_field(static_cast<Field>(number), field, context, &edit))
      return corruption("edit holds a malformed field " + std::to_string(number) + " of " +
                        std::to_string(field.size()) + " bytes");
  }
  return edit;
}

}  // namespace ashlar::lsm
