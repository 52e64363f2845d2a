// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <clocale>
#include <exception>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/nearest.h"

namespace {

using tidegauge::cli::Command;
using tidegauge::cli::commands;

constexpr const char* kExamples = R"(
examples:
  tidegauge run -- python train.py          start a job and judge its memory
  tidegauge watch --name train.py           follow one that already runs
  tidegauge judge memory.csv --limit 32GB   judge numbers that you have
  tidegauge doctor                          what can be measured here

'tidegauge COMMAND --help' tells more. Exit codes: 0 nothing wrong, 1 a verdict that calls for
action, 2 wrong use or senseless input, 3 could not look; run exits as its job did.
)";

int print_help(std::FILE* to) {
  fmt::print(to, "tidegauge: is it a leak, a warm-up, spikes, or not decidable yet?\n\n");
  fmt::print(to, "usage: tidegauge COMMAND [options]\n\ncommands:\n");
  for (const auto& command : commands()) {
    fmt::print(to, "  {:<8} {}\n", command.name, command.summary);
  }
  fmt::print(to, "{}", kExamples);
  return to == stdout ? tidegauge::cli::kNothingWrong : tidegauge::cli::kWrongUse;
}

int unknown(const std::string& name) {
  fmt::print(stderr, "tidegauge: there is no command '{}'", tidegauge::printable(name));
  std::vector<std::string_view> names;
  for (const auto& command : commands()) names.push_back(command.name);
  if (const auto near = tidegauge::cli::nearest(name, names); !near.empty()) {
    fmt::print(stderr, "; did you mean '{}'?", near);
  }
  fmt::print(stderr, "\nTry 'tidegauge --help'.\n");
  return tidegauge::cli::kWrongUse;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) return print_help(stderr);
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return print_help(stdout);
  if (words[0] == "--version" || words[0] == "-V") {
    fmt::print("{}\n", tidegauge::cli::kTool);
    return tidegauge::cli::kNothingWrong;
  }
  for (const auto& command : commands()) {
    if (command.name == words[0]) return command.run(std::span(words).subspan(1));
  }
  return unknown(words[0]);
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");
  try {
    return dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    // Only a bug or the end of memory comes here; a core dump would help less than a sentence.
    tidegauge::cli::put(stderr, fmt::format("tidegauge: internal error: {}\n", error.what()));
    return tidegauge::cli::kCouldNotLook;
  }
}
