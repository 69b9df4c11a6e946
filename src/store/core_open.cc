// Opening: lock, manifest, journal, first delta. What a crash left behind is put right here, before anything new is
// written.
#include <algorithm>

#include "base/coding.h"
#include "store/core.h"

namespace ashlar::store {

namespace {

const char* const kLockName = "LOCK";

bool has_suffix(const std::string& name, std::string_view suffix) {
  return name.size() >= suffix.size() &&
         name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool is_manifest_name(const std::string& name) { return name.rfind("MANIFEST-", 0) == 0; }

}  // namespace

Core::Core(io::Environment& environment, const Options& options)
    : environment_(environment),
      options_(options),
      cache_(std::make_shared<run::BlockCache>(options.block_cache_bytes)),
      pipeline_(*this, {options.canaries.publish_before_persist}) {}

Core::~Core() { abandon(); }

Result<std::shared_ptr<Core>> Core::open(io::Environment& environment, const std::string& path,
                                         const Options& options) {
  const uint64_t start_ns = environment.clock().monotonic_ns();
  auto core = std::make_shared<Core>(environment, options);
  ASHLAR_TRY(core->open_directory(path));
  ASHLAR_TRY(core->open_manifest());
  ASHLAR_TRY(core->start_first_delta());
  core->start_background();
  core->counters_.recovery_ns = environment.clock().monotonic_ns() - start_ns;
  return core;
}

Status Core::open_directory(const std::string& path) {
  const auto mode =
      options_.create_if_missing ? io::CreateMode::create_if_missing : io::CreateMode::must_exist;
  ASHLAR_ASSIGN(std::unique_ptr<io::Directory> directory, environment_.open_directory(path, mode));
  directory_ = std::move(directory);
  ASHLAR_ASSIGN(lock_, directory_->lock(kLockName));
  return ok_status();
}

journal::Medium Core::medium() const {
  switch (options_.preset) {
    case Preset::fast:
      return journal::Medium::memory;
    case Preset::durable:
      return journal::Medium::mapped;
    case Preset::paranoid:
      return journal::Medium::written;
  }
  return journal::Medium::mapped;
}

lsm::RunContext Core::run_context() { return {directory_, Uuid{}, cache_, nullptr}; }

Status Core::open_manifest() {
  ASHLAR_ASSIGN(const std::vector<std::string> names, directory_->list());
  ASHLAR_ASSIGN(lsm::Manifest::Recovery recovery, lsm::Manifest::recover(run_context()));
  if (recovery.manifest == nullptr) {
    ASHLAR_TRY(refuse_lost_current(names, recovery.has_manifest_files));
    if (!options_.create_if_missing) return invalid_argument(directory_->path() + ": holds no database");
    return create_database(names);
  }
  if (options_.error_if_exists) return invalid_argument(directory_->path() + ": a database is there already");
  manifest_ = std::move(recovery.manifest);
  state_ = manifest_->state();
  next_run_id_ = state_->next_run;
  next_segment_id_ = state_->next_segment;
  // A full disk must not keep a database from being read; the next edit settles it where this fails.
  const Status settled = manifest_->settle();
  publish_keyspaces();
  journal::Pool::Options pool_options{medium(), options_.delta_bytes,
                                      options_.canaries.reuse_without_new_salt};
  pool_ = std::make_unique<journal::Pool>(*directory_, state_->uuid, environment_.boot_id(), pool_options);
  // Settling may have renamed or removed files of the list above.
  ASHLAR_ASSIGN(const std::vector<std::string> names_now, directory_->list());
  if (settled.ok()) ASHLAR_TRY(remove_strays(names_now));
  return recover_journal(names_now);
}

// Without CURRENT this is either an empty directory, a creation that never finished, or a database that lost its
// CURRENT. Only the last holds anything.
Status Core::refuse_lost_current(const std::vector<std::string>& names, bool has_manifest_files) {
  for (const std::string& name : names) {
    const bool later_manifest = is_manifest_name(name) && name != "MANIFEST-000001";
    if (lsm::parse_run_file_name(name) || later_manifest)
      return corruption("CURRENT: missing, but " + name + " is there");
    if (!journal::parse_segment_file_name(name)) continue;
    ASHLAR_ASSIGN(std::unique_ptr<io::File> file, directory_->open(name, io::OpenMode::read_only));
    std::string start(journal::kHeaderBytes + journal::kFrameHeaderBytes, '\0');
    ASHLAR_ASSIGN(const size_t read_bytes, file->read_at(0, start.data(), start.size()));
    ASHLAR_ASSIGN(const journal::Identity identity,
                  journal::decode_identity(Bytes(start).substr(0, read_bytes), name));
    static_cast<void>(identity);
    if (start.find_first_not_of('\0', journal::kHeaderBytes) != std::string::npos) {
      return corruption("CURRENT: missing, but " + name + " holds commits");
    }
  }
  static_cast<void>(has_manifest_files);
  return ok_status();
}

Status Core::create_database(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_manifest_name(name) || journal::parse_segment_file_name(name) || has_suffix(name, ".tmp")) {
      ASHLAR_TRY(directory_->remove(name));
    }
  }
  lsm::State initial;
  initial.uuid = environment_.random_uuid();
  initial.journaled = options_.preset != Preset::fast;
  initial.keyspaces[KeyspaceId(0)] = {KeyspaceId(0), "default", ""};
  initial.next_keyspace = KeyspaceId(1);
  initial.journal_floor = SegmentId(1);
  initial.next_segment = SegmentId(2);
  next_segment_id_ = SegmentId(1);
  journal::Pool::Options pool_options{medium(), options_.delta_bytes,
                                      options_.canaries.reuse_without_new_salt};
  pool_ = std::make_unique<journal::Pool>(*directory_, initial.uuid, environment_.boot_id(), pool_options);
  // The segment first: a manifest that names a journal floor implies that the file is there.
  if (initial.journaled) {
    ASHLAR_ASSIGN(spare_, prepare_segment(spare_bytes()));
  }
  lsm::RunContext context = run_context();
  context.database = initial.uuid;
  ASHLAR_ASSIGN(manifest_, lsm::Manifest::create(context, std::move(initial)));
  state_ = manifest_->state();
  next_run_id_ = state_->next_run;
  publish_keyspaces();
  return ok_status();
}

