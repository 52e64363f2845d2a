// SPDX-License-Identifier: Apache-2.0
// Whom the kernel killed for lack of memory where the job is: one of the job, or somebody else in
// its cgroup or in one above. Decided while the recording is read, and kept. Bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"

namespace tidegauge::view {

// A process of the job has ended.
struct End {
  double at = 0;  // when that was noticed
  pid_t pid = 0;
  std::string name{};              // as it is shown; empty: not known
  std::optional<double> status{};  // as a shell says it
  bool largest = false;            // no other process of the job held more
};

// What ran out: a cgroup with a limit, or the machine's memory.
struct RanOut {
  std::optional<std::uint64_t> limit_bytes{};  // empty: the machine's
};

// The last of its kind.
struct Kill {
  double at = 0;
  std::uint64_t times = 0;  // moments, up to this one
  std::string group{};      // the innermost that has counted it
  bool own_group = true;    // that is the job's own, and not one above it
  std::optional<RanOut> ran_out{};
  // Of the job's who ended then: how well that fits, how many fit as well, and the first of them.
  enum class Fit { None, EndedLater, EndedThen, DiedOfIt };
  Fit fit = Fit::None;
  std::size_t fitting = 0;
  End victim{};
};

class OomKills {
 public:
  // Where the job is, and what is left there.
  void look(const record::Sample& sample);
  // Events come before the sample of the look that has found them.
  void add_kill(const record::Event& event);
  void add_end(End end);

  // The last that has cost the job a process.
  const std::optional<Kill>& of_job() const { return of_job_; }
  // The last of which that is not known. Says nothing new where there was one of the job.
  const std::optional<Kill>& of_others() const { return of_others_; }
  // Grows with all that there is to be told.
  std::uint64_t news() const { return news_; }

 private:
  Kill::Fit fit_of(const Kill& kill, const End& end) const;
  bool take(Kill& kill, const End& end) const;  // whether it fits as well as any before

  std::optional<Kill> of_job_{};
  std::optional<Kill> of_others_{};
  std::uint64_t news_ = 0;
  // Of this look. Nobody ends before it is counted as killed, and whoever has ended makes all
  // counts be read.
  std::vector<End> ends_{};
  double looked_at_ = 0;     // the last sample
  std::string own_group_{};  // empty: not known
  bool alone_ = false;       // nobody but the job is in it
  std::optional<RanOut> least_left_{};
  std::optional<double> told_at_{};
};

}  // namespace tidegauge::view
