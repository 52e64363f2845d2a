// SPDX-License-Identifier: Apache-2.0
// The lives of a guarded job: how each ended, and whether and from where the next one begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/guarding.h"
#include "guard/guard.h"

namespace tidegauge::cli {

class Life {
 public:
  // Asks the guard what became of the job, and notes it in the recording.
  void end(const guard::Status& status, Guarding& guarding, Session* session);

  bool ended() const { return ending_.has_value(); }
  bool stopped_by_us() const { return ending_ && ending_->by_us; }
  // It was stopped or killed for its memory.
  bool ended_for_memory() const;
  const Saved& last_whole() const { return last_; }
  double peak_bytes() const { return ending_ ? ending_->peak_bytes : 0; }
  double seconds() const { return seconds_; }
  std::string words() const;  // lines for the end of the summary

 private:
  std::optional<guard::Ending> ending_{};
  guard::Culprit culprit_ = guard::Culprit::Itself;
  guard::Status status_{};
  Saved last_{};
  std::int64_t began_ns_ = now_ns();
  double seconds_ = 0;

  static std::int64_t now_ns();
};

class Lives {
 public:
  explicit Lives(const GuardOptions& options) : options_(options) {}

  // Whether another life follows this one. Says why not where one was wanted, and waits where lives
  // are short.
  bool goes_on(const Life& life);
  int count() const { return count_; }  // of the life that is to begin or runs
  const Saved& from() const { return from_; }
  std::vector<std::string> next_command(const std::vector<std::string>& command) const;

 private:
  GuardOptions options_;
  int count_ = 1;
  Saved from_{};
};

// 'it'\''s': one word for a shell.
std::string quoted_for_shell(const std::string& word);

// What a guard could do here, for --dry-run before anything runs.
int print_plan(const GuardOptions& options, std::optional<double> limit_bytes);

}  // namespace tidegauge::cli
