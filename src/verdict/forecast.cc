// SPDX-License-Identifier: Apache-2.0
#include "verdict/forecast.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::verdict {

namespace {

// The next spikes may be this much lower or higher than the typical large one.
constexpr double kLowSpike = 0.5;
constexpr double kHighSpike = 1.25;
// From the half width of a 95 % interval to that of the 90 % one between p5 and p95.
constexpr double kNarrower = 1.645 / 1.960;
// What is further away than this is "never" for any job.
constexpr double kFarthest = 10 * 365.25 * 86400;

}  // namespace

std::optional<Forecast> forecast(const Analysis& analysis, const Limit& limit) {
  if (!analysis.rate || !(analysis.rate->value > 0)) return {};
  const auto headroom = [&](double spikes) {
    return std::max(0.0, limit.bytes - analysis.level - spikes * analysis.spike_height);
  };
  if (analysis.plateau && *analysis.plateau + kHighSpike * analysis.spike_height < limit.bytes) {
    return {};
  }
  const double rate = analysis.rate->value;
  const double fast = rate + kNarrower * (analysis.rate->high - rate);
  const double slow = rate - kNarrower * (rate - analysis.rate->low);
  Forecast out{.limit_kind = limit.kind, .limit_bytes = limit.bytes};
  out.p5 = std::min(kFarthest, headroom(kHighSpike) / fast);
  out.p50 = std::min(kFarthest, headroom(1) / rate);
  out.p95 = slow > 0 ? std::min(kFarthest, headroom(kLowSpike) / slow) : kFarthest;
  out.probability = analysis.p_leak;
  return out;
}

}  // namespace tidegauge::verdict
