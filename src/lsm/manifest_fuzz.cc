// Decoding of manifests and CURRENT. The first byte says what the rest is; checksums are made right where
// random bytes would never get past them, so that what lies behind them is reached.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "lsm/edit.h"
#include "lsm/manifest_format.h"
#include "lsm/state.h"

namespace ashlar::lsm {
namespace {

constexpr manifest_format::Identity kIdentity{{11, 22}, 7};

// What decodes and applies must survive its own bytes.
void replay(const std::vector<Bytes>& payloads) {
  State state;
  for (const Bytes payload : payloads) {
    auto edit = decode_edit(payload, nullptr);
    if (!edit.ok()) return;
    auto again = decode_edit(encode_edit(*edit), nullptr);
    ASHLAR_CHECK(again.ok() && encode_edit(*again) == encode_edit(*edit));
    auto next = state.apply(*edit);
    if (!next.ok()) continue;
    State rebuilt;
    ASHLAR_CHECK(rebuilt.apply(next->as_edit()).ok());
    state = std::move(next).value();
  }
}

// Sized payloads, wrapped into a file whose checksums are right; the last one is left behind the tail.
void wrapped_edits(Bytes input) {
  std::string file = manifest_format::encode_head(kIdentity);
  file.resize(manifest_format::kFirstEditOffset);
  uint64_t count = 0;
  Bytes payload;
  uint64_t vouched_bytes = file.size();
  while (count < 16 && read_sized(input, &payload)) {
    if (count > 0) vouched_bytes = file.size();
    file += manifest_format::encode_edit_record(kIdentity, file.size(), ++count, payload);
  }
  const manifest_format::Tail tail{count > 1 ? count - 1 : count, count > 1 ? vouched_bytes : file.size()};
  for (const uint64_t offset : {manifest_format::tail_offset(0), manifest_format::tail_offset(1)})
    file.replace(offset, manifest_format::kBlockBytes, manifest_format::encode_tail(kIdentity, tail, offset));
  file += input;
  auto contents = manifest_format::decode_file(file, "fuzz");
  ASHLAR_CHECK(contents.ok() == (count > 0));
  if (!contents.ok()) return;
  ASHLAR_CHECK(contents->edits.size() == count);
  replay(contents->edits);
}

// A right head, then anything.
void any_file(Bytes input) {
  std::string file = manifest_format::encode_head(kIdentity);
  file += input;
  auto contents = manifest_format::decode_file(file, "fuzz");
  if (contents.ok()) replay(contents->edits);
  (void)manifest_format::decode_file(input, "fuzz").ok();
}

// Anything, under a right checksum.
void current(Bytes input) {
  (void)manifest_format::decode_current(input).ok();
  const std::string sealed = manifest_format::seal_current(std::string(input));
  auto identity = manifest_format::decode_current(sealed);
  if (identity.ok()) ASHLAR_CHECK(manifest_format::encode_current(*identity) == sealed);
}

}  // namespace
}  // namespace ashlar::lsm

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ashlar::Bytes input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      ashlar::lsm::wrapped_edits(input);
      break;
    case 1:
      ashlar::lsm::replay({input});
      break;
    case 2:
      ashlar::lsm::any_file(input);
      break;
    default:
      ashlar::lsm::current(input);
  }
  return 0;
}
