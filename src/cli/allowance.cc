// SPDX-License-Identifier: Apache-2.0
#include "cli/allowance.h"

#include <fmt/format.h>

#include "base/inherited.h"
#include "cli/command.h"

namespace tidegauge::cli {

Allowance allowance(std::size_t descriptors, double cpu_seconds) {
  Allowance allowed{.watch = descriptors >= kToWatch && cpu_seconds >= kCpuSecondsToWatch,
                    .census = descriptors >= kToTakeCensus,
                    .guard = descriptors >= kToGuard};
  if (cpu_seconds < kCpuSecondsToWatch) {
    allowed.why = fmt::format("{:.0f} s of CPU time are left to us, {:.0f} are needed (ulimit -t)",
                              cpu_seconds > 0 ? cpu_seconds : 0, kCpuSecondsToWatch);
  } else if (descriptors < kToGuard) {
    const auto needed = !allowed.watch ? kToWatch : allowed.census ? kToGuard : kToTakeCensus;
    allowed.why =
        fmt::format("of the {} open files that are needed for it, {} can be had (ulimit -n)",
                    needed, descriptors);
  }
  return allowed;
}

Allowance allowance_now() {
  return allowance(free_descriptors(kToGuard), cpu_seconds_left());
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
