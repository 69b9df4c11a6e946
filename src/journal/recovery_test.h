// A journal without anything above it, for the tests of recovery.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "io/sim/world.h"
#include "journal/recovery.h"

namespace ashlar::journal {

inline constexpr Uuid kDatabase{11, 22};
inline constexpr uint64_t kCapacity = 32 * 1024;

using io::sim::Survival;
using io::sim::World;

// A journal without anything above it: frames hold plain text, and recovery collects it.
class Journal {
 public:
  explicit Journal(World& world, Medium medium = Medium::mapped) : world_(world), medium_(medium) { open(); }

  void open() {
    directory_ = world_.open_directory("db", io::CreateMode::create_if_missing).value();
    pool_ = std::make_unique<Pool>(*directory_, kDatabase, world_.boot_id(),
                                   Pool::Options{medium_, kCapacity, false});
  }
  Segment& start_segment() {
    segments_.push_back(pool_->prepare(SegmentId(next_id_++), kCapacity).value());
    return *segments_.back();
  }
  Segment& segment() { return *segments_.back(); }
  // Appends one frame of one mutation and acknowledges it as the medium does.
  void append(const std::string& text, uint8_t flags = 0) {
    Segment& to = segment();
    const uint64_t from = to.tail();
    std::memcpy(to.tail_data() + kFrameHeaderBytes, text.data(), text.size());
    if (medium_ == Medium::written) flags |= kEndsBlock;
    to.append_frame(static_cast<uint32_t>(text.size()), 1, Sequence(next_sequence_++), Sequence(durable_),
                    flags);
    if (medium_ == Medium::mapped) to.store_cursor();
    if (medium_ == Medium::written) {
      ASSERT_TRUE(to.persist(from).ok());
    }
  }
  void renumber(uint64_t next_sequence) { next_sequence_ = next_sequence; }
  void watermark() {
    segment().append_frame(0, 0, Sequence(next_sequence_), Sequence(durable_), 0);
    segment().store_cursor();
  }
  void sync() {
    for (auto& segment : segments_) ASSERT_TRUE(segment->sync().ok());
    durable_ = next_sequence_ - 1;
  }
  void lose_handles() {
    segments_.clear();
    pool_.reset();
    directory_.reset();
  }
  // Recovers; what was applied, or the error.
  Result<std::string> recover() {
    open();
    std::string applied;
    const ApplyFrame apply = [&](size_t, Segment&, const Frame& frame) {
      applied += std::string(frame.body) + (frame.mutations > 0 ? " " : "");
      return ok_status();
    };
    const RecoveryInput input{SegmentId(1), Sequence(0), true, false};
    const std::vector<std::string> names = directory_->list().value();
    Result<RecoveryOutcome> outcome =
        journal::recover(*pool_, *directory_, world_.boot_id(), names, input, apply);
    if (!outcome.ok()) return std::move(outcome).status();
    last = std::move(outcome).value();
    return applied;
  }
  // Goes on where recovery left off.
  void adopt() {
    segments_ = std::move(last.segments);
    next_sequence_ = last.last.value + 1;
    next_id_ = last.next_id.value;
    durable_ = last.durable.value;
    ASSERT_TRUE(segment().begin_life(world_.boot_id()).ok());
    for (auto& empty : last.empty) {
      ASSERT_TRUE(pool_->recycle(std::move(empty), SegmentId(next_id_++)).ok());
    }
    last.empty.clear();
  }

  RecoveryOutcome last;

 private:
  World& world_;
  const Medium medium_;
  std::unique_ptr<io::Directory> directory_;
  std::unique_ptr<Pool> pool_;
  std::vector<std::unique_ptr<Segment>> segments_;
  uint64_t next_id_ = 1;
  uint64_t next_sequence_ = 1;
  uint64_t durable_ = 0;
};

inline void flip(World& world, const std::string& path, uint64_t offset) {
  std::string bytes = world.read_file(path).value();
  bytes[offset] = static_cast<char>(bytes[offset] ^ 0x10);
  world.replace_file(path, bytes);
}

}  // namespace ashlar::journal
