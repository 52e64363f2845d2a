// SPDX-License-Identifier: Apache-2.0
#include "verdict/tail.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr double kAllLooks = 0.05;  // chance that any look of a run finds growth in plain noise
constexpr double kFewSamples = 6;
// The last piece was chosen among several ends, so its slope is partly luck.
constexpr double kChosenPieces = 4;
// Growth must stand out of the floor's own unrest, not only out of the slope's error.
constexpr double kDeviations = 2.5;
constexpr double kOwnDeviation = 0.6;
// Minima must not contradict: growth of the average alone is growing spikes.
constexpr std::size_t kMinimaParts = 16;
constexpr std::size_t kFewestMinima = 5;
constexpr double kMinimaErrors = 3;
constexpr double kMinimaShare = 0.5;

bool minima_contradict(const Track& track, std::size_t first, std::size_t last, const Scale& scale,
                       double slope) {
  const std::size_t parts = std::min(kMinimaParts, last - first + 1);
  const Curve minima = read_channel(track, first, last, Channel::Minimum, parts);
  if (minima.size() < kFewestMinima) return false;
  const Trend trend = fit_trend(minima.x, minima.z, scale.noise_floor);
  return trend.slope + kMinimaErrors * trend.error < kMinimaShare * slope;
}

}  // namespace

double level_of_test(std::uint64_t samples) {
  const double doublings = std::max(1.0, std::log2(static_cast<double>(samples) / kFewSamples));
  constexpr double kSumOfInverseSquares = 9.869604401089358 / 6;
  return kAllLooks / (kSumOfInverseSquares * doublings * doublings);
}

std::size_t point_at(const Track& track, std::size_t last, double x) {
  const double slack = 1e-9 * std::max(1.0, std::fabs(x));
  const auto end = track.clock.begin() + static_cast<std::ptrdiff_t>(last);
  return static_cast<std::size_t>(std::lower_bound(track.clock.begin(), end, x - slack) -
                                  track.clock.begin());
}

Tail find_tail(const Track& track, const Floor& floor, std::size_t last, const Scale& scale,
               const Swings& swings, std::uint64_t samples) {
  Tail tail;
  const bool alone = floor.pieces.size() == 1;
  const double alpha = level_of_test(samples);
  tail.first = alone ? 0 : point_at(track, last, floor.curve.x[floor.pieces.back().begin]);
  tail.trend = zoom_in(track, tail.first, last, scale, swings, alpha).trend;
  tail.length = track.clock[last] - track.clock[tail.first];
  tail.growth = tail.trend.slope * tail.length;
  tail.bar =
      t_quantile(1 - alpha / (alone ? 1 : kChosenPieces), std::max(2, tail.trend.points - 2));
  const double unrest = std::max(scale.noise_floor, kOwnDeviation * tail.trend.deviation);
  tail.grows = tail.trend.t() > tail.bar && tail.growth > scale.least_growth &&
               tail.growth > kDeviations * unrest &&
               (alone || tail.growth > kDeviations * floor.long_deviation);
  if (tail.grows && !swings.collected &&
      minima_contradict(track, tail.first, last, scale, tail.trend.slope)) {
    tail.grows = false;
    tail.floor_lags = true;
  }
  return tail;
}

}  // namespace tidegauge::verdict
