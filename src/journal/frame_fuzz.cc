// Any bytes as a segment: reading frames and mutations neither crashes nor reads outside.
#include <cstddef>
#include <cstdint>
#include <string>

#include "journal/format.h"
#include "kv/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ashlar;
  const Bytes input(reinterpret_cast<const char*>(data), size);
  static_cast<void>(journal::decode_identity(input, "fuzz").ok());
  const uint64_t salt = journal::salt_of(Uuid{1, 2}, SegmentId(3));
  if (size >= journal::kHeaderBytes) static_cast<void>(journal::decode_life(input, salt));
  // With checksums trusted, so that what lies behind them is reached.
  for (uint64_t offset = 0; offset < size;) {
    const auto frame = journal::read_frame(input, offset, salt, /*trust_checksum=*/true);
    if (!frame) {
      offset += journal::kFrameAlignment;
      continue;
    }
    Bytes rest = frame->body;
    kv::Mutation mutation;
    while (kv::decode_mutation(rest, &mutation)) {
      if (mutation.key.size() + mutation.value.size() > size) __builtin_trap();
    }
    if (frame->end <= offset) __builtin_trap();
    offset = frame->end;
  }
  // And a sealed frame around the same bytes comes back as it went.
  std::string segment(journal::align_up(journal::kHeaderBytes + journal::frame_bytes(size), 4096), '\0');
  if (size > 0)
    __builtin_memcpy(segment.data() + journal::kHeaderBytes + journal::kFrameHeaderBytes, data, size);
  journal::seal_frame(segment.data() + journal::kHeaderBytes, journal::kHeaderBytes,
                      static_cast<uint32_t>(size), 1, Sequence(9), Sequence(1), 0, salt);
  const auto frame = journal::read_frame(segment, journal::kHeaderBytes, salt);
  if (!frame || frame->body != input) __builtin_trap();
  return 0;
}
