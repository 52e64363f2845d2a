// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "base/units.h"
#include "cli/exit_codes.h"

namespace tidegauge::cli {

namespace {

// A limit that is more likely reached than not calls for action, whatever the growth is called.
constexpr double kLikely = 0.5;

// Shorter intervals cost the watched machine more than they tell.
constexpr double kShortestInterval = 0.02;

bool calls_for_action(const verdict::Verdict& verdict) {
  if (verdict.klass == verdict::Class::Leak) return true;
  if (verdict.klass == verdict::Class::Undecided) return false;  // "wait" is no alarm
  return verdict.forecast && verdict.forecast->probability > kLikely;
}

void add_bar(CLI::App& app, const char* name, double& bar, const char* what) {
  app.add_option(name, bar, what)
      ->check(CLI::Range(0.5, 0.999))
      ->capture_default_str()
      ->type_name("P");
}

}  // namespace

CLI::Option* add_bytes(CLI::App& app, const std::string& name, std::optional<double>& bytes,
                       const std::string& help) {
  const auto take = [&bytes, name](const std::string& text) {
    const auto value = parse_bytes(text);
    if (!value) throw CLI::ValidationError(name, "'" + text + "' is no size like 32GB or 1.5GiB");
    bytes = static_cast<double>(*value);
  };
  return app.add_option_function<std::string>(name, take, help)->type_name("SIZE");
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<double>& seconds,
                          const std::string& help) {
  const auto take = [&seconds, name](const std::string& text) {
    seconds = parse_duration(text);
    if (!seconds) throw CLI::ValidationError(name, "'" + text + "' is no time like 10m or 1h30m");
  };
  return app.add_option_function<std::string>(name, take, help)->type_name("TIME");
}

void add_rules(CLI::App& app, verdict::Rules& rules) {
  add_bytes(app, "--limit", rules.limit_bytes,
            "memory that may be used; otherwise the limit that binds (cgroup, RAM)");
  app.add_option("--leak-prior", rules.leak_prior,
                 "how likely a leak is before anything was measured")
      ->check(CLI::Range(0.01, 0.99))
      ->capture_default_str()
      ->type_name("P");
  const auto take_warm_up = [&rules](const std::string& text) {
    const auto seconds = parse_duration(text);
    if (!seconds || *seconds <= 0) {
      throw CLI::ValidationError("--longest-warm-up", "'" + text + "' is no time like 40m");
    }
    rules.longest_warm_up_minutes = *seconds / 60;
  };
  app.add_option_function<std::string>(
         "--longest-warm-up", take_warm_up,
         "how long growth may go on in a straight line and still end by itself [40m]")
      ->type_name("TIME");
  add_bar(app, "--leak-from", rules.finished_bar,
          "probability from which a finished recording is called a leak");
  add_bar(app, "--alarm-from", rules.alarm_bar,
          "the same while watching, which looks again and again");
  app.add_option("--steps-per-epoch", rules.steps_per_epoch,
                 "optimizer steps in one pass over the data, where the job does not say")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

std::string no_process_id(const std::string& word) {
  const auto pid = to_number<pid_t>(word);
  return pid && *pid > 0 ? "" : "'" + word + "' is no process id";
}

void add_sitting(CLI::App& app, SittingOptions& sitting) {
  add_duration(app, "--interval", sitting.interval_seconds, "time between two looks [1s]")
      ->check([](const std::string& text) {
        const auto seconds = parse_duration(text);
        return seconds && *seconds < kShortestInterval ? "an interval is at least 20ms" : "";
      });
  add_duration(app, "--for", sitting.for_seconds, "stop watching after this time");
  app.add_flag("--until-decided", sitting.until_decided, "stop watching when the verdict is known");
  auto* record = app.add_option("--record", sitting.record_path, "where to keep the recording")
                     ->type_name("FILE");
  app.add_flag("--no-record", sitting.no_record, "keep no recording")->excludes(record);
  app.add_flag("--no-census", sitting.no_census, "do not look into a Python process that grows");
  app.add_flag("-q,--quiet", sitting.quiet, "say nothing at the end but errors");
}

int exit_code_of(const verdict::Verdicts& verdicts) {
  const bool wanted = !verdicts.all.empty() && calls_for_action(verdicts.all.front());
  return wanted ? kCallsForAction : kNothingWrong;
}

}  // namespace tidegauge::cli
