#include "lsm/version.h"

#include <algorithm>
#include <utility>

#include "lsm/level_cursor.h"

namespace ashlar::lsm {

namespace {

bool is_newer(const RunRef& a, const RunRef& b) {
  const Sequence a_largest = a->properties().largest_sequence;
  const Sequence b_largest = b->properties().largest_sequence;
  return a_largest != b_largest ? a_largest > b_largest : a->id() > b->id();
}

bool overlap(const RunMeta& a, const RunMeta& b) {
  return a.smallest_key() <= b.largest_key() && b.smallest_key() <= a.largest_key();
}

Status contradiction(const RunMeta& a, const RunMeta& b, const char* what) {
  return invalid_argument("runs " + a.file_name() + " and " + b.file_name() + ": " + what);
}

Status check_alone(const RunMeta& run) {
  const run::Properties& properties = run.properties();
  if (properties.entry_count == 0) return invalid_argument("run " + run.file_name() + " holds no entry");
  if (properties.smallest_key.size() < kv::kKeyspacePrefixBytes ||
      properties.smallest_key > properties.largest_key ||
      properties.smallest_sequence > properties.largest_sequence)
    return invalid_argument("run " + run.file_name() + ": its smallest key or sequence is above its largest");
  return ok_status();
}

Status check_level0(const std::vector<RunRef>& runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1]->properties().largest_sequence < runs[i]->properties().largest_sequence)
      return contradiction(*runs[i - 1], *runs[i], "out of order in level 0");
    for (size_t newer = 0; newer < i; ++newer) {
      if (overlap(*runs[newer], *runs[i]) &&
          runs[newer]->properties().smallest_sequence <= runs[i]->properties().largest_sequence)
        return contradiction(*runs[newer], *runs[i], "overlap in keys and in sequences in level 0");
    }
  }
  return ok_status();
}

Status check_sorted(const std::vector<RunRef>& runs, size_t level) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1]->largest_key() >= runs[i]->smallest_key())
      return contradiction(*runs[i - 1], *runs[i], "overlap in keys")
          .with_context("level " + std::to_string(level));
  }
  return ok_status();
}

void append_quoted(std::string& out, Bytes key) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (const char c : key) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      out += c;
      continue;
    }
    out += "\\x";
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  out += '"';
}

}  // namespace

Version::Version(Levels levels) : levels_(std::move(levels)) {
  std::sort(levels_[0].begin(), levels_[0].end(), is_newer);
  for (size_t level = 1; level < kLevels; ++level) {
    auto& runs = levels_[level];
    std::sort(runs.begin(), runs.end(),
              [](const RunRef& a, const RunRef& b) { return a->smallest_key() < b->smallest_key(); });
    largest_[level].reserve(runs.size());
    for (const RunRef& run : runs) largest_[level].push_back(run->largest_key());
  }
}

Result<std::shared_ptr<const Version>> Version::create(Levels levels) {
  std::shared_ptr<const Version> version(new Version(std::move(levels)));
  ASHLAR_TRY(version->check());
  return version;
}

std::shared_ptr<const Version> Version::empty() {
  return std::shared_ptr<const Version>(new Version(Levels()));
}

uint64_t Version::level_bytes(size_t index) const {
  uint64_t total_bytes = 0;
  for (const RunRef& run : levels_[index]) total_bytes += run->size_bytes();
  return total_bytes;
}

size_t Version::run_count() const {
  size_t count = 0;
  for (const auto& runs : levels_) count += runs.size();
  return count;
}

size_t Version::deepest_level() const {
  for (size_t level = kLevels - 1; level > 0; --level)
    if (!levels_[level].empty()) return level;
  return 0;
}

Status Version::check() const {
  std::vector<RunId> ids;
  for (size_t level = 0; level < kLevels; ++level) {
    for (const RunRef& run : levels_[level]) {
      ids.push_back(run->id());
      ASHLAR_TRY(check_alone(*run));
    }
    ASHLAR_TRY(level == 0 ? check_level0(levels_[0]) : check_sorted(levels_[level], level));
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) return invalid_argument("run " + run_file_name(*twice) + " is in two places");
  return ok_status();
}

Status Version::get_in_run(const RunMeta& run, Bytes stored_key, uint64_t hash, Sequence at_most,
                           run::Found* found) const {
  if (run.properties().smallest_sequence > at_most) return ok_status();
  ASHLAR_ASSIGN(const run::Reader* reader, run.reader());
  return reader->get(stored_key, hash, at_most, found);
}

Status Version::get(Bytes stored_key, uint64_t hash, Sequence at_most, run::Found* found) const {
  found->found = false;
  for (const RunRef& run : levels_[0]) {
    if (stored_key < run->smallest_key() || stored_key > run->largest_key()) continue;
    ASHLAR_TRY(get_in_run(*run, stored_key, hash, at_most, found));
    if (found->found) return ok_status();
  }
  for (size_t level = 1; level < kLevels; ++level) {
    const auto& largest = largest_[level];
    const auto at = std::lower_bound(largest.begin(), largest.end(), stored_key);
    if (at == largest.end()) continue;
    const RunMeta& run = *levels_[level][static_cast<size_t>(at - largest.begin())];
    if (stored_key < run.smallest_key()) continue;
    ASHLAR_TRY(get_in_run(run, stored_key, hash, at_most, found));
    if (found->found) return ok_status();
  }
  return ok_status();
}

void Version::append_cursors(const KeyRange& range, run::CursorOptions options,
                             std::vector<std::unique_ptr<kv::Cursor>>* cursors) const {
  for (size_t level = 0; level < kLevels; ++level) {
    std::vector<RunRef> touched;
    for (const RunRef& run : levels_[level])
      if (range.touches(run->smallest_key(), run->largest_key())) touched.push_back(run);
    if (level > 0) {
      if (!touched.empty()) cursors->push_back(std::make_unique<LevelCursor>(std::move(touched), options));
      continue;
    }
    for (RunRef& run : touched)
      cursors->push_back(std::make_unique<LevelCursor>(std::vector<RunRef>{std::move(run)}, options));
  }
}

std::vector<RunRef> Version::overlapping(size_t level, Bytes smallest, Bytes largest) const {
  std::vector<RunRef> runs;
  for (const RunRef& run : levels_[level])
    if (run->smallest_key() <= largest && run->largest_key() >= smallest) runs.push_back(run);
  return runs;
}

std::string Version::to_string() const {
  std::string text;
  for (size_t level = 0; level < kLevels; ++level) {
    for (const RunRef& run : levels_[level]) {
      text += "L" + std::to_string(level) + " " + run->file_name() + " " + std::to_string(run->size_bytes()) +
              " bytes ";
      append_quoted(text, run->smallest_key());
      text += "..";
      append_quoted(text, run->largest_key());
      text += " " + std::to_string(run->properties().smallest_sequence.value) + "-" +
              std::to_string(run->properties().largest_sequence.value) + "\n";
    }
  }
  return text;
}

}  // namespace ashlar::lsm
