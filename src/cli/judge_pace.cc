// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_pace.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::cli {

namespace {

constexpr double kMovedShare = 0.002;
constexpr double kMovedBytes = 1 << 20;
constexpr double kNsPerSecond = 1e9;

double again_after(const JudgePace& pace, double cost_seconds, double watched_seconds) {
  const double affordable =
      std::min(cost_seconds / pace.share_of_a_core, pace.at_first * watched_seconds);
  return std::clamp(std::max(affordable, pace.rarely * watched_seconds), pace.soonest_seconds,
                    pace.latest_seconds);
}

}  // namespace

bool LastVerdict::is_due(const JudgePaces& paces, std::int64_t now_ns, double held_now) const {
  const bool quiet =
      std::abs(held_now - held_bytes) <= std::max(kMovedShare * held_bytes, kMovedBytes);
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / kNsPerSecond; };
  const auto& pace = !quiet ? paces.moving : known ? paces.known : paces.quiet;
  return seconds(now_ns - at_ns) >= again_after(pace, cost_seconds, seconds(at_ns));
}

}  // namespace tidegauge::cli
