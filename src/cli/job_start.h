// SPDX-License-Identifier: Apache-2.0
// Starts the job of `run` with as much beside it as our resource limits allow. The job comes first:
// whatever else cannot be had, it begins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/cause_finder.h"
#include "cli/guard_options.h"
#include "cli/guarding.h"
#include "cli/job_marks.h"
#include "guard/supervise.h"
#include "secrets/shown.h"

namespace tidegauge::cli {

// What a session hears from besides the kernel.
struct Helpers {
  JobMarks marks;
  CauseFinder causes;
  std::optional<Guarding> guarding{};
};

struct JobPlan {
  const std::vector<std::string>& command;
  JobMarks::Options marks{};
  bool census = true;
  secrets::Keys keys = secrets::Keys::WithoutData;  // that a census shows
  CauseFinder::Steps steps = CauseFinder::Steps::ReadFromOutside;
  const GuardOptions& guard;
  double limit_bytes = 0;  // of the job; 0: none was given
  bool quiet = false;
  // What the job gets into its environment if it may speak to these marks.
  std::function<std::vector<std::pair<std::string, std::string>>(const JobMarks&)> environment{};
};

struct StartedJob {
  std::unique_ptr<Helpers> helpers;
  guard::Job job;
  bool watched = true;  // false: there is too little for that
};

// What is left out is said. An error says why the command cannot be executed
// (guard::exit_code_for). Where we lack what it takes to start a process, this process becomes the
// command and nothing returns.
Result<StartedJob> start_job(const JobPlan& plan);

// For those of ours that were told to end, a tenth of a second at most: what the job has left may
// be our child, too. Where nobody reaps orphans, as in many containers, they would stay as zombies;
// and they take the place of a job that has none.
void wait_for_helpers();

}  // namespace tidegauge::cli
