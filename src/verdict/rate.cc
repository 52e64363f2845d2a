// SPDX-License-Identifier: Apache-2.0
#include "verdict/rate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kSpreadParts = 16;
constexpr std::size_t kFewestParts = 5;
// What the channels disagree by counts at most half: beyond that one of them sees spikes.
constexpr double kMostSpread = 0.5;
// One part in a hundred is model error.
constexpr double kModelError = 0.01;
constexpr std::array<std::size_t, 3> kErrorParts = {40, 24, 14};
constexpr std::size_t kBendParts = 32;
constexpr double kConfidence = 0.95;
// The interval as computed is right for smooth lines; measured on series whose truth is known, this
// factor makes it cover 95 % of all.
constexpr double kCoverage = 1.0;

Curve read(const Track& track, std::size_t first, std::size_t last, Channel channel,
           std::size_t parts) {
  Curve curve = read_channel(track, first, last, channel, std::min(parts, last - first + 1));
  remove_lone_spikes(curve);
  return curve;
}

double channel_spread(const Track& track, std::size_t first, std::size_t last, const Trend& trend,
                      const Scale& scale) {
  double spread = 0;
  for (const Channel channel : {Channel::Minimum, Channel::Median}) {
    const Curve curve = read(track, first, last, channel, kSpreadParts);
    if (curve.size() < kFewestParts) continue;
    const double other = fit_line(curve.x, curve.z, scale.noise_floor).slope;
    spread = std::max(spread, std::fabs(other - trend.slope));
  }
  return std::min(spread, kMostSpread * std::fabs(trend.slope));
}

// The slope's error is itself uncertain, and the smallest of many estimates is too small: the
// largest over three scales is taken, on the channel where that is least.
double careful_half_width(const Track& track, std::size_t first, std::size_t last,
                          const Scale& scale) {
  double best = std::numeric_limits<double>::infinity();
  for (const Channel channel : {Channel::Minimum, Channel::LowerQuartile, Channel::Mean}) {
    double worst = 0;
    for (const std::size_t parts : kErrorParts) {
      const Curve curve = read(track, first, last, channel, parts);
      if (curve.size() < kFewestParts) continue;
      const Trend trend = fit_trend(curve.x, curve.z, scale.noise_floor);
      worst = std::max(worst, trend.half_width(kConfidence));
    }
    if (worst > 0) best = std::min(best, worst);
  }
  return std::isfinite(best) ? best : 0;
}

// The slope of the later half, if growth is still bending.
double bend(const Curve& curve, const Trend& trend, const Scale& scale) {
  const std::size_t half = curve.size() / 2;
  if (half < kFewestParts) return 0;
  const std::span x(curve.x);
  const std::span z(curve.z);
  const Trend late = fit_line(x.subspan(half), z.subspan(half), scale.noise_floor);
  const double difference = std::fabs(late.slope - trend.slope);
  return std::clamp(difference - late.error, 0.0, kMostSpread * std::fabs(trend.slope));
}

}  // namespace

Interval rate_of(const Track& track, std::size_t first, std::size_t last, const Trend& trend,
                 const Scale& scale, bool collected) {
  double extra = kModelError * trend.slope;
  double own = trend.half_width(kConfidence);
  if (!collected) {
    const Curve curve = read(track, first, last, Channel::LowerQuartile, kBendParts);
    own = std::max(own, careful_half_width(track, first, last, scale));
    extra = std::hypot(extra, channel_spread(track, first, last, trend, scale));
    extra = std::hypot(extra, bend(curve, trend, scale));
  }
  const double half = kCoverage * std::hypot(own, extra);
  return {trend.slope, trend.slope - half, trend.slope + half};
}

}  // namespace tidegauge::verdict
