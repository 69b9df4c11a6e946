// Pin: keeps the memory of a block alive, and with it every key and value viewed in it.
//
// Pins are counted in the block itself; taking or dropping one is an atomic addition, never an allocation. A pin
// outlives the reader and the cache it came from. Threads: a Pin is a value of one thread; the block behind it may be
// pinned by many.
#pragma once

#include <utility>

namespace ashlar::run {

class Block;

class Pin {
 public:
  Pin() noexcept = default;
  // Adopts one reference that the caller holds.
  explicit Pin(Block* block) noexcept : block_(block) {}
  Pin(Pin&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Pin& operator=(Pin&& other) noexcept {
    if (this != &other) {
      reset();
      block_ = std::exchange(other.block_, nullptr);
    }
    return *this;
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() { reset(); }

  explicit operator bool() const noexcept { return block_ != nullptr; }
  // What is in it does not change any more once a second pin of it exists.
  Block* block() const noexcept { return block_; }
  // One more pin of the same block.
  Pin share() const noexcept;
  void reset() noexcept {
    if (block_ != nullptr) release();
  }
  // Gives the reference up to the caller.
  Block* take() noexcept { return std::exchange(block_, nullptr); }

 private:
  void release() noexcept;
  Block* block_ = nullptr;
};

}  // namespace ashlar::run
