// SPDX-License-Identifier: Apache-2.0
#include "cli/job_start.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "cli/allowance.h"
#include "cli/command.h"
#include "secrets/mask.h"

namespace tidegauge::cli {

namespace {

// What could not be had is added to `missing`.
std::unique_ptr<Helpers> helpers_for(const JobPlan& plan, const Allowance& allowed,
                                     std::vector<std::string>& missing) {
  std::optional<CensusServer> server;
  if (plan.census && allowed.census) {
    auto started = CensusServer::start(plan.keys);
    if (started) server.emplace(*std::move(started));
    if (!started) missing.push_back(words_of_no_census(started.error()));
  }
  auto helpers = std::make_unique<Helpers>(
      Helpers{JobMarks(plan.marks), CauseFinder(std::move(server), plan.steps)});
  if (const auto& why = helpers->marks.missing(); !why.empty()) {
    missing.push_back("the job cannot tell its steps: " + why);
  }
  if (!allowed.guard) return helpers;
  if (auto guarding =
          Guarding::begin(plan.guard, plan.limit_bytes,
                          {helpers->marks.page(), plan.quiet, secrets::masked_command(plan.command),
                           plan.census, plan.keys})) {
    helpers->guarding.emplace(*std::move(guarding));
  }
  return helpers;
}

std::unique_ptr<Helpers> no_helpers(const JobPlan& plan) {
  return std::make_unique<Helpers>(
      Helpers{JobMarks({.channel = false, .guess = false}), CauseFinder(std::nullopt, plan.steps)});
}

Result<guard::Job> launch(const JobPlan& plan, const Helpers& helpers, bool companion) {
  const auto& guarding = helpers.guarding;
  return guard::Job::start({.arguments = plan.command,
                            .environment = plan.environment(helpers.marks),
                            .tap_terminal = helpers.marks.wants_terminal(),
                            .companion = companion,
                            .stops_are_short = guarding && guarding->guard().means().halt,
                            .groups = guarding ? guarding->groups() : std::vector<int>{}});
}

Error too_little(const std::exception& error) {
  return {Reason::Failed, fmt::format("{} (ulimit -v -d -u, pids.max)", error.what())};
}

// Not the command is at fault.
bool is_our_own(const Error& error) {
  return error.reason == Reason::Failed;
}

Result<StartedJob> start_with_helpers(const JobPlan& plan, const Allowance& allowed) {
  try {
    std::vector<std::string> missing;
    auto helpers = helpers_for(plan, allowed, missing);
    auto job = launch(plan, *helpers, true);
    if (!job) return job.error();
    for (const auto& words : missing) fail("run", kCouldNotLook, words);
    return StartedJob{.helpers = std::move(helpers), .job = *std::move(job)};
  } catch (const std::exception& error) {
    return too_little(error);
  }
}

// The place of a process that has ended comes free a moment later.
Result<StartedJob> start_alone(const JobPlan& plan, const Allowance& allowed) {
  constexpr int kTries = 30;
  constexpr timespec kMoment{0, 10'000'000};
  try {
    auto nobody = no_helpers(plan);
    auto job = launch(plan, *nobody, false);
    for (int i = 1; i < kTries && !job && is_our_own(job.error()); ++i) {
      ::nanosleep(&kMoment, nullptr);
      job = launch(plan, *nobody, false);
    }
    if (!job) return job.error();
    return StartedJob{
        .helpers = std::move(nobody), .job = *std::move(job), .watched = allowed.watch};
  } catch (const std::exception& error) {
    return too_little(error);
  }
}

[[noreturn]] void take_its_place(const JobPlan& plan, const Error& why) {
  fail("run", kCouldNotLook, "the job runs in our place, unwatched: " + why.what);
  for (const auto& [name, value] : plan.environment(JobMarks({.channel = false, .guess = false}))) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  const auto refused = guard::become_job(plan.command);
  fail("run", kCouldNotLook, refused.what);
  std::exit(guard::exit_code_for(refused));
}

}  // namespace

void wait_for_helpers() {
  constexpr int kTries = 100;
  constexpr timespec kMoment{0, 1'000'000};
  for (int i = 0; i < kTries; ++i) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return;
    if (ended == 0) ::nanosleep(&kMoment, nullptr);
  }
}

Result<StartedJob> start_job(const JobPlan& plan) {
  const auto allowed = allowance_now();
  tell_of_what_is_left_out("run", allowed, plan.census, plan.guard.on);
  auto why = "the job runs unwatched: " + allowed.why;
  if (allowed.watch) {
    auto started = start_with_helpers(plan, allowed);
    if (started || !is_our_own(started.error())) return started;
    why = "no guard, no census and no steps: " + started.error().what;
    wait_for_helpers();
  }
  auto started = start_alone(plan, allowed);
  if (!started && is_our_own(started.error())) take_its_place(plan, started.error());
  if (started) fail("run", kCouldNotLook, why);
  return started;
}

}  // namespace tidegauge::cli
