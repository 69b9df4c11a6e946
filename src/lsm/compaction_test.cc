#include "lsm/compaction.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"
#include "lsm/keyspace_cursor.h"
#include "lsm/manifest.h"
#include "lsm/merge_cursor.h"
#include "lsm/sample_tree.h"
#include "lsm/visible_cursor.h"

namespace ashlar::lsm {
namespace {

constexpr uint64_t kKeys = 40;

// The lower half of a store on one thread: a delta that is a map, runs, a manifest, snapshots; and a model
// beside it.
class SmallStore {
 public:
  explicit SmallStore(uint64_t seed) : prng_(seed) {
    State initial = sample_first_state();
    auto manifest = Manifest::create({tree_.directory, {}, nullptr, {}}, initial);
    manifest_ = std::move(manifest).value();
    options_.level_base_bytes = 3000 + prng_.below(6000);
    options_.level_multiplier = 2 + prng_.below(3);
    options_.run_target_bytes = 1500 + prng_.below(3000);
    options_.is_dropped = [this](KeyspaceId id) { return manifest_->state()->is_dropped(id); };
  }

  void write() {
    const uint32_t keyspace = live_keyspace();
    const std::string key = stored_key(keyspace, std::to_string(prng_.below(kKeys)));
    ++sequence_;
    for (EntryMap* entries : {delta_.get(), &all_}) {
      if (sequence_ % 3 == 0) {
        remove(*entries, key, sequence_);
      } else {
        put(*entries, key, sequence_, std::string(sequence_ % 90, 'x') + std::to_string(sequence_));
      }
    }
  }
  void remove_all() {
    const uint32_t keyspace = live_keyspace();
    for (uint64_t i = 0; i < kKeys; ++i) {
      ++sequence_;
      for (EntryMap* entries : {delta_.get(), &all_})
        remove(*entries, stored_key(keyspace, std::to_string(i)), sequence_);
    }
  }
  void take_snapshot() { snapshots_.insert(sequence_); }
  void release_snapshot() {
    if (!snapshots_.empty()) snapshots_.erase(std::next(snapshots_.begin(), prng_.below(snapshots_.size())));
  }
  void release_all_snapshots() { snapshots_.clear(); }

  void flush() {
    OutputRules rules{
        boundaries(), TombstonePolicy::drop_at_bottom, DeeperRuns(version(), 0), options_.is_dropped, {}};
    auto output = tree_.write(*delta_, rules, target());
    ASSERT_TRUE(output.ok()) << output.status().to_string();
    Edit edit;
    for (const RunRef& run : output->runs) edit.added.push_back({0, run});
    edit.flushed_sequence = Sequence(sequence_);
    append(edit);
    delta_ = std::make_shared<EntryMap>();
  }

  bool compact_once() {
    options_.oldest_boundary = boundaries().front();
    return carry_out(pick(version(), options_));
  }
  void compact_everything() { carry_out(pick_everything(version(), options_)); }

  void create_keyspace() {
    Edit edit;
    const KeyspaceId id = manifest_->state()->next_keyspace;
    edit.created = {{id, "k" + std::to_string(id.value), ""}};
    append(edit);
  }
  void drop_keyspace() {
    if (manifest_->state()->keyspaces.size() < 2) return;
    Edit edit;
    edit.dropped = {manifest_->state()->keyspaces.rbegin()->first};
    append(edit);
  }
  void reopen() {
    const std::string before = state_text(*manifest_->state());
    manifest_.reset();
    auto recovery = Manifest::recover({tree_.directory, {}, nullptr, {}});
    ASSERT_TRUE(recovery.ok()) << recovery.status().to_string();
    manifest_ = std::move(recovery->manifest);
    ASSERT_EQ(state_text(*manifest_->state()), before);
    tree_.next_id = manifest_->state()->next_run.value;
  }

  // Every key, every keyspace, at every sequence that somebody may read at.
  void compare_with_model() {
    for (const Sequence boundary : boundaries()) {
      const auto model = visible_in(all_, boundary.value);
      for (const auto& [id, keyspace] : manifest_->state()->keyspaces) {
        compare_scans(id, boundary, model);
        for (uint64_t i = 0; i < kKeys; ++i)
          compare_get(stored_key(id.value, std::to_string(i)), boundary, model);
      }
    }
  }
  void expect_no_waste() {
    std::set<std::string> expected = {"CURRENT", manifest_->file_name()};
    uint64_t entry_count = 0;
    for (size_t level = 0; level < kLevels; ++level) {
      for (const RunRef& run : version().level(level)) {
        expected.insert(run->file_name());
        entry_count += run->properties().entry_count;
        EXPECT_EQ(run->properties().tombstone_count, 0u);
      }
    }
    std::set<std::string> found;
    for (const auto& [name, bytes] : tree_.directory->files) found.insert(name);
    EXPECT_EQ(found, expected);
    uint64_t live_count = 0;
    for (const auto& [key, value] : visible_in(all_, sequence_))
      live_count += manifest_->state()->keyspaces.contains(kv::keyspace_of(key)) ? 1 : 0;
    EXPECT_EQ(entry_count, live_count);
  }
  Prng& prng() { return prng_; }
  const std::set<std::string>& reasons() const { return reasons_; }

