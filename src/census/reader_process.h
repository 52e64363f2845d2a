// SPDX-License-Identifier: Apache-2.0
// A process of ours that has no rights (census/confined.h) and reads the memory of another, which
// may hold anything. What it needs is opened before it begins; what it finds it says over a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "census/target.h"

namespace tidegauge::census {

// What is said on the line; its form is in census/wire.h.
enum class Word : std::uint32_t {
  // By the reader.
  Failed,   // why; it ends
  Counted,  // a census so far
  Done,     // a census; it ends
  Wishes,   // what to leave out of a copy
  Ready,    // to be asked
  Training,
  NoTraining,
  Remote,
  Layout,
  // To the reader.
  Copied,  // with the copy's memory and maps
  Ask,
};

struct Said {
  Word word = Word::Failed;
  std::string text{};
  std::vector<UniqueFd> files{};
};

// The reader's end.
class ReaderLine {
 public:
  explicit ReaderLine(int fd) : fd_(fd) {}
  // The reader ends where there is nobody to hear it.
  void say(Word word, std::string_view text = {}) const;
  std::optional<Said> hear() const;

 private:
  int fd_;
};

class ReaderProcess {
 public:
  // Does `work` in the new process with the target's descriptors alone. An exception that leaves
  // it is said to be a lack of memory.
  static Result<ReaderProcess> start(const Target& target,
                                     const std::function<void(const ReaderLine&)>& work);
  ReaderProcess(ReaderProcess&& other) noexcept;
  ReaderProcess& operator=(ReaderProcess&&) = delete;
  ~ReaderProcess();  // it ends

  pid_t pid() const { return pid_; }
  bool say(Word word, std::string_view text = {}, std::span<const int> files = {}) const;
  // The next that it says. Failed: it has ended, was stopped, or says what it must not; NoRoom: it
  // had too little memory. What it says failed is the error.
  Result<Said> hear(double patience_seconds) const;

 private:
  ReaderProcess(pid_t pid, pid_t target, UniqueFd line)
      : pid_(pid), target_(target), line_(std::move(line)) {}
  Error ended() const;

  pid_t pid_;
  pid_t target_;
  UniqueFd line_;
};

}  // namespace tidegauge::census
