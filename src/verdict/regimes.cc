// SPDX-License-Identifier: Apache-2.0
#include "verdict/regimes.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

namespace {

// A restart gives back nearly a third at once, lands below nearly all that was seen before, and
// stays low: neither the end of a spike nor a collector's tooth does all three.
constexpr double kDrop = 0.7;
constexpr std::size_t kMostDrops = 3;
constexpr double kBelowEarlier = 0.97;
constexpr double kEarlierLow = 0.1;
constexpr double kStaysBelow = 0.9;
constexpr double kStaysShare = 0.8;
constexpr double kHigherBefore = 1.15;
constexpr double kHigherBeforeShare = 0.6;
constexpr double kShortestRegime = 0.1;  // of the run
constexpr std::size_t kFewestPoints = 4;
// The slope before a restart is taken from what follows the first fifth, and must be clear.
constexpr std::size_t kFewestForSlope = 8;
constexpr double kClearSlope = 4;
constexpr double kStillGrowing = 0.6;

// Memory that vanishes far below anything seen before was given back by a process that ended, even
// if another soon holds as much again. One lonely sample may be a meter's slip.
constexpr double kVanished = 0.6;
constexpr double kNotOneSlip = 1.5;
// A fall so near the end may be the end of the job itself: this many points, or this share.
constexpr std::size_t kJustFallen = 6;
constexpr std::size_t kJustFallenShare = 40;

std::vector<std::size_t> big_drops(std::span<const Point> points) {
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i < points.size(); ++i) {
    double after = points[i].low;
    if (i + 1 < points.size()) after = std::min(after, points[i + 1].low);
    if (after < kDrop * points[i - 1].low) out.push_back(i++);
  }
  return out;
}

// `lows`: of the regime before the drop.
bool vanished(std::span<const Point> points, std::size_t drop, const std::vector<double>& lows) {
  const double limit = kVanished * *std::min_element(lows.begin(), lows.end());
  const std::size_t last = points.size() - 1;
  const std::size_t lowest = points[drop].low < limit ? drop : std::min(drop + 1, last);
  const Point& here = points[lowest];
  if (here.low >= limit) return false;
  if (lowest == last || points[lowest + 1].low < limit) return true;
  const double before = points[drop - 1].low;
  const double low_samples = here.count * (before - here.mean) / (before - here.low);
  return low_samples > kNotOneSlip;
}

bool is_restart(std::span<const Point> points, std::size_t begin, std::size_t drop) {
  const std::size_t before = drop - begin;
  if (before < kFewestPoints ||
      static_cast<double>(before) < kShortestRegime * static_cast<double>(points.size())) {
    return false;
  }
  double landed = points[drop].mean;
  for (std::size_t i = drop; i < std::min(points.size(), drop + kFewestPoints); ++i) {
    landed = std::min(landed, points[i].mean);
  }
  std::size_t higher = 0;
  std::vector<double> lows;
  for (std::size_t i = begin; i < drop; ++i) {
    if (points[i].mean > kHigherBefore * landed) ++higher;
    if (i >= begin + before / 10) lows.push_back(points[i].low);
  }
  if (vanished(points, drop, lows)) return true;
  const std::size_t watch = std::max(kFewestPoints, points.size() / 20);
  const std::size_t until = std::min(points.size(), drop + watch);
  std::size_t low = 0;
  for (std::size_t i = drop; i < until; ++i) {
    if (points[i].mean < kStaysBelow * points[drop - 1].mean) ++low;
  }
  return static_cast<double>(higher) >= kHigherBeforeShare * static_cast<double>(before) &&
         landed < kBelowEarlier * quantile(lows, kEarlierLow) &&
         static_cast<double>(low) >= kStaysShare * static_cast<double>(until - drop);
}

std::vector<std::size_t> restarts_of(std::span<const Point> points,
                                     std::span<const double> marked) {
  std::vector<std::size_t> out;
  for (const double at : marked) {
    const auto place = std::find_if(points.begin(), points.end(),
                                    [&](const Point& point) { return point.at >= at; });
    const auto index = static_cast<std::size_t>(place - points.begin());
    if (place != points.end() && index > 0 && (out.empty() || index > out.back())) {
      out.push_back(index);
    }
  }
  if (!out.empty()) return out;
  const auto drops = big_drops(points);
  if (drops.size() > kMostDrops) return out;
  for (const auto drop : drops) {
    if (is_restart(points, out.empty() ? 0 : out.back(), drop)) out.push_back(drop);
  }
  return out;
}

Trend slope_between(std::span<const Point> points, std::size_t begin, std::size_t end) {
  std::vector<double> x;
  std::vector<double> z;
  for (std::size_t i = begin; i < end; ++i) {
    x.push_back(points[i].at);
    z.push_back(points[i].mean);
  }
  return fit_trend(x, z, 1);
}

}  // namespace

Regime find_regime(std::span<const Point> points, std::span<const double> marked) {
  auto restarts = restarts_of(points, marked);
  Regime out{.end = points.size()};
  if (marked.empty() && !restarts.empty() &&
      points.size() - restarts.back() < std::max(kJustFallen, points.size() / kJustFallenShare)) {
    out.end = restarts.back();
    restarts.pop_back();
  }
  out.restarts = restarts.size();
  if (restarts.empty()) return out;
  out.begin = restarts.back();
  const std::size_t begin = restarts.size() > 1 ? restarts[restarts.size() - 2] : 0;
  const std::size_t length = out.begin - begin;
  if (length < kFewestForSlope) return out;
  const Trend all = slope_between(points, begin + length / 5, out.begin);
  const Trend late = slope_between(points, begin + length * 2 / 3, out.begin);
  if (all.t() > kClearSlope && late.slope > kStillGrowing * all.slope) {
    out.previous_slope = all.slope;
    out.previous_length = points[out.begin - 1].at - points[begin].at;
  }
  return out;
}

}  // namespace tidegauge::verdict
