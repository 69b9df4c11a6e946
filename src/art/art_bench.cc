// Times of the tree on the shapes that decide the product's speed. Not a test: prints nanoseconds, asserts nothing.
//
//   art_bench [records] [rounds]         default: as many 440-byte records as fill 64 MiB; the best of 5 rounds is shown
//
// Records lie in a 64 MiB buffer as in a journal segment (20-byte key, 400-byte value, 20 bytes of frame), so that the
// cache misses are those of the product; the Record of a key is allocated as part of the insert, as the delta does.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "art/cursor.h"
#include "art/sample_keys.h"
#include "art/tree.h"
#include "base/checksum.h"
#include "base/prng.h"

namespace ashlar::art {
namespace {

constexpr size_t kSegmentBytes = size_t{64} << 20;
constexpr size_t kRecordBytes = 440;
constexpr size_t kFrameBytes = 20;
constexpr size_t kValueBytes = 400;

struct Segment {
  Segment() {
    bytes = static_cast<char*>(std::aligned_alloc(size_t{2} << 20, kSegmentBytes));
    ::madvise(bytes, kSegmentBytes, MADV_HUGEPAGE);
    std::memset(bytes, 1, kSegmentBytes);
  }
  ~Segment() { std::free(bytes); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  char* bytes;
};

// Processor time of this thread, so that neighbours disturb less.
double now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <typename Work>
double nanoseconds_each(size_t count, Work work) {
  const double start = now_ns();
  work();
  return (now_ns() - start) / static_cast<double>(count);
}

// Keys of one size, one after the other in memory, as a caller's loop would have them.
class Keys {
 public:
  void add(const std::string& key) {
    key_bytes_ = key.size();
    bytes_ += key;
  }
  size_t size() const { return bytes_.size() / key_bytes_; }
  size_t key_bytes() const { return key_bytes_; }
  Bytes operator[](size_t i) const { return Bytes(bytes_).substr(i * key_bytes_, key_bytes_); }
  Keys shuffled(Prng& prng) const {
    std::vector<size_t> order(size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
    Keys other;
    for (const size_t i : order) other.add(std::string((*this)[i]));
    return other;
  }

 private:
  std::string bytes_;
  size_t key_bytes_ = 1;
};

struct Times {
  double insert = 1e9;
  double copy_and_insert = 1e9;
  double fetched_insert = 1e9;
  double batch = 1e9;
  double fetched_batch = 1e9;
  double overwrite = 1e9;
  double find = 1e9;
  double find_chained = 1e9;
  double find_absent = 1e9;
  double seek = 1e9;
  double cursor = 1e9;
  double scan = 1e9;
  double node_bytes = 0;
};

Record* record_at(Arena& arena, const char* at, size_t i, size_t key_bytes) {
  return new_record(arena, Sequence(i + 1), 1, at, static_cast<uint32_t>(key_bytes), kValueBytes);
}

void keep(double& best, double now) { best = std::min(best, now); }

void one_round(const Keys& keys, const Keys& lookups, const Keys& absent, Segment& segment, Times& times) {
  const size_t n = keys.size();
  const size_t key_bytes = keys.key_bytes();
  const auto place = [&](size_t i) { return segment.bytes + i * kRecordBytes + kFrameBytes; };
  const std::string value(kValueBytes, 'v');
  uint64_t sum = 0;
  const auto encode = [&](size_t i) {
    std::memcpy(place(i), keys[i].data(), key_bytes);
    std::memcpy(place(i) + key_bytes, value.data(), kValueBytes);
    sum += checksum({place(i), key_bytes + kValueBytes}, i);
  };
  {
    Arena arena;
    Tree tree(arena);
    keep(times.copy_and_insert, nanoseconds_each(n, [&] {
           for (size_t i = 0; i < n; ++i) {
             encode(i);
             tree.insert(record_at(arena, place(i), i, key_bytes));
           }
         }));
  }
  {
    Arena arena;
    Tree tree(arena);
    keep(times.fetched_insert, nanoseconds_each(n, [&] {
           for (size_t i = 0; i < n; ++i) {
             tree.prefetch(keys[i]);
             encode(i);
             tree.insert(record_at(arena, place(i), i, key_bytes));
           }
         }));
  }
  // Batches of 100: encoded first, then indexed, without and with a look at the keys ahead.
  for (const size_t ahead : {0, 6}) {
    constexpr size_t kBatch = 100;
    Arena arena;
    Tree tree(arena);
    keep(ahead == 0 ? times.batch : times.fetched_batch, nanoseconds_each(n, [&] {
           for (size_t begin = 0; begin < n; begin += kBatch) {
             const size_t end = std::min(n, begin + kBatch);
             for (size_t i = begin; i < end; ++i) encode(i);
             for (size_t i = begin; i < end; ++i) {
               if (ahead > 0 && i + ahead < end) tree.prefetch({place(i + ahead), key_bytes});
               tree.insert(record_at(arena, place(i), i, key_bytes));
             }
           }
         }));
  }
  Arena arena;
  Tree tree(arena);
  keep(times.insert, nanoseconds_each(n, [&] {
         for (size_t i = 0; i < n; ++i) {
           std::memcpy(place(i), keys[i].data(),
                       key_bytes);  // as the commit does just before
           tree.insert(record_at(arena, place(i), i, key_bytes));
         }
       }));
  times.node_bytes = static_cast<double>(tree.bytes()) / static_cast<double>(tree.size());
  keep(times.find, nanoseconds_each(n, [&] {
         for (size_t i = 0; i < n; ++i) sum += static_cast<uint8_t>(tree.find(lookups[i])->value()[0]);
       }));
  // Each lookup waits for the one before, as a caller's that has something to do with the value.
  keep(times.find_chained, nanoseconds_each(n, [&] {
         size_t last = 'v';
         for (size_t i = 0; i < n; ++i) {
           last =
               static_cast<uint8_t>(tree.find(lookups[i + last - static_cast<size_t>(value[0])])->value()[0]);
         }
         sum += last;
       }));
  keep(times.find_absent, nanoseconds_each(n, [&] {
         for (size_t i = 0; i < n; ++i) sum += tree.find(absent[i]) != nullptr;
       }));
  keep(times.seek, nanoseconds_each(n, [&] {
         Cursor cursor(tree);
         for (size_t i = 0; i < n; ++i) {
           cursor.seek(lookups[i]);
           sum += cursor.key().size();
         }
       }));
  keep(times.cursor, nanoseconds_each(n, [&] {
         Cursor cursor(tree);
         for (cursor.first(); cursor.valid(); cursor.next())
           sum += reinterpret_cast<uintptr_t>(cursor.record());
       }));
  keep(times.scan, nanoseconds_each(n, [&] {
         for (Scan scan(tree); scan.valid(); scan.next())
           sum += static_cast<uint8_t>(scan.record()->value()[0]);
       }));
  // Every key once more, as newer versions in the same bytes.
  keep(times.overwrite, nanoseconds_each(n, [&] {
         for (size_t i = 0; i < n; ++i) tree.insert(record_at(arena, place(i), n + i, key_bytes));
       }));
  if (sum == 42) std::puts("");  // keeps the loops
}

void measure(const char* name, const Keys& keys, const Keys& absent, size_t rounds) {
  static Segment segment;
  Prng prng(99);
  const Keys lookups = keys.shuffled(prng);
  Times t;
  for (size_t round = 0; round < rounds; ++round) one_round(keys, lookups, absent, segment, t);
  std::printf("%-20s %7.0f %7.0f %7.0f %7.0f %7.0f %9.0f %7.0f %7.0f %7.0f %7.0f %7.1f %7.0f %7.1f\n", name,
              t.insert, t.copy_and_insert, t.fetched_insert, t.batch, t.fetched_batch, t.overwrite, t.find,
              t.find_chained, t.find_absent, t.seek, t.cursor, t.scan, t.node_bytes);
}

int run(size_t count, size_t rounds) {
  std::printf("%zu records; ns of processor time per operation, best of %zu\n", count, rounds);
  std::printf("%-20s %7s %7s %7s %7s %7s %9s %7s %7s %7s %7s %7s %7s %7s\n", "keys", "insert", "+encode",
              "fetched", "batch", "fetched", "overwrite", "find", "chained", "absent", "seek", "cursor",
              "scan", "node B");
  Prng prng(5);
  Keys decimal;
  Keys absent_decimal;
  Keys hex;
  Keys absent_hex;
  Keys bytes;
  Keys absent_bytes;
  for (size_t i = 0; i < count; ++i) {
    decimal.add(decimal_key(i));
    absent_decimal.add(decimal_key(prng.below(count) + count));
    hex.add(hex_key(prng.next()));
    absent_hex.add(hex_key(prng.next()));
    bytes.add(random_bytes(prng, 20));
    absent_bytes.add(random_bytes(prng, 20));
  }
  measure("sequential decimal", decimal, absent_decimal, rounds);
  measure("shuffled decimal", decimal.shuffled(prng), absent_decimal, rounds);
  measure("random hex", hex, absent_hex, rounds);
  measure("random bytes", bytes, absent_bytes, rounds);
  return 0;
}

}  // namespace
}  // namespace ashlar::art

int main(int argc, char** argv) {
  const size_t most = ashlar::art::kSegmentBytes / ashlar::art::kRecordBytes;
  const size_t count = argc > 1 ? std::min<size_t>(std::strtoul(argv[1], nullptr, 10), most) : most;
  const size_t rounds = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 5;
  if (count == 0 || rounds == 0) return 2;
  return ashlar::art::run(count, rounds);
}
