// SPDX-License-Identifier: Apache-2.0
#include "verdict/ramp.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// Pieces belong to the same ramp if their slopes are within this factor of the last one's.
constexpr double kSlower = 0.4;
constexpr double kFaster = 2.5;
// A drop (trim, collection) inside a ramp is bridged up to this share of the piece before it.
constexpr double kBridgedDrop = 0.5;
constexpr double kDeviations = 3;
// One excursion that returns to the ramp's own line is bridged if it is no longer than a third.
constexpr std::size_t kExcursion = 3;
constexpr double kReturns = 0.2;
// Further back: faster by at least this much is an earlier part of the same decelerating growth.
constexpr double kNotSlower = 0.75;
constexpr double kLostBetween = 0.25;
// A tiny trim (share of the level) does not make the growth younger.
constexpr double kTrim = 0.03;
constexpr double kShareOfDrawdown = 0.5;
constexpr double kClearOfHighWater = 1.5;
constexpr std::size_t kFewestForWandering = 4;
constexpr double kWanderingPower = 1.5;

bool similar(const Segment& piece, double slope) {
  return piece.slope > kSlower * slope && piece.slope < kFaster * slope;
}

std::size_t linear_piece(const Floor& floor, double slope) {
  const auto& pieces = floor.pieces;
  const std::size_t n = floor.curve.size();
  std::size_t at = pieces.size() - 1;
  while (at > 0) {
    const Segment& before = pieces[at - 1];
    const double drop = before.last_value - pieces[at].first_value;
    const double rise = std::max(0.0, before.last_value - before.first_value);
    if (similar(before, slope) && drop < kBridgedDrop * rise + kDeviations * floor.deviation) {
      --at;
      continue;
    }
    if (at >= 2 && similar(pieces[at - 2], slope) && before.end - before.begin <= n / kExcursion) {
      const double expected = pieces[at - 2].at(floor.curve.x[pieces[at].begin]);
      const double grown = std::fabs(pieces[at].last_value - pieces[at - 2].first_value);
      const double slack = std::max(kDeviations * floor.deviation, kReturns * grown);
      if (std::fabs(expected - pieces[at].first_value) < slack) {
        at -= 2;
        continue;
      }
    }
    break;
  }
  return at;
}

std::size_t concave_piece(const Floor& floor, std::size_t linear) {
  const auto& pieces = floor.pieces;
  const double grown = pieces.back().last_value - pieces.front().first_value;
  std::size_t at = linear;
  while (at > 0 && pieces[at - 1].slope >= kNotSlower * pieces[at].slope &&
         pieces[at].first_value - pieces[at - 1].last_value >=
             -kLostBetween * std::max(grown, 1e-9)) {
    --at;
  }
  return at;
}

std::vector<double> smoothed(const std::vector<double>& z) {
  std::vector<double> out;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t from = i >= 2 ? i - 2 : 0;
    const std::size_t to = std::min(z.size(), i + 3);
    out.push_back(median({z.begin() + static_cast<std::ptrdiff_t>(from),
                          z.begin() + static_cast<std::ptrdiff_t>(to)}));
  }
  return out;
}

// What the floor did before the ramp began.
struct Earlier {
  double highest = 0;
  double drawdown = 0;
  double ramp_began_at = 0;  // level
  double now = 0;            // level
};

Earlier earlier_floor(const Curve& floor, double ramp_x, double slope) {
  const auto z = smoothed(floor.z);
  const std::size_t n = z.size();
  const auto before = static_cast<std::size_t>(
      std::lower_bound(floor.x.begin(), floor.x.end(), ramp_x) - floor.x.begin());
  const std::size_t recent = n >= 5 ? n - 5 : 0;
  Earlier out;
  out.now = median({floor.z.begin() + static_cast<std::ptrdiff_t>(recent), floor.z.end()}) +
            slope * 2.5 * (floor.x.back() - floor.x.front()) /
                std::max<double>(1, static_cast<double>(n) - 1);
  out.ramp_began_at = before < n ? z[std::min(n - 1, before + 1)] : out.now;
  out.highest = z.front();
  for (std::size_t i = 0; i < before; ++i) {
    out.highest = std::max(out.highest, z[i]);
    out.drawdown = std::max(out.drawdown, out.highest - z[i]);
  }
  out.drawdown = std::max(out.drawdown, out.highest - out.ramp_began_at);
  return out;
}

