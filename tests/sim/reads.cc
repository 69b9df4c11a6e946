#include "sim/reads.h"

#include <algorithm>

#include "base/checksum.h"

namespace ashlar::simulation {

namespace {

std::string describe(const model::Version* version) {
  if (version == nullptr) return "nothing";
  return "tag " + std::to_string(version->tag) + " of commit " + std::to_string(version->commit) + ", " +
         std::to_string(version->size_bytes) + " bytes";
}

void compare_get(Scene& scene, const store::Snapshot* snapshot, KeyspaceId id, Slot slot, Rank rank,
                 Commit at) {
  lsm::PinnedValue value;
  bool found = false;
  const Status status = scene.store->get(snapshot, id, scene.keys.key(rank), &value, &found);
  ++scene.totals.gets;
  if (!status.ok()) {
    scene.allow(status, "get");
    return;
  }
  const model::Version* expected = scene.history.get(slot, rank, at);
  const bool right = found ? expected != nullptr && value.bytes() == expected->value() : expected == nullptr;
  if (!right) {
    scene.fail_here("get " + model::printable(scene.keys.key(rank)) + " of slot " + std::to_string(slot) +
                    " at commit " + std::to_string(at) + ": found " +
                    (found ? std::to_string(value.bytes().size()) + " bytes" : "nothing") + ", expected " +
                    describe(expected));
  }
}

// The range of ranks inside random bounds, and the options that ask for it.
store::ScanOptions draw_bounds(Scene& scene, HeldCursor& cursor) {
  store::ScanOptions options;
  cursor.low = 0;
  cursor.high = scene.keys.size();
  if (scene.prng.one_in(3)) {
    const std::string prefix = scene.keys.near_key(scene.prng).substr(0, scene.prng.below(4));
    options = store::with_prefix(options, prefix);
    const auto inside = [&](Rank rank) { return scene.keys.key(rank).substr(0, prefix.size()) == prefix; };
    cursor.low = scene.keys.lower_bound(prefix);
    cursor.high = cursor.low;
    while (cursor.high < scene.keys.size() && inside(cursor.high)) ++cursor.high;
  } else {
    if (scene.prng.one_in(2)) {
      options.lower = scene.keys.near_key(scene.prng);
      cursor.low = scene.keys.lower_bound(options.lower);
    }
    if (scene.prng.one_in(2)) {
      options.upper = scene.keys.near_key(scene.prng);
      options.has_upper = true;
      cursor.high = std::max(cursor.low, scene.keys.lower_bound(options.upper));
    }
  }
  cursor.keys_only = options.keys_only = scene.prng.one_in(6);
  return options;
}

// False when the store refused for a reason that is allowed now.
bool make_cursor(Scene& scene, const store::Snapshot* snapshot, const Keyspace& keyspace, Commit at,
                 HeldCursor* cursor) {
  const store::ScanOptions options = draw_bounds(scene, *cursor);
  auto made = scene.store->iterate(snapshot, keyspace.id, options);
  if (!made.ok()) {
    scene.allow(made.status(), "iterate");
    return false;
  }
  cursor->iterator = std::move(made).value();
  cursor->slot = keyspace.slot;
  cursor->at = at;
  cursor->position = scene.keys.size();
  if (cursor->iterator->valid()) scene.fail_here("a new cursor stands somewhere");
  return true;
}

Rank inside_or_nowhere(const Scene& scene, const HeldCursor& cursor, Rank rank) {
  return rank >= cursor.low && rank < cursor.high ? rank : scene.keys.size();
}

Rank at_or_after(const Scene& scene, const HeldCursor& cursor, Rank rank) {
  rank = std::max(rank, cursor.low);
  return inside_or_nowhere(scene, cursor, scene.history.next_present(cursor.slot, rank, cursor.at));
}

// Last present rank below `end`.
Rank before(const Scene& scene, const HeldCursor& cursor, Rank end) {
  end = std::min(end, cursor.high);
  if (end <= cursor.low) return scene.keys.size();
  return inside_or_nowhere(scene, cursor, scene.history.previous_present(cursor.slot, end - 1, cursor.at));
}

enum class Move : uint8_t { first, last, seek, seek_for_previous, next, previous };

// Makes one move on both sides. False when the cursor is broken by an allowed error and must be let go.
bool make_move(Scene& scene, HeldCursor& cursor, Move move) {
  store::Iterator& iterator = *cursor.iterator;
  const Rank nowhere = scene.keys.size();
  Rank expected = nowhere;
  bool on = false;
  std::string target;
  switch (move) {
    case Move::first:
      on = iterator.first();
      expected = at_or_after(scene, cursor, cursor.low);
      break;
    case Move::last:
      on = iterator.last();
      expected = before(scene, cursor, cursor.high);
      break;
    case Move::seek:
      target = scene.keys.near_key(scene.prng);
      on = iterator.seek(target);
      expected = at_or_after(scene, cursor, scene.keys.lower_bound(target));
      break;
    case Move::seek_for_previous:
      target = scene.keys.near_key(scene.prng);
      on = iterator.seek_for_previous(target);
      expected = scene.keys.lower_bound(target);
      if (expected < nowhere && scene.keys.key(expected) == target) ++expected;
      expected = before(scene, cursor, expected);
      break;
    case Move::next:
      on = iterator.next();
      if (cursor.position != nowhere) expected = at_or_after(scene, cursor, cursor.position + 1);
      break;
    case Move::previous:
      on = iterator.previous();
      if (cursor.position != nowhere) expected = before(scene, cursor, cursor.position);
      break;
  }
  ++scene.totals.cursor_moves;
  if (!iterator.status().ok()) {
    scene.allow(iterator.status(), "cursor move");
    return false;
  }
  if (on != iterator.valid()) scene.fail_here("a move and valid() disagree");
  cursor.position = expected;
  const auto complain = [&](const std::string& found) {
    static constexpr const char* kMoves[] = {"first", "last",    "seek", "seek_for_previous",
                                             "next",  "previous"};
    scene.fail_here(std::string("cursor ") + kMoves[static_cast<size_t>(move)] + "(" +
                    model::printable(target) + ") in slot " + std::to_string(cursor.slot) + " at commit " +
                    std::to_string(cursor.at) + ": found " + found + ", expected " +
                    (expected == nowhere ? "the end" : model::printable(scene.keys.key(expected))));
  };
  if (on != (expected != nowhere)) complain(on ? model::printable(iterator.key()) : "the end");
  if (!on) return true;
  if (iterator.key() != scene.keys.key(expected)) complain(model::printable(iterator.key()));
  const model::Version* version = scene.history.get(cursor.slot, expected, cursor.at);
  const Bytes value = cursor.keys_only ? Bytes() : version->value();
  if (iterator.value() != value) complain("another value under " + model::printable(iterator.key()));
  return true;
}

Move draw_move(Prng& prng) {
  switch (prng.below(12)) {
    case 0:
      return Move::first;
    case 1:
      return Move::last;
    case 2:
    case 3:
      return Move::seek;
    case 4:
      return Move::seek_for_previous;
    case 5:
    case 6:
    case 7:
      return Move::previous;
    default:
      return Move::next;
  }
}

// Full scan at a snapshot, folded into one number, compared entry by entry with the model.
void read_all_at(Scene& scene, HeldSnapshot& held) {
  uint64_t digest = 1;
  for (size_t i = 0; i < held.keyspaces; ++i) {
    const Keyspace& keyspace = scene.keyspaces[i];
    if (keyspace.state != Keyspace::State::live) return;
    HeldCursor cursor;
    auto made = scene.store->iterate(held.snapshot.get(), keyspace.id, store::ScanOptions());
    if (!made.ok()) return scene.allow(made.status(), "iterate at a snapshot");
    cursor.iterator = std::move(made).value();
    cursor.slot = keyspace.slot;
    cursor.at = held.at;
    cursor.high = scene.keys.size();
    Move move = Move::first;
    do {
      if (!make_move(scene, cursor, move)) return;
      move = Move::next;
      if (!cursor.iterator->valid()) break;
      digest = digest * 0x9e3779b97f4a7c15u + checksum(cursor.iterator->key(), 1) +
               checksum(cursor.iterator->value(), 2);
      ++scene.totals.rows_compared;
    } while (true);
  }
  if (held.digest != 0 && held.digest != digest) scene.fail_here("two reads of one snapshot differ");
  held.digest = digest;
}

}  // namespace

void get_one(Scene& scene) {
  const Keyspace& keyspace = scene.any_keyspace();
  const auto rank = static_cast<Rank>(scene.prng.below(scene.keys.size()));
  compare_get(scene, nullptr, keyspace.id, keyspace.slot, rank, scene.history.last());
}

void scan_some(Scene& scene) {
  HeldCursor cursor;
  if (!make_cursor(scene, nullptr, scene.any_keyspace(), scene.history.last(), &cursor)) return;
  const bool forward = scene.prng.one_in(2);
  Move move = forward ? Move::first : Move::last;
  for (uint64_t moves = scene.prng.between(1, 60); moves > 0; --moves) {
    if (!make_move(scene, cursor, move) || cursor.position == scene.keys.size()) return;
    move = scene.prng.one_in(8) ? draw_move(scene.prng) : (forward ? Move::next : Move::previous);
  }
}

void open_cursor(Scene& scene) {
  if (scene.cursors.size() >= 6) return;
  HeldCursor cursor;
  const Keyspace& keyspace = scene.any_keyspace();
  if (make_cursor(scene, nullptr, keyspace, scene.history.last(), &cursor))
    scene.cursors.push_back(std::move(cursor));
}

void move_cursor(Scene& scene) {
  if (scene.cursors.empty()) return open_cursor(scene);
  const size_t index = scene.prng.below(scene.cursors.size());
  for (uint64_t moves = scene.prng.between(1, 4); moves > 0; --moves) {
    if (make_move(scene, scene.cursors[index], draw_move(scene.prng))) continue;
    scene.cursors.erase(scene.cursors.begin() + static_cast<ptrdiff_t>(index));
    return;
  }
}

void close_cursor(Scene& scene) {
  if (scene.cursors.empty()) return;
  scene.cursors.erase(scene.cursors.begin() + static_cast<ptrdiff_t>(scene.prng.below(scene.cursors.size())));
}

void take_snapshot(Scene& scene) {
  if (scene.snapshots.size() >= 5) return;
  auto taken = scene.store->snapshot();
  if (!taken.ok()) return scene.allow(taken.status(), "snapshot");
  HeldSnapshot held;
  held.snapshot = std::move(taken).value();
  held.at = scene.history.last();
  held.keyspaces = scene.keyspaces.size();
  scene.trace.note("snapshot at commit %llu", held.at);
  scene.snapshots.push_back(std::move(held));
}

void read_snapshot(Scene& scene) {
  if (scene.snapshots.empty()) return take_snapshot(scene);
  HeldSnapshot& held = scene.snapshots[scene.prng.below(scene.snapshots.size())];
  if (scene.prng.one_in(12)) return read_all_at(scene, held);
  const Keyspace& keyspace = scene.keyspaces[scene.prng.below(held.keyspaces)];
  if (keyspace.state != Keyspace::State::live) return;
  if (scene.prng.one_in(6) && scene.cursors.size() < 6) {
    HeldCursor cursor;
    if (make_cursor(scene, held.snapshot.get(), keyspace, held.at, &cursor))
      scene.cursors.push_back(std::move(cursor));
    return;
  }
  const auto rank = static_cast<Rank>(scene.prng.below(scene.keys.size()));
  compare_get(scene, held.snapshot.get(), keyspace.id, keyspace.slot, rank, held.at);
}

void release_snapshot(Scene& scene) {
  if (scene.snapshots.empty()) return;
  scene.snapshots.erase(scene.snapshots.begin() +
                        static_cast<ptrdiff_t>(scene.prng.below(scene.snapshots.size())));
}

void compare_everything(Scene& scene) {
  for (const Keyspace& keyspace : scene.keyspaces) {
    if (keyspace.state != Keyspace::State::live) continue;
    Rank next = 0;
    const auto expect_absent_until = [&](Rank end) {
      for (; next < end; ++next) {
        if (scene.history.get(keyspace.slot, next, scene.history.last()) == nullptr) continue;
        scene.fail_here("a scan of slot " + std::to_string(keyspace.slot) + " misses " +
                        model::printable(scene.keys.key(next)));
      }
    };
    const bool whole = scan_keyspace(scene, keyspace.id, [&](Rank rank, Bytes value) {
      expect_absent_until(rank);
      const model::Version* version = scene.history.get(keyspace.slot, rank, scene.history.last());
      if (version == nullptr || version->value() != value) {
        scene.fail_here("a scan of slot " + std::to_string(keyspace.slot) + " shows a wrong value under " +
                        model::printable(scene.keys.key(rank)) + ", expected " + describe(version));
      }
      next = rank + 1;
    });
    if (whole) expect_absent_until(scene.keys.size());
  }
}

}  // namespace ashlar::simulation
