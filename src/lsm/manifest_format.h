// The bytes of a manifest and of CURRENT, and what can be concluded from them; no files, no state.
//
// docs/FORMAT.md, "Manifest", has the tables. The position and the kind of the checksum of the head, and of CURRENT,
// are the same in every version, past and future: only that lets a reader tell "newer" from "damaged".
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/types.h"

namespace ashlar::lsm::manifest_format {

inline constexpr uint32_t kVersion = 1;
inline constexpr uint64_t kBlockBytes = 4096;
inline constexpr uint64_t kFirstEditOffset = 3 * kBlockBytes;
inline constexpr uint64_t kTailCopyBytes = 512;
inline constexpr size_t kEditHeadBytes = 24;
inline constexpr uint64_t kMaxEditBytes = uint64_t{256} << 20;
inline constexpr char kCurrentName[] = "CURRENT";
inline constexpr char kCurrentTempName[] = "CURRENT.tmp";

// Who wrote the file; part of every seed in it.
struct Identity {
  Uuid uuid;
  uint64_t manifest_id = 0;
  bool operator==(const Identity&) const = default;
};

// The end of what is vouched for.
struct Tail {
  uint64_t last_edit = 0;
  uint64_t valid_bytes = 0;
  bool operator==(const Tail&) const = default;
};

std::string file_name(uint64_t manifest_id);
// 0 where `name` is not exactly what file_name gives for an id above 0.
uint64_t parse_file_name(Bytes name);

std::string encode_current(const Identity& identity);
// `text` with the last line of a CURRENT file: the checksum of all before it.
std::string seal_current(std::string text);
// `file` names the file in messages, here and below. Errors: corruption, unsupported_format.
Result<Identity> decode_current(Bytes bytes);

std::string encode_head(const Identity& identity);
Result<Identity> decode_head(Bytes block, const std::string& file);

constexpr uint64_t tail_offset(uint64_t last_edit) { return (1 + last_edit % 2) * kBlockBytes; }
// A whole block for tail_offset(tail.last_edit), or, in a new file, for the other one: `offset` says which.
std::string encode_tail(const Identity& identity, const Tail& tail, uint64_t offset);

// A whole number of blocks for `offset`.
std::string encode_edit_record(const Identity& identity, uint64_t offset, uint64_t number, Bytes payload);

// What a file holds.
struct Contents {
  Identity identity;
  Tail tail;                      // of the edits below, those behind the written tail included
  std::vector<Bytes> edits;       // payloads, views of the file's bytes; edit 1 first
  std::vector<uint64_t> offsets;  // where the record of each begins
  uint64_t edits_behind_tail = 0;
  uint64_t torn_bytes = 0;
  bool needs_repair = false;  // anything but a file as append() leaves it
};
Result<Contents> decode_file(Bytes bytes, const std::string& file);

}  // namespace ashlar::lsm::manifest_format
