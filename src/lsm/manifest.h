// The log of edits: which state of the database is in force on disk, and the atomic switch from one log to the next.
//
//   CURRENT ----> MANIFEST-000007
//                 block 0    head: magic, version, uuid, manifest id
//                 block 1    tail of the last even edit  } eight copies each, one per 512 bytes:
//                 block 2    tail of the last odd edit   } {last edit number, valid_bytes}
//                 block 3..  edits 1, 2, 3, ... each from a fresh 4 KiB block: {checksum, length, number, bytes};
//                            edit 1 is the whole state
//
// append:   write edit n; sync;   write the tail block of n's parity; sync;   return.
// switch:   write a new file whole; sync; sync the directory;  write CURRENT.tmp; sync;  rename; sync the directory.
//
// L1 When append() returned ok the edit survives everything. Only then may files it removed go, or segments below its
//    journal_floor be used again.
// L2 The tail block of edit n is written only after the edit was synced. A new file starts with both blocks naming
//    edit 1. So at most one block can be torn, and then the edit behind the other block's tail is whole.
// L3 Nothing is ever written into a block that holds an edit.
// L4 Checksums are seeded with uuid, manifest id and place: no byte of another file, or of another place, verifies.
// L5 After a failed append the file may or may not hold the edit, so it is never written again: the outcome is what a
//    recovery would find until switch_to_new() has put a file without the edit in its place, wholly. Until then no
//    run that the failed edit adds or removes may be deleted.
// L6 What recover() found may rest on writes that a power cut still takes back (a rename, an edit behind the tail).
//    settle() makes it durable; before that nothing may be deleted on its account.
//
// Recovery takes the tail with the higher edit number. Every edit up to its valid_bytes must verify, else the manifest
// is corrupt. Edits behind it that verify in unbroken order are in force too (the crash came between the two syncs of
// an append); the first bytes that do not are the torn tail of an append which never returned.
//
// One damaged bit gives the right state or an error, never an older state. By place:
//   CURRENT, head     one checksum covers all of it: corruption.
//   an edit           up to the tail: corruption, the tail vouches for it. Behind the tail: it was never acknowledged.
//   a tail copy       not used; seven others say the same. The right state.
//   padding           has no meaning. The right state.
// And beyond one bit: a tail block without any good copy leaves the other one. If the lost one was the newer, L2 says
// that the edit behind the surviving tail is whole; if no edit is found there, the newest edit may be lost with the
// block, so that is corruption too. Both blocks without a good copy: corruption. A file cut short of valid_bytes:
// corruption; cut behind it: a torn tail. A version above ours under a good checksum: unsupported_format.
//
// Threads: one caller at a time for everything.
// Not here: the bytes (manifest_format.h), what an edit means (state.h), deleting strays at open (store).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "io/directory.h"
#include "lsm/run_meta.h"
#include "lsm/state.h"

namespace ashlar::lsm {

class Manifest {
 public:
  struct Recovery {
    std::unique_ptr<Manifest> manifest;  // null: there is no CURRENT, hence no database here
    bool has_manifest_files = false;  // a creation that never finished, or a lost CURRENT: the caller decides
    uint64_t edits_behind_tail = 0;   // in force, though their append never returned
    uint64_t torn_bytes = 0;          // behind the last whole edit
  };

  // Reads, never writes. `context.database` is filled in from the head. Errors: corruption, unsupported_format, io.
  static Result<Recovery> recover(RunContext context);

  // Makes a new database of `initial`, whose uuid is the context's from then on. Durable when it returns.
  // Errors: invalid_argument where there is a CURRENT, io, no_space.
  static Result<std::unique_ptr<Manifest>> create(RunContext context, State initial);

  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;
  ~Manifest();

  // Makes the recovered state durable (L6): by a new file where the old one needs repair, else by a sync of the
  // directory. The first append() does it where nobody did. Errors: io, no_space; to be tried again then.
  Status settle();

  // Puts `edit` in force (L1), and marks the runs that are in no level afterwards as obsolete. On error the state is
  // the one before; unless the error is invalid_argument, the outcome on disk is open and must_switch() holds (L5).
  // Errors: invalid_argument (the edit contradicts the state), io, no_space.
  Status append(const Edit& edit);

  // Writes the present state to a new file and puts it in force; what an earlier failure left open is decided then.
  // On error nothing has changed, except that from the rename on must_switch() holds. Errors: io, no_space.
  Status switch_to_new();

  // append() refuses until switch_to_new() succeeds.
  bool must_switch() const noexcept { return must_switch_; }
  // The file has outgrown the state it describes; a switch at leisure would make the next open faster.
  bool is_overgrown() const noexcept;

  const std::shared_ptr<const State>& state() const noexcept { return state_; }
  // What new runs are to be made with.
  const std::shared_ptr<const RunContext>& context() const noexcept { return context_; }
  // "MANIFEST-000007".
  const std::string& file_name() const noexcept { return file_name_; }
  uint64_t size_bytes() const noexcept { return valid_bytes_; }

 private:
  Manifest(std::shared_ptr<const RunContext> context, std::shared_ptr<const State> state);

  Status rewrite();
  Status write_edit(Bytes payload);
  void mark_removed_runs(const Edit& edit, const State& before) const;
  Result<uint64_t> unused_id() const;
  Status write_current_temp(Bytes bytes) const;
  void remove_older_files() const;

  std::shared_ptr<const RunContext> context_;
  std::shared_ptr<const State> state_;
  std::string file_name_;
  uint64_t id_ = 0;
  uint64_t last_edit_ = 0;
  uint64_t valid_bytes_ = 0;
  uint64_t first_edit_bytes_ = 0;
  bool must_switch_ = false;
  bool settled_ = false;
  std::unique_ptr<io::File> file_;  // opened for writing at the first need
};

}  // namespace ashlar::lsm