 private:
  using Model = std::map<std::string, std::string>;

  const Version& version() const { return *manifest_->state()->version; }
  std::vector<Sequence> boundaries() const {
    std::vector<Sequence> result;
    for (const uint64_t snapshot : snapshots_) result.push_back(Sequence(snapshot));
    if (result.empty() || result.back() != Sequence(sequence_)) result.push_back(Sequence(sequence_));
    return result;
  }
  uint32_t live_keyspace() {
    const auto& keyspaces = manifest_->state()->keyspaces;
    return std::next(keyspaces.begin(), static_cast<std::ptrdiff_t>(prng_.below(keyspaces.size())))
        ->first.value;
  }
  OutputTarget target() { return tree_.target(options_.run_target_bytes); }
  void append(const Edit& edit) {
    const Status appended = manifest_->append(edit);
    ASSERT_TRUE(appended.ok()) << appended.to_string();
  }

  bool carry_out(const std::optional<Compaction>& compaction) {
    if (!compaction.has_value()) return false;
    reasons_.insert(std::string(compaction->kind == Compaction::Kind::move ? "move, " : "") +
                    compaction->reason);
    const CompactionRules rules{boundaries(), TombstonePolicy::drop_at_bottom, options_.is_dropped, {}};
    auto result = run_compaction(version(), *compaction, rules, target());
    EXPECT_TRUE(result.ok()) << compaction->to_string() << ": " << result.status().to_string();
    if (!result.ok()) return false;
    if (!compaction->resume_key.empty()) options_.resume_keys[compaction->level] = compaction->resume_key;
    append(result->edit);
    return true;
  }

  std::unique_ptr<kv::Cursor> cursor(KeyspaceId id) {
    const KeyspaceRange range(id);
    std::vector<std::unique_ptr<kv::Cursor>> stored;
    version().append_cursors(range.range(), {}, &stored);
    std::vector<std::unique_ptr<kv::Cursor>> children;
    children.push_back(std::make_unique<KeyspaceCursor>(std::make_unique<MapCursor>(delta_), id));
    for (auto& child : stored) children.push_back(std::make_unique<KeyspaceCursor>(std::move(child), id));
    return merge(std::move(children));
  }
  void compare_scans(KeyspaceId id, Sequence at_most, const Model& model) {
    Model forward;
    Model backward;
    VisibleCursor cursor_at(cursor(id), at_most, {});
    for (cursor_at.seek_first(); cursor_at.valid(); cursor_at.next())
      forward[stored_key(id.value, cursor_at.key())] = cursor_at.value();
    for (cursor_at.seek_last(); cursor_at.valid(); cursor_at.previous())
      backward[stored_key(id.value, cursor_at.key())] = cursor_at.value();
    ASSERT_TRUE(cursor_at.status().ok());
    Model expected;
    for (const auto& [key, value] : model)
      if (kv::keyspace_of(key) == id) expected[key] = value;
    ASSERT_EQ(forward, expected);
    ASSERT_EQ(backward, expected);
  }
  void compare_get(const std::string& key, Sequence at_most, const Model& model) {
    MapCursor in_delta(delta_);
    in_delta.seek(key, kv::seek_trailer(at_most));
    std::optional<std::string> value;
    if (in_delta.valid() && in_delta.key() == key) {
      if (kv::trailer_kind(in_delta.trailer()) == kv::Kind::put) value = std::string(in_delta.value());
    } else {
      run::Found found;
      const Status status = version().get(key, run::Reader::hash_key(key), at_most, &found);
      ASSERT_TRUE(status.ok()) << status.to_string();
      if (found.found && kv::trailer_kind(found.trailer) == kv::Kind::put) value = std::string(found.value);
    }
    const auto expected = model.find(key);
    ASSERT_EQ(value.has_value(), expected != model.end());
    ASSERT_TRUE(!value.has_value() || *value == expected->second);
  }

