// SPDX-License-Identifier: Apache-2.0
#include "cli/guard_options.h"

#include "base/text.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/guard_config.h"
#include "cli/job_environment.h"
#include "cli/options.h"
#include "serve/http.h"

namespace tidegauge::cli {

namespace {

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

// Completes the options; what is wrong with them, empty: nothing.
std::string finish(GuardOptions& options) {
  auto& settings = options.settings;
  for (const auto& rung : options.without) {
    if (rung == "ask") {
      settings.ask = false;
    } else if (rung == "stop") {
      settings.stop = false;
    } else if (rung == "kill") {
      settings.kill = false;
    } else if (rung == "lend") {
      settings.lend = false;
    } else if (rung == "look") {
      settings.evidence = false;
    } else {
      return "--guard-without: there is no '" + printable(rung) +
             "': look, ask, stop, kill or lend";
    }
  }
  const bool again = !options.resume_with.empty() || settings.chunk_seconds;
  if ((again || options.restarts > 0) && !options.on) {
    return "restarting is the guard's business: add --guard";
  }
  if (again && options.restarts == 0) options.restarts = kUsualRestarts;
  // A frozen job is thawed by the twin after 10 seconds, whatever for it was frozen.
  constexpr double kLongestLook = 5;
  if (settings.evidence_seconds > kLongestLook) return "--look-time: 5s at most";
  if (settings.chunk_seconds && *settings.chunk_seconds <= 0) return "--chunk: no time at all?";
  if (!options.webhook.empty() && !options.webhook.starts_with("http://") &&
      !options.webhook.starts_with("https://")) {
    return "--webhook: a URL begins with http:// or https://";
  }
  if (!options.webhook.empty() && library_path(serve::kLibrary).empty()) {
    return "--webhook: this tidegauge was built without it (cpp-httplib was missing)";
  }
  if (!options.resume_with.empty() &&
      options.resume_with.find("{checkpoint}") == std::string::npos) {
    return "--resume-with: where does {checkpoint} go?";
  }
  return {};
}

}  // namespace

void add_guard(CommandLine& app, GuardOptions& options) {
  app.add_flag("--guard", options.on,
               "keep the job from being killed for its memory: ask it to save, let it end in time");
  app.add_flag("--dry-run", options.dry_run, "say what the guard would do, and do nothing");
  app.add_option("--guard-without", options.without, "leave out: look, ask, stop, kill, lend")
      ->delimiter(',')
      ->type_name("RUNGS");
  add_bytes(app, "--lend", options.settings.lend_bytes,
            "memory beyond --limit for the rest of a step and a save [a quarter, 256MiB at least]");
  add_bytes(app, "--reserve", options.settings.reserve_bytes,
            "how far below the limit the guard acts, instead of what it reckons");
  add_seconds(app, "--look-time", options.settings.evidence_seconds,
              "how long it may stand still for a look at what piles up in it, 5s at most [2s]");
  add_seconds(app, "--ask-every", options.settings.ask_every_seconds,
              "least time between two requests for a checkpoint [1m]");
  add_seconds(app, "--save-time", options.settings.save_seconds,
              "how long a checkpoint may take [5m]");
  add_seconds(app, "--grace", options.settings.grace_seconds,
              "time to end after a save, and again after SIGTERM [30s]");
  app.add_option("--notify", options.notify,
                 "shell command to run for each thing the guard does; $TIDEGAUGE_NEWS says what")
      ->type_name("COMMAND");
  app.add_option("--webhook", options.webhook,
                 "send each thing the guard does there, as JSON by POST, within 10 seconds")
      ->type_name("URL");
  app.add_flag("--desktop", options.desktop, "tell the desktop, too (notify-send)");
  app.add_option("--guard-config", options.config,
                 "take all of this from a TOML file, and turn the guard on; words go before it")
      ->type_name("FILE");
}

void add_restart(CommandLine& app, GuardOptions& options) {
  app.add_flag("--restart-on-limit{10}", options.restarts,
               "start the job again from its last whole checkpoint, up to 10 times, or =N times")
      ->positive();
  app.add_option("--resume-with", options.resume_with,
                 "shell command that goes on from {checkpoint}; otherwise the same command, with "
                 "$TIDEGAUGE_RESUME")
      ->type_name("COMMAND");
  add_duration(app, "--chunk", options.settings.chunk_seconds,
               "let the job save and end after this long, and start it again from there");
}

std::optional<int> parse_guarded(CommandLine& app, Words words, std::string_view command,
                                 GuardOptions& options) {
  if (const auto code = app.parse(words)) return code;
  if (!options.config.empty()) {
    auto file = read_guard_config(options.config);
    if (!file) return fail(command, exit_code_of(file.error()), file.error().what);
    options = *std::move(file);
    // Once more, over what the file says.
    if (const auto code = app.parse(words)) return code;
    options.on = true;
  }
  if (const auto wrong = finish(options); !wrong.empty()) return fail(command, kWrongUse, wrong);
  return {};
}

}  // namespace tidegauge::cli
