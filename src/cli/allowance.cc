// SPDX-License-Identifier: Apache-2.0
#include "cli/allowance.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/inherited.h"
#include "cli/command.h"
#include "proc/process_room.h"

namespace tidegauge::cli {

Allowance allowance(const Room& room) {
  const bool crowded = room.processes.value_or(kToStartHelpers) < kToStartHelpers;
  Allowance allowed{.watch = room.descriptors >= kToWatch && room.cpu_seconds >= kCpuSecondsToWatch,
                    .census = room.descriptors >= kToTakeCensus && !crowded,
                    .guard = room.descriptors >= kToGuard && !crowded};
  if (room.cpu_seconds < kCpuSecondsToWatch) {
    allowed.why = fmt::format("{:.0f} s of CPU time are left to us, {:.0f} are needed (ulimit -t)",
                              std::max(room.cpu_seconds, 0.0), kCpuSecondsToWatch);
  } else if (!allowed.watch || (room.descriptors < kToGuard && !crowded)) {
    const auto needed = !allowed.watch ? kToWatch : allowed.census ? kToGuard : kToTakeCensus;
    allowed.why =
        fmt::format("of the {} open files that are needed for it, {} can be had (ulimit -n)",
                    needed, room.descriptors);
  } else if (crowded) {
    allowed.why = fmt::format("{} more processes may be started, which the job may need (pids.max)",
                              *room.processes);
  }
  return allowed;
}

Allowance allowance_now() {
  return allowance({.descriptors = free_descriptors(kToGuard),
                    .cpu_seconds = cpu_seconds_left(),
                    .processes = proc::processes_left(proc::Roots{})});
}

bool cpu_time_runs_out() {
  return cpu_seconds_left() < kCpuSecondsToWatch;
}

void tell_of_what_is_left_out(const char* command, const Allowance& allowed, bool wants_census,
                              bool wants_guard) {
  if (!allowed.watch) return;  // that is said by whoever wanted to
  const bool no_census = wants_census && !allowed.census;
  const bool no_guard = wants_guard && !allowed.guard;
  if (!no_census && !no_guard) return;
  const auto* const what = no_census && no_guard ? "no guard and no census"
                           : no_guard            ? "the job is not guarded"
                                                 : "no census is taken";
  fail(command, kCouldNotLook, fmt::format("{}: {}", what, allowed.why));
}

std::optional<CensusServer> census_server(const char* command, bool wanted, secrets::Keys keys) {
  if (!wanted) return {};
  auto server = CensusServer::start(keys);
  if (server) return *std::move(server);
  fail(command, kCouldNotLook, words_of_no_census(server.error()));
  return {};
}

std::string words_of_no_census(const Error& error) {
  return "no census is taken: " + error.what;
}

}  // namespace tidegauge::cli
