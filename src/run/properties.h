// What is known about a run without reading its entries. It is stored twice: in the run itself and, by the
// manifest, outside of it, so that a run which is not the one the manifest means is found out at open.
//
//   encoded = varints and sized byte strings in the order of the members below
//
// P1 smallest_key <= every key <= largest_key, both present in the run; the same for the sequences.
// P2 `identity` covers every byte of the file: it is the footer's checksum, and the footer holds the checksums of
//    all sections, and one of them the checksum of all blocks. Two runs of one identity are the same run.
// Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/types.h"

namespace ashlar::run {

struct Properties {
  uint64_t entry_count = 0;
  uint64_t put_count = 0;
  uint64_t tombstone_count = 0;
  // Distinct stored keys; smaller than entry_count when a key has several versions.
  uint64_t key_count = 0;
  uint64_t block_count = 0;
  // Sum of the sizes of stored keys and values, before prefix compression and compression.
  uint64_t raw_key_bytes = 0;
  uint64_t raw_value_bytes = 0;
  Sequence smallest_sequence;
  Sequence largest_sequence;
  std::string smallest_key;  // stored keys; empty in a run without entries
  std::string largest_key;
  std::vector<KeyspaceId> keyspaces;  // ascending
  uint64_t blocks_checksum = 0;       // over the checksums of all data blocks, in order
  // The two below are unknown while the file's own copy is written and are zero there; Writer::finish and
  // Reader::properties fill them in from the footer.
  uint64_t file_bytes = 0;
  uint64_t identity = 0;

  bool operator==(const Properties&) const = default;
};

void encode_properties(const Properties& properties, std::string& out);

// Eats the properties from the front of `in`. Errors: corruption; `in` is unspecified then.
Result<Properties> decode_properties(Bytes& in);

}  // namespace ashlar::run
