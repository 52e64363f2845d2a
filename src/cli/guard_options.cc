// SPDX-License-Identifier: Apache-2.0
#include "cli/guard_options.h"

#include "base/text.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/options.h"

namespace tidegauge::cli {

namespace {

constexpr int kRestarts = 10;

void add_seconds(CommandLine& app, const std::string& name, double& seconds,
                 const std::string& help) {
  const auto take = [&seconds](const std::string& text) -> std::string {
    const auto value = parse_duration(text);
    if (!value) return "'" + text + "' is no time like 10m or 1h30m";
    seconds = *value;
    return {};
  };
  app.add_parsed(name, take, help)->type_name("TIME");
}

}  // namespace

void add_guard(CommandLine& app, GuardOptions& options, std::vector<std::string>& without) {
  app.add_flag("--guard", options.on,
               "keep the job from being killed for its memory: ask it to save, let it end in time");
  app.add_flag("--dry-run", options.dry_run, "say what the guard would do, and do nothing");
  app.add_option("--guard-without", without, "leave out: ask, stop, kill, lend")
      ->delimiter(',')
      ->type_name("RUNGS");
  add_bytes(app, "--lend", options.settings.lend_bytes,
            "memory beyond --limit for the rest of a step and a save [a quarter, 256MiB at least]");
  add_bytes(app, "--reserve", options.settings.reserve_bytes,
            "how far below the limit the guard acts, instead of what it reckons");
  add_seconds(app, "--ask-every", options.settings.ask_every_seconds,
              "least time between two requests for a checkpoint [1m]");
  add_seconds(app, "--save-time", options.settings.save_seconds,
              "how long a checkpoint may take [5m]");
  add_seconds(app, "--grace", options.settings.grace_seconds,
              "time to end after a save, and again after SIGTERM [30s]");
  app.add_option("--notify", options.notify,
                 "shell command to run for each thing the guard does; $TIDEGAUGE_NEWS says what")
      ->type_name("COMMAND");
}

void add_restart(CommandLine& app, GuardOptions& options) {
  app.add_flag("--restart-on-limit{10}", options.restarts,
               "start the job again from its last whole checkpoint, up to 10 times, or =N times")
      ->positive();
  app.add_option("--resume-with", options.resume_with,
                 "shell command that goes on from {checkpoint}; otherwise the same command, with "
                 "$TIDEGAUGE_RESUME")
      ->type_name("COMMAND");
}

std::string finish(GuardOptions& options, const std::vector<std::string>& without) {
  auto& settings = options.settings;
  for (const auto& rung : without) {
    if (rung == "ask") {
      settings.ask = false;
    } else if (rung == "stop") {
      settings.stop = false;
    } else if (rung == "kill") {
      settings.kill = false;
    } else if (rung == "lend") {
      settings.lend = false;
    } else {
      return "--guard-without: there is no '" + printable(rung) + "': ask, stop, kill or lend";
    }
  }
  const bool restart = options.restarts > 0 || !options.resume_with.empty();
  if (restart && !options.on) return "restarting is the guard's business: add --guard";
  if (!options.resume_with.empty() && options.restarts == 0) options.restarts = kRestarts;
  if (!options.resume_with.empty() &&
      options.resume_with.find("{checkpoint}") == std::string::npos) {
    return "--resume-with: where does {checkpoint} go?";
  }
  return {};
}

}  // namespace tidegauge::cli