  Prng prng_;
  SampleTree tree_;
  std::unique_ptr<Manifest> manifest_;
  PickerOptions options_;
  std::shared_ptr<EntryMap> delta_ = std::make_shared<EntryMap>();
  EntryMap all_;
  uint64_t sequence_ = 0;
  std::set<uint64_t> snapshots_;
  std::set<std::string> reasons_;
};

void take_a_step(SmallStore& store) {
  Prng& prng = store.prng();
  switch (prng.below(15)) {
    case 0:
      return store.take_snapshot();
    case 1:
      return store.release_snapshot();
    case 2:
      return store.create_keyspace();
    case 3:
      if (prng.one_in(2)) store.drop_keyspace();
      return;
    case 4:
      if (prng.one_in(4)) store.compact_everything();
      return;
    case 5:
      return store.reopen();
    case 6:
    case 7:
    case 8:
      return store.flush();
    case 9:
    case 10:
      store.compact_once();
      return;
    case 11:
      if (prng.one_in(2)) store.remove_all();
      return;
    default:
      for (uint64_t i = prng.below(60); i > 0; --i) store.write();
  }
}

TEST(Compaction, EqualsTheModelWhateverHappens) {
  std::set<std::string> reasons;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    SmallStore store(seed);
    for (int step = 0; step < 90; ++step) {
      ASSERT_NO_FATAL_FAILURE(take_a_step(store));
      if (step % 3 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(store.compare_with_model());
    }
    int compactions = 0;
    while (store.compact_once()) ASSERT_LT(++compactions, 200) << "P3: it ends";
    ASSERT_NO_FATAL_FAILURE(store.compare_with_model());
    store.release_all_snapshots();
    ASSERT_NO_FATAL_FAILURE(store.flush());
    store.compact_everything();
    ASSERT_NO_FATAL_FAILURE(store.compare_with_model());
    store.expect_no_waste();
    reasons.insert(store.reasons().begin(), store.reasons().end());
  }
  for (const char* reason : {"level is full", "move, level is full", "mostly tombstones", "everything",
                             "tombstones or a dropped keyspace in level 0", "keyspaces were dropped"})
    EXPECT_TRUE(reasons.contains(reason)) << "never happened: " << reason;
}

TEST(Compaction, DiscardedOutputsVanishAndTheInputsStay) {
  SampleTree tree;
  EntryMap first;
  EntryMap second;
  put(first, stored_key(0, "a"), 1, "old");
  put(second, stored_key(0, "a"), 2, "new");
  Levels levels;
  levels[0].push_back(tree.write(first, {}, tree.target())->runs[0]);
  levels[0].push_back(tree.write(second, {}, tree.target())->runs[0]);
  const auto version = Version::create(levels).value();
  const auto compaction = pick_everything(*version, {});
  ASSERT_TRUE(compaction.has_value());
  auto result = run_compaction(*version, *compaction,
                               {{Sequence(2)}, TombstonePolicy::drop_at_bottom, {}, {}}, tree.target());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output.entries_kept, 1u);
  EXPECT_GT(result->bytes_read, 0u);
  EXPECT_EQ(tree.directory->files.size(), 3u);
  discard(*result);
  *result = CompactionResult();
  EXPECT_EQ(tree.directory->files.size(), 2u);
}

TEST(Compaction, AStoppedOneLeavesNoFile) {
  SampleTree tree;
  EntryMap entries;
  for (uint64_t i = 0; i < 6000; ++i) put(entries, stored_key(0, std::to_string(i)), i + 1, "value");
  Levels levels;
  levels[0] = tree.write(entries, {}, tree.target())->runs;
  const auto version = Version::create(levels).value();
  const CompactionRules rules{{Sequence(6000)}, TombstonePolicy::drop_at_bottom, {}, [] { return true; }};
  auto result = run_compaction(*version, *pick_everything(*version, {}), rules, tree.target());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::cancelled);
  EXPECT_EQ(tree.directory->files.size(), levels[0].size());
}

TEST(RunMeta, AnOpenCursorKeepsAnObsoleteFileReadable) {
  SampleTree tree;
  EntryMap entries;
  for (uint64_t i = 0; i < 1000; ++i) put(entries, stored_key(0, std::to_string(1000 + i)), i + 1, "value");
  Levels levels;
  levels[1] = tree.write(entries, {}, tree.target(4000))->runs;
  auto version = Version::create(levels).value();
  levels = Levels();
  std::vector<std::unique_ptr<kv::Cursor>> cursors;
  version->append_cursors(KeyRange::whole(), {}, &cursors);
  ASSERT_EQ(cursors.size(), 1u);
  for (const RunRef& run : version->level(1)) run->mark_obsolete();
  version.reset();
  EXPECT_FALSE(tree.directory->files.empty()) << "some of them not even opened yet";
  uint64_t seen = 0;
  for (cursors[0]->seek_first(); cursors[0]->valid(); cursors[0]->next()) ++seen;
  EXPECT_TRUE(cursors[0]->status().ok());
  EXPECT_EQ(seen, 1000u);
  cursors.clear();
  EXPECT_TRUE(tree.directory->files.empty());
}

TEST(RunMeta, AFailedOpenIsTriedAgain) {
  SampleTree tree;
  EntryMap entries;
  put(entries, stored_key(0, "a"), 1, "value");
  const RunRef written = tree.write(entries, {}, tree.target())->runs[0];
  const RunMeta run(tree.context, written->id(), written->properties());
  const auto bytes = tree.directory->files[run.file_name()];
  tree.directory->files.erase(run.file_name());
  EXPECT_EQ(run.reader().status().code(), Code::corruption) << "the manifest names a file that is not there";
  tree.directory->files[run.file_name()] = bytes;
  EXPECT_TRUE(run.reader().ok());
  EXPECT_GT(run.reader_bytes(), 0u);
  run::Properties other = written->properties();
  other.identity ^= 1;
  const RunMeta mistaken(tree.context, written->id(), other);
  EXPECT_EQ(mistaken.reader().status().code(), Code::corruption);
}

}  // namespace
}  // namespace ashlar::lsm
