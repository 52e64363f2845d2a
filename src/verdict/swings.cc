// SPDX-License-Identifier: Apache-2.0
#include "verdict/swings.h"

#include <algorithm>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// A swing is as high as this many deviations of the noise, this share of the level, and this share
// of all that the series does: smaller ones are not worth a word.
constexpr double kNoises = 6;
constexpr double kShareOfLevel = 0.02;
constexpr double kShareOfRange = 0.12;
// The height that is reported and kept free below a limit: a large peak, not the largest ever.
constexpr double kTypicalLarge = 0.75;
constexpr double kTypicalWithinBlock = 0.9;
// A peak's own floor is looked for within this share of the run to either side.
constexpr std::size_t kNeighbourhood = 8;
// A rise begins where the curve leaves its lowest point by this share of a swing.
constexpr double kStillFlat = 0.25;
// A collected heap: at least so many teeth, rises so much slower than falls, and above a quarter of
// the tooth for half of the time.
constexpr std::size_t kFewestTeeth = 4;
constexpr double kSlowRise = 2.0;
constexpr double kRisingShare = 0.4;
constexpr double kAboveFloor = 0.25;

void turn(std::span<const Point> points, double threshold, Swings& out) {
  std::size_t highest = 0;
  std::size_t lowest = 0;
  int direction = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double y = points[i].mean;
    if (y > points[highest].mean) highest = i;
    if (y < points[lowest].mean) lowest = i;
    if (direction >= 0 && points[highest].mean - y > threshold) {
      if (direction > 0 || highest > 0) out.peaks.push_back(highest);
      direction = -1;
      lowest = i;
    } else if (direction <= 0 && y - points[lowest].mean > threshold) {
      out.troughs.push_back(lowest);
      direction = 1;
      highest = i;
    }
  }
  out.rising = direction > 0;
  const auto& turns = out.rising ? out.troughs : out.peaks;
  out.turned = turns.empty() ? 0 : turns.back();
  // The lowest point may lie anywhere on a flat stretch; the rise begins where that ends.
  while (out.rising && out.turned + 1 < points.size() &&
         points[out.turned + 1].mean - points[turns.back()].mean < kStillFlat * threshold) {
    ++out.turned;
  }
}

double typical_height(std::span<const Point> points, const std::vector<std::size_t>& peaks) {
  const std::size_t reach = points.size() / kNeighbourhood;
  std::vector<double> heights;
  for (const std::size_t peak : peaks) {
    const std::size_t from = peak > reach ? peak - reach : 0;
    const std::size_t to = std::min(points.size(), peak + reach + 1);
    // On a ramp the floor before a spike is lower than the one after it.
    double before = points[peak].low;
    double after = points[peak].low;
    for (std::size_t i = from; i < peak; ++i) before = std::min(before, points[i].low);
    for (std::size_t i = peak + 1; i < to; ++i) after = std::min(after, points[i].low);
    heights.push_back(points[peak].high - std::max(before, after));
  }
  std::vector<double> within;
  for (const auto& point : points) within.push_back(point.high - point.low);
  return std::max(quantile(heights, kTypicalLarge), quantile(within, kTypicalWithinBlock));
}

double share_above_floor(std::span<const Point> points, std::size_t reach, double height) {
  std::size_t above = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t from = i > reach ? i - reach : 0;
    const std::size_t to = std::min(points.size(), i + reach + 1);
    double floor = points[i].low;
    for (std::size_t k = from; k < to; ++k) floor = std::min(floor, points[k].low);
    if (points[i].mean - floor > height) ++above;
  }
  return static_cast<double>(above) / static_cast<double>(points.size());
}

bool rises_slowly(const SwingCounter& counted, double duration, double ratio) {
  return counted.mean_rise_time() > ratio * counted.mean_fall_time() &&
         counted.time_rising() > kRisingShare * duration;
}

}  // namespace

bool draws_teeth(const SwingCounter& counted, double duration) {
  constexpr double kClearlySlowRise = 2.5;
  return std::min(counted.rises(), counted.falls()) >= kFewestTeeth &&
         rises_slowly(counted, duration, kClearlySlowRise);
}

Swings find_swings(std::span<const Point> points, double noise, const SwingCounter& counted) {
  Swings out;
  if (points.size() < 2) return out;
  std::vector<double> means;
  for (const auto& point : points) means.push_back(point.mean);
  const double range = quantile(means, 0.98) - quantile(means, 0.02);
  turn(points, std::max({kNoises * noise, kShareOfLevel * median(means), kShareOfRange * range}),
       out);
  out.height = typical_height(points, out.peaks);
  if (out.troughs.size() < kFewestTeeth || out.height <= 0) return out;

  std::vector<double> distances;
  for (std::size_t k = 1; k < out.troughs.size(); ++k) {
    distances.push_back(points[out.troughs[k]].at - points[out.troughs[k - 1]].at);
  }
  out.period = median(distances);
  const double duration = points.back().at - points.front().at;
  const double per_point = duration / static_cast<double>(points.size());
  const auto reach = static_cast<std::size_t>(std::max(1.0, 0.75 * out.period / per_point));
  out.above_floor = share_above_floor(points, reach, kAboveFloor * out.height);
  out.collected = counted.rises() + 1 >= kFewestTeeth &&
                  rises_slowly(counted, duration, kSlowRise) && out.above_floor > 0.5;
  return out;
}

Swings find_quick_swings(std::span<const Point> points, const Swings& slow, double least_noise,
                         const SwingCounter& counted) {
  constexpr double kLowest = 0.02;
  constexpr double kLow = 0.25;
  constexpr double kBetween = 0.8;  // deviations, of even noise; of normal one it is more
  if (!slow.peaks.empty()) return {};
  std::vector<double> means;
  for (const auto& point : points) means.push_back(point.mean);
  const double below = (quantile(means, kLow) - quantile(means, kLowest)) / kBetween;
  return find_swings(points, std::max(below, least_noise), counted);
}

}  // namespace tidegauge::verdict