// Files that no manifest names: outputs of work that a crash ended, and what it was about to rename.
Status Core::remove_strays(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool stray = name == "spare.tmp" || name == "CURRENT.tmp";
    if (const std::optional<RunId> id = lsm::parse_run_file_name(name)) {
      stray = true;
      for (size_t level = 0; level < lsm::kLevels && stray; ++level) {
        for (const lsm::RunRef& run : state_->version->level(level)) stray = stray && run->id() != *id;
      }
      next_run_id_ = std::max(next_run_id_, id->next());
    }
    if (stray) ASHLAR_TRY(directory_->remove(name));
  }
  return ok_status();
}

Status Core::recover_journal(const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<delta::Delta>> deltas;
  const auto first_of_next = [&] {
    return deltas.empty() ? state_->flushed_sequence.next() : deltas.back()->last_sequence().next();
  };
  const journal::ApplyFrame apply = [&](size_t index, journal::Segment& segment,
                                        const journal::Frame& frame) {
    while (deltas.size() <= index) deltas.push_back(make_delta(nullptr, first_of_next()));
    return deltas[index]->apply_frame(frame, segment.file_name());
  };
  const journal::RecoveryInput input{state_->journal_floor, state_->flushed_sequence, state_->journaled,
                                     options_.canaries.skip_frame_checksum};
  ASHLAR_ASSIGN(journal::RecoveryOutcome outcome,
                journal::recover(*pool_, *directory_, environment_.boot_id(), names, input, apply));
  while (deltas.size() < outcome.segments.size()) deltas.push_back(make_delta(nullptr, first_of_next()));
  counters_.recovered_frames = outcome.frames;
  counters_.recovery_dropped_bytes = outcome.dropped_bytes;
  next_segment_id_ = std::max(next_segment_id_, outcome.next_id);
  pipeline_.start_at(outcome.last);
  pipeline_.raise_durable(std::max(outcome.durable, state_->flushed_sequence));
  return adopt_segments(std::move(outcome), std::move(deltas));
}

