// SPDX-License-Identifier: Apache-2.0
// Reports of recordings for the live page, each made in a process of its own: without rights,
// bounded in time and memory, and none waits for another.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "verdict/verdict.h"

namespace tidegauge::cli {

class ReportMaker {
 public:
  enum class Outcome {
    Made,
    NotThere,
    NoRecording,  // or one that makes no sense
    TooMuch,      // it took too long, or too much memory, and was ended
    Busy,         // too many are being made, or this one already is
    Failed,
  };
  struct Made {
    Outcome outcome = Outcome::Failed;
    std::string text{};  // the report, if it was made; why not, if it failed
  };

  static constexpr unsigned kMostSeconds = 60;
  static constexpr std::uint64_t kMostBytes = 1 << 30;  // of memory
  static constexpr std::size_t kAtOnce = 4;
  static constexpr std::size_t kMostWaiting = 4;

  // To be called while there is one thread: another process forks those that make reports, since
  // one with threads cannot. `not_theirs` is a descriptor of ours that they do not keep.
  static Result<ReportMaker> start(const verdict::Rules& rules, int not_theirs);
  ReportMaker(ReportMaker&& other) noexcept : line_(std::move(other.line_)) {}

  // Of the recording at `path`, as a page or as a document. A link is not followed. Called by
  // several threads.
  Made make(const std::string& path, bool as_page);

 private:
  explicit ReportMaker(UniqueFd line) : line_(std::move(line)) {}
  bool begin(const std::string& path);
  void end(const std::string& path);
  Made ask_for(const std::string& path, bool as_page) const;

  UniqueFd line_;
  std::mutex mutex_{};
  std::condition_variable ended_{};
  std::set<std::string> making_{};
  std::size_t waiting_ = 0;
};

}  // namespace tidegauge::cli
