// The last things a run did, kept as numbers and turned into text only when somebody asks.
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace ashlar::simulation {

// Thrown by the checks of a run; never through engine code.
struct Failure {
  std::string text;
};
[[noreturn]] inline void fail(std::string text) { throw Failure{std::move(text)}; }

class Trace {
 public:
  explicit Trace(bool verbose) : verbose_(verbose) {}

  // `what` is a literal with up to three %llu.
  void note(const char* what, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    const Entry entry{what, step_, a, b, c};
    entries_[count_++ % kKept] = entry;
    if (verbose_) std::fprintf(stderr, "%s\n", text(entry).c_str());
  }
  void set_step(uint64_t step) { step_ = step; }
  uint64_t step() const { return step_; }

  // Oldest first, one line each.
  std::string tail() const {
    std::string out;
    for (uint64_t i = count_ > kKept ? count_ - kKept : 0; i < count_; ++i)
      out += "  " + text(entries_[i % kKept]) + "\n";
    return out;
  }

 private:
  static constexpr uint64_t kKept = 48;
  struct Entry {
    const char* what;
    uint64_t step, a, b, c;
  };
  static std::string text(const Entry& entry) {
    char line[256];
    int at = std::snprintf(line, sizeof line, "%6llu  ", static_cast<unsigned long long>(entry.step));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    std::snprintf(line + at, sizeof line - static_cast<size_t>(at), entry.what,
                  static_cast<unsigned long long>(entry.a), static_cast<unsigned long long>(entry.b),
                  static_cast<unsigned long long>(entry.c));
#pragma GCC diagnostic pop
    return line;
  }

  bool verbose_;
  uint64_t step_ = 0;
  uint64_t count_ = 0;
  std::array<Entry, kKept> entries_{};
};

}  // namespace ashlar::simulation
