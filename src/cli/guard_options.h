// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "guard/policy.h"

namespace tidegauge::cli {

class CommandLine;

struct GuardOptions {
  bool on = false;
  bool dry_run = false;
  guard::Settings settings{};
  std::string notify{};  // a shell command
  int restarts = 0;      // at most
  std::string resume_with{};
};

// --guard and what goes with it. Complete after finish(); that says what is wrong, empty: nothing.
void add_guard(CommandLine& app, GuardOptions& options, std::vector<std::string>& without);
void add_restart(CommandLine& app, GuardOptions& options);
std::string finish(GuardOptions& options, const std::vector<std::string>& without);

}  // namespace tidegauge::cli
