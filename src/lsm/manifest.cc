#include "lsm/manifest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lsm/manifest_format.h"

namespace ashlar::lsm {

namespace format = manifest_format;

namespace {

constexpr uint64_t kOvergrownBytes = uint64_t{1} << 20;
constexpr uint64_t kOvergrownTimes = 4;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::string> read_whole(io::Directory& directory, const std::string& name) {
  ASHLAR_ASSIGN(auto file, directory.open(name, io::OpenMode::read_only));
  ASHLAR_ASSIGN(const uint64_t size_bytes, file->size_bytes());
  std::string bytes(size_bytes, '\0');
  ASHLAR_ASSIGN(const size_t read_bytes, file->read_at(0, bytes.data(), bytes.size()));
  bytes.resize(read_bytes);
  return bytes;
}

Result<std::unique_ptr<io::File>> write_whole(io::Directory& directory, const std::string& name,
                                              Bytes bytes) {
  ASHLAR_ASSIGN(auto file, directory.open(name, io::OpenMode::create));
  ASHLAR_TRY(file->write_at(0, bytes));
  ASHLAR_TRY(file->sync());
  return file;
}

// What CURRENT names, checked against the directory.
Result<format::Identity> read_current(io::Directory& directory, const std::vector<std::string>& names) {
  ASHLAR_ASSIGN(const std::string bytes, read_whole(directory, format::kCurrentName));
  ASHLAR_ASSIGN(const format::Identity identity, format::decode_current(bytes));
  const std::string name = format::file_name(identity.manifest_id);
  if (!contains(names, name))
    return corruption(std::string(format::kCurrentName) + ": expected the file " + name +
                      ", found no such file");
  return identity;
}

Result<State> replay(const format::Contents& contents, const std::string& file,
                     const std::shared_ptr<const RunContext>& context) {
  State state;
  state.uuid = contents.identity.uuid;
  for (size_t i = 0; i < contents.edits.size(); ++i) {
    const std::string place = file + " at " + std::to_string(contents.offsets[i]);
    auto edit = decode_edit(contents.edits[i], context);
    if (!edit.ok()) return edit.status().with_context(place);
    auto next = state.apply(*edit);
    // The bytes are what somebody wrote, but no writer of ours writes such an edit.
    if (!next.ok()) return corruption(place + ": " + std::string(next.status().message()));
    state = std::move(next).value();
  }
  return state;
}

}  // namespace

Manifest::Manifest(std::shared_ptr<const RunContext> context, std::shared_ptr<const State> state)
    : context_(std::move(context)), state_(std::move(state)) {}

Manifest::~Manifest() = default;

Result<Manifest::Recovery> Manifest::recover(RunContext context) {
  Recovery recovery;
  io::Directory& directory = *context.directory;
  ASHLAR_ASSIGN(const auto names, directory.list());
  recovery.has_manifest_files = std::any_of(
      names.begin(), names.end(), [](const std::string& name) { return format::parse_file_name(name) != 0; });
  if (!contains(names, format::kCurrentName)) return recovery;

  ASHLAR_ASSIGN(const format::Identity identity, read_current(directory, names));
  const std::string file = format::file_name(identity.manifest_id);
  ASHLAR_ASSIGN(const std::string bytes, read_whole(directory, file));
  ASHLAR_ASSIGN(const format::Contents contents, format::decode_file(bytes, file));
  if (contents.identity != identity)
    return corruption(file +
                      " at 0: expected the database and the manifest that CURRENT names, found others");

  context.database = identity.uuid;
  const auto shared = std::make_shared<const RunContext>(std::move(context));
  ASHLAR_ASSIGN(State state, replay(contents, file, shared));
  std::unique_ptr<Manifest> manifest(new Manifest(shared, std::make_shared<const State>(std::move(state))));
  manifest->id_ = identity.manifest_id;
  manifest->file_name_ = file;
  manifest->last_edit_ = contents.tail.last_edit;
  manifest->valid_bytes_ = contents.tail.valid_bytes;
  manifest->first_edit_bytes_ = contents.edits.front().size();
  manifest->must_switch_ = contents.needs_repair;
  recovery.edits_behind_tail = contents.edits_behind_tail;
  recovery.torn_bytes = contents.torn_bytes;
  recovery.manifest = std::move(manifest);
  return recovery;
}

Result<std::unique_ptr<Manifest>> Manifest::create(RunContext context, State initial) {
  ASHLAR_ASSIGN(const auto names, context.directory->list());
  if (contains(names, format::kCurrentName))
    return invalid_argument(context.directory->path() + ": there is a database already");
  context.database = initial.uuid;
  std::unique_ptr<Manifest> manifest(new Manifest(std::make_shared<const RunContext>(std::move(context)),
                                                  std::make_shared<const State>(std::move(initial))));
  ASHLAR_TRY(manifest->switch_to_new());
  return manifest;
}

Status Manifest::settle() {
  if (settled_) return ok_status();
  if (must_switch_) return switch_to_new();
  Status synced = rewrite();
  if (synced.ok()) synced = context_->directory->sync();
  // What a failed sync left is never made sure by another one.
  if (!synced.ok()) must_switch_ = true;
  settled_ = synced.ok();
  return synced;
}

// The process before may have died after a failed sync. Its pages are in the cache, hence were read, but count as clean, so
// no later sync would write them: the same bytes are written once more.
Status Manifest::rewrite() {
  if (file_ == nullptr) {
    ASHLAR_ASSIGN(file_, context_->directory->open(file_name_, io::OpenMode::read_write));
  }
  std::string bytes(valid_bytes_, '\0');
  ASHLAR_ASSIGN(const size_t read_bytes, file_->read_at(0, bytes.data(), bytes.size()));
  if (read_bytes != bytes.size())
    return corruption(file_name_ + " at " + std::to_string(read_bytes) + ": cut short");
  ASHLAR_TRY(file_->write_at(0, bytes));
  return file_->sync();
}

Status Manifest::append(const Edit& edit) {
  ASHLAR_TRY(settle());
  if (must_switch_)
    return io_error(file_name_ +
                    ": an earlier write failed; a new manifest must be in place before the next edit");
  ASHLAR_ASSIGN(State next, state_->apply(edit));
  const std::string payload = encode_edit(edit);
  if (payload.size() > format::kMaxEditBytes)
    return invalid_argument(file_name_ + ": an edit of " + std::to_string(payload.size()) + " bytes");
  if (file_ == nullptr) {
    ASHLAR_ASSIGN(file_, context_->directory->open(file_name_, io::OpenMode::read_write));
  }
  if (Status written = write_edit(payload); !written.ok()) {
    must_switch_ = true;
    file_.reset();
    return written;
  }
  const auto before = std::exchange(state_, std::make_shared<const State>(std::move(next)));
  mark_removed_runs(edit, *before);
  return ok_status();
}

Status Manifest::write_edit(Bytes payload) {
  const format::Identity identity{state_->uuid, id_};
  const uint64_t number = last_edit_ + 1;
  const std::string record = format::encode_edit_record(identity, valid_bytes_, number, payload);
  ASHLAR_TRY(file_->write_at(valid_bytes_, record));
  ASHLAR_TRY(file_->sync());
  const format::Tail tail{number, valid_bytes_ + record.size()};
  const uint64_t tail_offset = format::tail_offset(number);
  ASHLAR_TRY(file_->write_at(tail_offset, format::encode_tail(identity, tail, tail_offset)));
  ASHLAR_TRY(file_->sync());
  last_edit_ = tail.last_edit;
  valid_bytes_ = tail.valid_bytes;
  return ok_status();
}

void Manifest::mark_removed_runs(const Edit& edit, const State& before) const {
  for (const auto& removed : edit.removed) {
    const auto moved = [&](const Edit::AddedRun& added) { return added.run->id() == removed.id; };
    if (std::any_of(edit.added.begin(), edit.added.end(), moved)) continue;
    for (const RunRef& run : before.version->level(removed.level))
      if (run->id() == removed.id) run->mark_obsolete();
  }
}

Result<uint64_t> Manifest::unused_id() const {
  ASHLAR_ASSIGN(const auto names, context_->directory->list());
  uint64_t highest = id_;
  for (const std::string& name : names) highest = std::max(highest, format::parse_file_name(name));
  return highest + 1;
}

Status Manifest::switch_to_new() {
  ASHLAR_ASSIGN(const uint64_t id, unused_id());
  const format::Identity identity{state_->uuid, id};
  const std::string payload = encode_edit(state_->as_edit());
  if (payload.size() > format::kMaxEditBytes)
    return invalid_argument("a state of " + std::to_string(payload.size()) +
                            " bytes is more than a manifest holds");
  const std::string record = format::encode_edit_record(identity, format::kFirstEditOffset, 1, payload);
  const format::Tail tail{1, format::kFirstEditOffset + record.size()};
  const std::string bytes = format::encode_head(identity) +
                            format::encode_tail(identity, tail, format::tail_offset(0)) +
                            format::encode_tail(identity, tail, format::tail_offset(1)) + record;

  io::Directory& directory = *context_->directory;
  const std::string name = format::file_name(id);
  auto file = write_whole(directory, name, bytes);
  Status ready = file.ok() ? directory.sync() : file.status();
  if (ready.ok()) ready = write_current_temp(format::encode_current(identity));
  if (!ready.ok()) {
    (void)directory.remove(name);
    return ready;
  }
  // From here on CURRENT may name either file after a crash; both hold a state that the store can go on from,
  // but only one that is known to be in force may be appended to.
  must_switch_ = true;
  file_.reset();
  ASHLAR_TRY(directory.rename(format::kCurrentTempName, format::kCurrentName));
  ASHLAR_TRY(directory.sync());
  id_ = id;
  file_name_ = name;
  file_ = std::move(file).value();
  last_edit_ = tail.last_edit;
  valid_bytes_ = tail.valid_bytes;
  first_edit_bytes_ = payload.size();
  must_switch_ = false;
  settled_ = true;
  remove_older_files();
  return ok_status();
}

Status Manifest::write_current_temp(Bytes bytes) const {
  io::Directory& directory = *context_->directory;
  ASHLAR_ASSIGN(const auto names, directory.list());
  if (contains(names, format::kCurrentTempName)) ASHLAR_TRY(directory.remove(format::kCurrentTempName));
  return write_whole(directory, format::kCurrentTempName, bytes).status();
}

// A file that cannot be removed does no harm; the next switch tries again.
void Manifest::remove_older_files() const {
  auto names = context_->directory->list();
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const uint64_t id = format::parse_file_name(name);
    if (id != 0 && id < id_) (void)context_->directory->remove(name);
  }
}

bool Manifest::is_overgrown() const noexcept {
  return valid_bytes_ > kOvergrownBytes + kOvergrownTimes * first_edit_bytes_;
}

}  // namespace ashlar::lsm
