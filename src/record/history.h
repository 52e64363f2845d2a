// SPDX-License-Identifier: Apache-2.0
// How earlier runs of a command ended: a small file of the user's own, a line for each run, so that
// the next one can be told what is usual for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidegauge::record {

struct PastRun {
  std::string command{};  // secrets masked
  std::int64_t ended_unix_s = 0;
  std::string verdict{};   // id of its class
  double level_bytes = 0;  // what it held in the end, spikes taken off
  std::optional<double> settled_seconds{};
  std::optional<double> settled_step{};

  bool operator==(const PastRun&) const = default;
};

// One line, with its newline.
std::string history_line(const PastRun& run);
// Runs of `command` in the text of a history, oldest first; lines that make no sense are passed
// over.
std::vector<PastRun> past_runs(std::string_view text, std::string_view command, std::size_t most);

// $XDG_DATA_HOME/tidegauge/history, by default below ~/.local/share.
Result<std::string> history_path();
// Empty where there is none.
std::vector<PastRun> past_runs_of(std::string_view command);
// Adds a line; readable by nobody else, and cut to the newest `kMostPastRuns` lines.
inline constexpr std::size_t kMostPastRuns = 1000;
Result<> remember(const std::string& path, const PastRun& run);

}  // namespace tidegauge::record
