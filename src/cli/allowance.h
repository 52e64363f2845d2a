// SPDX-License-Identifier: Apache-2.0
// What the resource limits that we were started with leave us to work with. A job comes first: what
// there is too little for is left out before anything is begun, and said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "cli/census_server.h"

namespace tidegauge::cli {

// Descriptors that can still be opened, from which on each is done.
inline constexpr std::size_t kToWatch = 16;
inline constexpr std::size_t kToTakeCensus = 32;
inline constexpr std::size_t kToGuard = 64;
// Processes and threads that may still be started: ours take the place of the job's.
inline constexpr std::uint64_t kToStartHelpers = 32;
// Less CPU time is kept for the end: the last verdict and the report.
inline constexpr double kCpuSecondsToWatch = 10;

struct Allowance {
  bool watch = true;
  bool census = true;
  bool guard = true;
  std::string why{};  // the limit behind what is not; empty: nothing is left out
};

struct Room {
  std::size_t descriptors = kToGuard;
  double cpu_seconds = std::numeric_limits<double>::infinity();
  std::optional<std::uint64_t> processes{};  // nothing: there is no limit
};
Allowance allowance(const Room& room);
Allowance allowance_now();
// The watching ends here, or the kernel ends us.
bool cpu_time_runs_out();

// The census and the guard that were asked for and are not to be had, said for `command`.
void tell_of_what_is_left_out(const char* command, const Allowance& allowed, bool wants_census,
                              bool wants_guard);

// Nothing where none is wanted, and where there is no process for it, which is said.
std::optional<CensusServer> census_server(const char* command, bool wanted, secrets::Keys keys);
std::string words_of_no_census(const Error& error);

}  // namespace tidegauge::cli
