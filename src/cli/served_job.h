// SPDX-License-Identifier: Apache-2.0
// One of the jobs that `serve` shows: watched as by `watch`, or started as by `run`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/cause_finder.h"
#include "cli/options.h"
#include "cli/session.h"
#include "view/jobs.h"

namespace tidegauge::cli {

class JobMarks;

class ServedJob {
 public:
  struct Options {
    pid_t pid = 0;
    std::string command{};   // secrets masked
    std::string own_path{};  // of its recording
    SittingOptions sitting{};
    verdict::Rules rules{};
    JobMarks* marks = nullptr;  // of a job that we started; outlives it
    std::function<void(const std::string&)> warn{};
  };
  // `causes` was made before the job was, or at least looked at.
  static Result<ServedJob> begin(const Options& options, CauseFinder causes);
  ServedJob(ServedJob&&) noexcept;
  ServedJob& operator=(ServedJob&&) noexcept;
  ~ServedJob();

  pid_t pid() const;
  const std::string& key() const;  // "PID-START": the same for whoever watches this process
  bool ended() const;
  Session& session();
  std::int64_t wait_ns() const;  // until the next look; never negative
  // Looks if it is time; true if there is something new.
  bool look_if_due();
  // Nothing is left of it, or nobody wants to watch any longer: what it was is kept.
  void end();

  view::JobNow now() const;  // good until the next look
  std::string live() const;  // "tidegauge/live/1"

 private:
  struct State;
  explicit ServedJob(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::cli
