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
  void end(const guard::Job& job, Guarding& guarding, Session* session);

  bool ended() const { return ending_.has_value(); }
  bool stopped_by_us() const { return ending_ && ending_->by_us; }
  // Because its time was up.
  bool stopped_for_time() const { return stopped_by_us() && ending_->for_time; }
  // It ended well after a SIGTERM that was not ours: it is not done.
  bool stopped_from_outside() const { return culprit_ == guard::Culprit::Outside; }
  // It was stopped or killed for its memory.
  bool ended_for_memory() const;
  const Saved& last_whole() const { return last_; }
  double peak_bytes() const { return ending_ ? ending_->peak_bytes : 0; }
  double bytes_per_minute() const { return bytes_per_minute_; }  // 0: did not grow
  double seconds() const { return seconds_; }
  std::string words() const;  // lines for the end of the summary

 private:
  std::optional<guard::Ending> ending_{};
  guard::Culprit culprit_ = guard::Culprit::Itself;
  guard::Status status_{};
  Saved last_{};
  std::int64_t began_ns_ = now_ns();
  double seconds_ = 0;
  double bytes_per_minute_ = 0;

  static std::int64_t now_ns();
  void look_for_other_killers(const Guarding& guarding);
  std::string how() const;

  std::string line_{};  // of the journal that says who did it
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
  int for_memory_ = 0;  // that ended for that reason, and were followed by another
  Saved from_{};
};

// 'it'\''s': one word for a shell.
std::string quoted_for_shell(const std::string& word);

// What a guard could do here, for --dry-run before anything runs.
int print_plan(const GuardOptions& options, std::optional<double> limit_bytes);

}  // namespace tidegauge::cli