bool only_trimmed(const Floor& floor, std::size_t linear, double lost, double level) {
  std::size_t drops = 0;
  for (std::size_t i = 0; i < linear; ++i) {
    const auto& piece = floor.pieces[i];
    if (piece.last_value - piece.first_value < -kDeviations * floor.deviation) return false;
    if (piece.last_value - floor.pieces[i + 1].first_value > kDeviations * floor.deviation) ++drops;
  }
  return drops >= 1 && drops <= 2 && lost < kTrim * level;
}

}  // namespace

Ramp find_ramp(const Track& track, const Floor& floor, const Tail& tail, std::size_t last,
               const Scale& scale, const Swings& swings) {
  const auto point_of = [&](std::size_t piece) {
    return piece == 0 ? 0 : point_at(track, last, floor.curve.x[floor.pieces[piece].begin]);
  };
  const std::size_t linear = linear_piece(floor, tail.trend.slope);
  Ramp ramp;
  ramp.first = point_of(linear);
  ramp.concave_first = point_of(concave_piece(floor, linear));
  const double now = track.points[last].at;
  ramp.since = track.points[ramp.first].at;
  if (ramp.first == 0 || !tail.grows) return ramp;

  const bool as_is = swings.collected || floor.channel == Channel::Trough;
  const Curve minima = as_is ? floor.curve
                             : read_channel(track, 0, last, Channel::Minimum,
                                            std::min(floor.curve.size(), last + 1));
  const Earlier earlier = earlier_floor(minima, track.clock[ramp.first], tail.trend.slope);
  const double noise = std::max(floor.deviation, scale.noise_floor);
  const double bar =
      earlier.highest +
      (earlier.drawdown > kDeviations * noise ? kShareOfDrawdown * earlier.drawdown : 0);
  if (bar <= earlier.ramp_began_at + 2 * noise) return ramp;
  if (only_trimmed(floor, linear, earlier.highest - earlier.ramp_began_at, scale.level))
    return ramp;
  const double seconds_per_clock =
      (now - track.points[0].at) / std::max(track.clock[last] - track.clock[0], 1e-12);
  const double climbing_back = (bar - earlier.ramp_began_at) / tail.trend.slope * seconds_per_clock;
  ramp.since = std::min(now, ramp.since + climbing_back);
  ramp.below_high_water = earlier.now < earlier.highest + kClearOfHighWater * noise;
  return ramp;
}

double chance_of_wandering(const Track& track, const Floor& floor, const Ramp& ramp, double slope,
                           const Scale& scale) {
  const auto& curve = floor.curve;
  const std::size_t n = curve.size();
  const auto before = static_cast<std::size_t>(
      std::lower_bound(curve.x.begin(), curve.x.end(), track.clock[ramp.first]) - curve.x.begin());
  const std::size_t during = n - before;
  const std::size_t lag = std::max<std::size_t>(2, during / 3);
  double falls = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i + lag <= before && i + lag < n; ++i) {
    const double change = curve.z[i + lag] - curve.z[i];
    if (change < 0) falls += change * change;
    ++counted;
  }
  if (counted < kFewestForWandering || during == 0) return 0;
  const double typical_fall = std::sqrt(2 * falls / static_cast<double>(counted));
  const double spacing = (curve.x.back() - curve.x.front()) / static_cast<double>(n - 1);
  const double climbed = slope * spacing * static_cast<double>(lag);
  const double once = normal_cdf(-climbed / std::max(typical_fall, scale.noise_floor));
  const double power =
      std::min(kWanderingPower, static_cast<double>(during) / static_cast<double>(lag));
  return std::min(1.0,
                  static_cast<double>(n) / static_cast<double>(during) * std::pow(once, power));
}

}  // namespace tidegauge::verdict