Status Core::adopt_segments(journal::RecoveryOutcome outcome,
                            std::vector<std::shared_ptr<delta::Delta>> deltas) {
  const bool is_continued = !deltas.empty() && may_continue(outcome, *deltas.back());
  for (size_t i = 0; i < deltas.size(); ++i) {
    if (outcome.durable < outcome.last) outcome.segments[i]->distrust_pages();
    // Commits of this preset promise to survive a power cut; they must not stand on recovered ones that would not.
    if (medium() == journal::Medium::written) ASHLAR_TRY(outcome.segments[i]->sync());
    last_capacity_bytes_ = std::min(outcome.segments[i]->capacity_bytes(), options_.delta_bytes);
    segments_made_ += 2;
    deltas[i]->adopt(std::move(outcome.segments[i]));
    const bool last = i + 1 == deltas.size();
    if (last && is_continued) {
      ASHLAR_TRY(deltas[i]->segment().begin_life(environment_.boot_id()));
      active_ = deltas[i];
    } else {
      sealed_.push_back({deltas[i], medium() == journal::Medium::written});
    }
  }
  if (medium() == journal::Medium::written) pipeline_.raise_durable(outcome.last);
  // What the emptied segments still hold must not be found again: they get a new life, or go, before the first append.
  bool removed = false;
  for (std::unique_ptr<journal::Segment>& segment : outcome.empty) {
    const bool fits = segment->medium() == medium() && segment->capacity_bytes() <= options_.delta_bytes;
    if (fits && spare_ == nullptr) {
      const SegmentId id = next_segment_id_;
      next_segment_id_ = id.next();
      ASHLAR_ASSIGN(spare_, pool_->recycle(std::move(segment), id));
      continue;
    }
    const std::string name = segment->file_name();
    segment.reset();
    ASHLAR_TRY(directory_->remove(name));
    removed = true;
  }
  return removed ? directory_->sync() : ok_status();
}

bool Core::may_continue(const journal::RecoveryOutcome& outcome, const delta::Delta& last) const {
  const journal::Segment& segment = *outcome.segments.back();
  if (!outcome.last_is_open || segment.medium() != medium()) return false;
  // The spare must have a higher id than whatever comes before it.
  const bool aligned = medium() != journal::Medium::written || segment.tail() % journal::kBlockBytes == 0;
  return aligned && segment.capacity_bytes() <= options_.delta_bytes && !last.sync_failed();
}

Status Core::start_first_delta() {
  if (active_ == nullptr) {
    if (spare_ == nullptr) {
      ASHLAR_ASSIGN(spare_, prepare_segment(spare_bytes()));
    }
    last_capacity_bytes_ = spare_->capacity_bytes();
    active_ = make_delta(std::move(spare_), Sequence(pipeline_.visible().value + 1));
    if (!sealed_.empty()) pipeline_.replace_later_frames();
  }
  pipeline_.set_active(active_.get());
  const bool must_say_journaled = !state_->journaled && options_.preset != Preset::fast;
  if (must_say_journaled) {
    lsm::Edit edit;
    edit.journaled = true;
    edit.journal_floor = sealed_.empty() ? active_->segment().id() : sealed_.front().delta->segment().id();
    edit.next_segment = next_segment_id_;
    ASHLAR_TRY(put_in_force(edit));
    state_ = manifest_->state();
  }
  std::lock_guard<std::mutex> guard(mutex_);
  install_view();
  return ok_status();
}

void Core::start_background() {
  executor_ = environment_.create_executor();
  std::lock_guard<std::mutex> guard(mutex_);
  schedule_prepare();
  schedule_flush();
  schedule_compaction();
  schedule_sync();
}

}  // namespace ashlar::store
