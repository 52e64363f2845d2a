// SPDX-License-Identifier: Apache-2.0
// Precog (Jindal and others, 2021): medians, change points by a modified z-score, lines from each
// of them to the end.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "bench/verdict/baselines.h"
#include "bench/verdict/regression.h"

namespace tidegauge::bench {
namespace {

constexpr double kBlockSeconds = 10;
constexpr std::size_t kSmoothing = 12;  // blocks of the rolling median
constexpr std::size_t kFewestBlocks = 30;
constexpr double kShortestTrend = 600;  // seconds
constexpr double kGoodFit = 0.8;        // R²
constexpr double kModifiedZ = 3.5;
constexpr double kHour = 3600;
constexpr std::size_t kHighest = 10;  // values that a maximum is made of

struct Trend {
  double slope = 0;
  double seconds = 0;
};

Points smoothed(const Prefix& p) {
  auto points = block_medians(p.seconds, p.bytes, kBlockSeconds);
  const auto raw = points.y;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto from = i + 1 >= kSmoothing ? i + 1 - kSmoothing : 0;
    points.y[i] = median_of({raw.begin() + static_cast<std::ptrdiff_t>(from),
                             raw.begin() + static_cast<std::ptrdiff_t>(i) + 1});
  }
  return points;
}

// Change points among the first `count` points, both ends included, at least a trend apart.
std::vector<std::size_t> change_points(const Points& points, std::size_t count) {
  std::vector<double> changes;
  for (std::size_t i = 1; i < count; ++i)
    changes.push_back(std::fabs(points.y[i] - points.y[i - 1]));
  const double typical = median_of(changes);
  auto deviations = changes;
  for (auto& change : deviations) change = std::fabs(change - typical);
  const double spread = median_of(deviations);
  std::vector<std::size_t> out = {0};
  for (std::size_t i = 1; i < count; ++i) {
    const double change = changes[i - 1];
    const bool unusual =
        spread > 0 ? 0.6745 * (change - typical) / spread > kModifiedZ : change > typical;
    if (unusual && points.x[i] - points.x[out.back()] >= kShortestTrend) out.push_back(i);
  }
  if (out.back() != count - 1) out.push_back(count - 1);
  return out;
}

// The upward trend from one point to another, if it is long and straight enough.
std::optional<Trend> trend_between(const Points& points, std::size_t from, std::size_t to) {
  const double seconds = points.x[to] - points.x[from];
  if (seconds < kShortestTrend) return {};
  const auto line = fit_line(points.xs(from, to + 1), points.ys(from, to + 1));
  if (line.r_squared <= kGoodFit || line.slope <= 0) return {};
  return Trend{line.slope, seconds};
}

double high_level(std::vector<double> values) {
  std::sort(values.rbegin(), values.rend());
  values.resize(std::min(values.size(), kHighest));
  return median_of(values);
}

// What is normal here, learned from the first third.
struct Normal {
  std::vector<Trend> trends{};
  Trend most{0, kShortestTrend};
  std::optional<double> high{};
};

Normal learn(const Points& points) {
  Normal normal;
  const auto count = points.size() / 3;
  constexpr std::size_t kFewest = 20;
  if (count < kFewest) return normal;
  normal.high =
      high_level({points.y.begin(), points.y.begin() + static_cast<std::ptrdiff_t>(count)});
  const auto cuts = change_points(points, count);
  for (std::size_t a = 0; a + 1 < cuts.size(); ++a) {
    std::optional<Trend> best;
    // A trend that reaches the end of the training part may be the leak itself.
    for (std::size_t b = a + 1; b + 1 < cuts.size(); ++b) {
      const auto trend = trend_between(points, cuts[a], cuts[b]);
      if (trend && (!best || (trend->slope >= best->slope && trend->seconds >= best->seconds)))
        best = trend;
    }
    if (!best) continue;
    normal.trends.push_back(*best);
    normal.most.slope = std::max(normal.most.slope, best->slope);
    normal.most.seconds = std::max(normal.most.seconds, best->seconds);
  }
  return normal;
}

bool exceeds(const Trend& trend, const Trend& other) {
  return trend.slope >= other.slope && trend.seconds >= other.seconds;
}

double judge_by(const Prefix& p, const Points& points, const Normal& normal) {
  const auto cuts = change_points(points, points.size());
  double best = 0;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const auto trend = trend_between(points, cuts[k], points.size() - 1);
    if (!trend) continue;
    const bool unusual = exceeds(*trend, normal.most) ||
                         std::any_of(normal.trends.begin(), normal.trends.end(),
                                     [&](const Trend& other) { return exceeds(*trend, other); });
    if (!unusual) continue;
    const double hours = (p.limit_bytes - points.y.back()) / trend->slope / kHour;
    best = std::max(best, 1 / std::max(1e-3, hours));
  }
  if (best <= 0 || !normal.high) return best;
  // The highest values since the last change point must all be above what was normal.
  std::vector<double> recent(points.y.begin() + static_cast<std::ptrdiff_t>(cuts[cuts.size() - 2]),
                             points.y.end());
  std::sort(recent.rbegin(), recent.rend());
  recent.resize(std::min(recent.size(), kHighest));
  return recent.back() < *normal.high ? 0 : best;
}

}  // namespace

double precog(const Prefix& p) {
  const auto points = smoothed(p);
  return points.size() < kFewestBlocks ? 0 : judge_by(p, points, {});
}

double precog_trained(const Prefix& p) {
  const auto points = smoothed(p);
  return points.size() < kFewestBlocks ? 0 : judge_by(p, points, learn(points));
}

}  // namespace tidegauge::bench
