// Self-timed: what building, reading and scanning one run costs, without disk. Not a test; nothing judges its figures.
//
//   run_bench [entries] [value bytes] [block bytes]

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/prng.h"
#include "run/memory_file.h"
#include "run/reader.h"
#include "run/writer.h"

namespace ashlar::run {
namespace {

constexpr Uuid kDatabase{1, 2};
constexpr RunId kRun{7};

// Time of this thread on its processor: a busy neighbour disturbs it less than it would a clock on the wall.
double now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// 20 bytes of user key, scattered but ordered by `i`, as a table of random inserts leaves them.
std::string key_of(uint64_t i) {
  char text[32];
  std::snprintf(text, sizeof text, "key%017" PRIu64, i * 7919);
  std::string key;
  kv::set_stored_key(key, KeyspaceId(0), text);
  return key;
}

struct Workload {
  uint64_t entry_count = 200'000;
  uint32_t value_bytes = 400;
  uint32_t block_bytes = kDefaultBlockBytes;
  std::vector<std::string> keys;
  std::string values;

  Bytes value(uint64_t i) const {
    return Bytes(values).substr(i * 61 % (values.size() - value_bytes), value_bytes);
  }
};

void report(const char* what, double ns, double count) {
  std::printf("  %-34s %9.1f ns\n", what, ns / count);
}

SharedBytes build(const Workload& work, Compression compression) {
  const auto bytes = std::make_shared<std::string>();
  bytes->reserve(work.entry_count * (work.value_bytes + 64) + (4 << 20));
  double best = 1e18;
  for (int round = 0; round < 3; ++round) {
    bytes->clear();
    const double start = now_ns();
    auto writer =
        Writer::create(std::make_unique<MemoryFile>(bytes),
                       {.compression = compression, .block_bytes = work.block_bytes}, kDatabase, kRun)
            .value();
    for (uint64_t i = 0; i < work.entry_count; ++i) {
      ASHLAR_CHECK(
          writer->add(work.keys[i], kv::make_trailer(Sequence(i + 1), kv::Kind::put), work.value(i)).ok());
    }
    ASHLAR_CHECK(writer->finish().ok());
    best = std::min(best, now_ns() - start);
  }
  report("build, per entry", best, static_cast<double>(work.entry_count));
  const double raw = static_cast<double>(work.entry_count) * (work.value_bytes + 24);
  std::printf("  %-34s %9.2f GB/s, file %.1f MB of %.1f\n", "build", raw / best,
              static_cast<double>(bytes->size()) / 1e6, raw / 1e6);
  return bytes;
}

std::shared_ptr<Reader> open(const SharedBytes& bytes, BlockCache* cache) {
  return Reader::open(std::make_unique<MemoryFile>(bytes), bytes->size(), kDatabase, kRun, cache).value();
}

// The keys asked for lie one behind the other: what is timed is the run, not the search for the question.
struct Questions {
  Questions(const Workload& work, uint64_t range, bool hit) {
    Prng prng(5);
    for (uint64_t i = 0; i < kCount; ++i) {
      bytes.append(work.keys[prng.below(range)]);
      if (!hit) bytes.back() = 'x';
    }
    key_bytes = work.keys[0].size();
  }
  Bytes key(uint64_t i) const { return Bytes(bytes).substr(i * key_bytes, key_bytes); }

