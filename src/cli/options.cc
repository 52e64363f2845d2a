// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include "base/text.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "view/kills.h"

namespace tidegauge::cli {

namespace {

// A limit that is more likely reached than not calls for action, whatever the growth is called.
constexpr double kLikely = 0.5;

// Shorter intervals cost the watched machine more than they tell.
constexpr double kShortestInterval = 0.02;

bool calls_for_action(const verdict::Verdict& verdict) {
  if (verdict.klass == verdict::Class::Leak || limit_passed(verdict)) return true;
  if (verdict.klass == verdict::Class::Undecided) return false;  // "wait" is no alarm
  return verdict.forecast && verdict.forecast->probability > kLikely;
}

void add_bar(CommandLine& app, const char* name, double& bar, const char* what) {
  app.add_option(name, bar, what)->within(0.5, 0.999)->show_default()->type_name("P");
}

}  // namespace

CommandOption* add_bytes(CommandLine& app, const std::string& name, std::optional<double>& bytes,
                         const std::string& help) {
  const auto take = [&bytes](const std::string& text) -> std::string {
    const auto value = parse_bytes(text);
    if (!value) return "'" + text + "' is no size like 32GB or 1.5GiB";
    bytes = static_cast<double>(*value);
    return {};
  };
  return app.add_parsed(name, take, help)->type_name("SIZE");
}

CommandOption* add_duration(CommandLine& app, const std::string& name,
                            std::optional<double>& seconds, const std::string& help) {
  const auto take = [&seconds](const std::string& text) {
    seconds = parse_duration(text);
    return seconds ? std::string() : "'" + text + "' is no time like 10m or 1h30m";
  };
  return app.add_parsed(name, take, help)->type_name("TIME");
}

void add_rules(CommandLine& app, verdict::Rules& rules) {
  add_bytes(app, "--limit", rules.limit_bytes,
            "memory that may be used; otherwise the limit that binds (cgroup, RAM)")
      ->check([](const std::string& text) {
        return parse_bytes(text) == 0 ? "a limit is more than 0" : "";
      });
  app.add_option("--leak-prior", rules.leak_prior,
                 "how likely a leak is before anything was measured")
      ->within(0.01, 0.99)
      ->show_default()
      ->type_name("P");
  const auto take_warm_up = [&rules](const std::string& text) -> std::string {
    const auto seconds = parse_duration(text);
    if (!seconds || *seconds <= 0) return "'" + text + "' is no time like 40m";
    rules.longest_warm_up_minutes = *seconds / 60;
    return {};
  };
  app.add_parsed("--longest-warm-up", take_warm_up,
                 "how long growth may go on in a straight line and still end by itself [40m]")
      ->type_name("TIME");
  add_bar(app, "--leak-from", rules.finished_bar,
          "probability from which a finished recording is called a leak");
  add_bar(app, "--alarm-from", rules.alarm_bar,
          "the same while watching, which looks again and again");
  app.add_option("--steps-per-epoch", rules.steps_per_epoch,
                 "optimizer steps in one pass over the data, where the job does not say")
      ->positive()
      ->type_name("N");
}

std::string no_process_id(const std::string& word) {
  const auto pid = to_number<pid_t>(word);
  return pid && *pid > 0 ? "" : "'" + word + "' is no process id";
}

void add_show_keys(CommandLine& app, bool& show_keys) {
  app.add_flag("--show-keys", show_keys,
               "name dict keys that look like data (known secrets stay masked)");
}

void add_sitting(CommandLine& app, SittingOptions& sitting) {
  add_duration(app, "--interval", sitting.interval_seconds, "time between two looks [1s]")
      ->check([](const std::string& text) {
        const auto seconds = parse_duration(text);
        return seconds && *seconds < kShortestInterval ? "an interval is at least 20ms" : "";
      });
  add_duration(app, "--for", sitting.for_seconds, "stop watching after this time");
  app.add_flag("--until-decided", sitting.until_decided,
               "stop watching when the verdict is known; only a leak is within the first minute");
  auto* record = app.add_option("--record", sitting.record_path, "where to keep the recording")
                     ->type_name("FILE")
                     ->check(no_file_name);
  app.add_flag("--no-record", sitting.no_record, "keep no recording")->excludes(record);
  app.add_flag("--no-census", sitting.no_census, "do not look into a Python process that grows");
  add_show_keys(app, sitting.show_keys);
  app.add_flag("-q,--quiet", sitting.quiet, "say nothing at the end but errors");
}

int exit_code_of(const verdict::Verdicts& verdicts, const view::Accounts& accounts) {
  const bool wanted = !verdicts.all.empty() && calls_for_action(verdicts.all.front());
  return wanted || view::job_was_killed(accounts) ? kCallsForAction : kNothingWrong;
}

std::string no_file_name(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return "";
  return "'" + word + "' looks like an option; a file of that name is './" + word + "'";
}

}  // namespace tidegauge::cli
