// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "guard/policy.h"

namespace tidegauge::cli {

class CommandLine;

// How often a job is started again if nobody says how often.
inline constexpr int kUsualRestarts = 10;

struct GuardOptions {
  bool on = false;
  bool dry_run = false;
  guard::Settings settings{};
  std::vector<std::string> without{};  // rungs
  std::string config{};                // a file that says the rest
  std::string notify{};                // a shell command
  std::string webhook{};               // a URL; it may hold a secret, so it is never shown
  bool desktop = false;
  int restarts = 0;  // at most
  std::string resume_with{};
};

// --guard and what goes with it, for an `app` that is to be parsed with parse_guarded().
void add_guard(CommandLine& app, GuardOptions& options);
void add_restart(CommandLine& app, GuardOptions& options);

// Like parse(), with what the file says under what the words say.
std::optional<int> parse_guarded(CommandLine& app, Words words, std::string_view command,
                                 GuardOptions& options);

}  // namespace tidegauge::cli