  static constexpr uint64_t kCount = 300'000;
  size_t key_bytes;
  std::string bytes;
};

void gets(const char* what, const Reader& reader, const Workload& work, uint64_t range, bool hit) {
  const Questions questions(work, range, hit);
  double best = 1e18;
  for (int round = 0; round < 3; ++round) {
    Found found;
    uint64_t sum = 0;
    const double start = now_ns();
    for (uint64_t i = 0; i < Questions::kCount; ++i) {
      const Bytes key = questions.key(i);
      ASHLAR_CHECK(reader.get(key, Reader::hash_key(key), kMaxSequence, &found).ok());
      ASHLAR_CHECK(found.found == hit);
      if (hit) sum += static_cast<uint8_t>(found.value[0]) + found.value.size();
    }
    best = std::min(best, now_ns() - start);
    ASHLAR_CHECK(!hit || sum > 0);
  }
  report(what, best, Questions::kCount);
}

void scan(const char* what, const Reader& reader, const Workload& work, CacheUse use, bool forward) {
  double best = 1e18;
  for (int round = 0; round < 5; ++round) {
    uint64_t rows = 0;
    uint64_t sum = 0;
    const double start = now_ns();
    auto cursor = reader.cursor({.cache = use});
    if (forward) {
      for (cursor->seek_first(); cursor->valid(); cursor->next(), ++rows) {
        sum += cursor->key().size() + cursor->value().size() + static_cast<uint8_t>(cursor->value()[0]);
      }
    } else {
      for (cursor->seek_last(); cursor->valid(); cursor->previous(), ++rows) {
        sum += cursor->key().size() + cursor->value().size() + static_cast<uint8_t>(cursor->value()[0]);
      }
    }
    best = std::min(best, now_ns() - start);
    ASHLAR_CHECK(cursor->status().ok() && rows == work.entry_count && sum > 0);
  }
  report(what, best, static_cast<double>(work.entry_count));
}

void hashes(const Workload& work) {
  for (const bool portable : {false, true}) {
    set_aes_hash_way(portable ? AesHashWay::portable : AesHashWay::fastest);
    uint64_t sum = 0;
    const double start = now_ns();
    for (const auto& key : work.keys) sum += Reader::hash_key(key);
    report(portable ? "hash of a key, portable" : "hash of a key", now_ns() - start,
           static_cast<double>(work.keys.size()));
    ASHLAR_CHECK(sum != 0);
  }
  set_aes_hash_way(AesHashWay::fastest);
}

void run(const Workload& work) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  hashes(work);
  for (const Compression compression :
       {Compression::none, Compression::lz4, Compression::snappy, Compression::zstd}) {
    std::printf("%s, blocks of %u bytes\n", std::string(compression_name(compression)).c_str(),
                work.block_bytes);
    const SharedBytes bytes = build(work, compression);
    BlockCache large(uint64_t{1} << 30);
    BlockCache small(uint64_t{8} << 20);
    const auto cached = open(bytes, &large);
    const auto tight = open(bytes, &small);
    const auto uncached = open(bytes, nullptr);
    const double start = now_ns();
    ASHLAR_CHECK(open(bytes, nullptr) != nullptr);
    report("open", now_ns() - start, 1);
    scan("scan, cached", *cached, work, CacheUse::fill, true);
    scan("scan backwards, cached", *cached, work, CacheUse::fill, false);
    scan("scan, past the cache", *uncached, work, CacheUse::bypass, true);
    scan("scan, cache of 8 MiB", *tight, work, CacheUse::fill, true);
    gets("get hit, cached", *cached, work, work.entry_count, true);
    gets("get hit, cached, 1 % of the keys", *cached, work, work.entry_count / 100, true);
    gets("get miss", *cached, work, work.entry_count, false);
    gets("get hit, cache of 8 MiB", *tight, work, work.entry_count, true);
    const double verify_start = now_ns();
    ASHLAR_CHECK(cached->verify().ok());
    report("verify, per entry", now_ns() - verify_start, static_cast<double>(work.entry_count));
  }
}

}  // namespace
}  // namespace ashlar::run

int main(int argument_count, char** arguments) {
  ashlar::run::Workload work;
  if (argument_count > 1) work.entry_count = std::strtoull(arguments[1], nullptr, 10);
  if (argument_count > 2) work.value_bytes = static_cast<uint32_t>(std::strtoul(arguments[2], nullptr, 10));
  if (argument_count > 3) work.block_bytes = static_cast<uint32_t>(std::strtoul(arguments[3], nullptr, 10));
  ashlar::Prng prng(1);
  // Half noise, half repetition, so that compression has something to do.
  while (work.values.size() < (1 << 20)) {
    work.values.append(std::to_string(prng.next())).append("............................");
  }
  for (uint64_t i = 0; i < work.entry_count; ++i) work.keys.push_back(ashlar::run::key_of(i));
  ashlar::run::run(work);
}
