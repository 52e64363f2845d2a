// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/baselines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "bench/verdict/regression.h"

namespace tidegauge::bench {
namespace {

constexpr std::size_t kBlocks = 60;
constexpr double kHour = 3600;
constexpr double kSoonest = 1e-3;  // hours to the limit: beyond it or at once is the same

// "First minimum against last minimum", relative to the first.
double first_and_last(const Prefix& p) {
  constexpr std::size_t kEnds = 10;
  const auto first = *std::min_element(p.bytes.begin(), p.bytes.begin() + kEnds);
  const auto last = *std::min_element(p.bytes.end() - kEnds, p.bytes.end());
  return (last - first) / first;
}

double slope(const Prefix& p) {
  return fit_line(p.seconds, p.bytes).slope;
}

double slope_if_straight(const Prefix& p) {
  const auto line = fit_line(p.seconds, p.bytes);
  return line.r_squared > 0.8 ? line.slope : 0;
}

double slope_t(const Prefix& p) {
  const auto line = fit_line(p.seconds, p.bytes);
  return line.slope_error > 0 ? line.slope / line.slope_error : 0;
}

double kendall_z(const Points& points) {
  const auto count = points.size();
  const double n = static_cast<double>(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      sum += (points.y[j] > points.y[i]) - (points.y[j] < points.y[i]);
  double variance = n * (n - 1) * (2 * n + 5) / 18;
  std::map<double, double> ties;
  for (const double y : points.y) ++ties[y];
  for (const auto& [y, t] : ties) variance -= t * (t - 1) * (2 * t + 5) / 18;
  if (variance <= 0) return 0;
  const double towards_zero = sum > 0 ? sum - 1 : sum < 0 ? sum + 1 : 0;
  return towards_zero / std::sqrt(variance);
}

double mann_kendall(const Prefix& p) {
  return kendall_z(block_minima(p.seconds, p.bytes, kBlocks));
}

// The median slope between pairs, where Mann-Kendall is significant (p < 0.01), as a share of the
// level over the whole run.
double sen(const Prefix& p) {
  const auto points = block_minima(p.seconds, p.bytes, kBlocks);
  if (kendall_z(points) <= 2.33) return 0;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points.y[j] - points.y[i]) / (points.x[j] - points.x[i]));
  return median_of(slopes) * (p.seconds.back() - p.seconds.front()) / median_of(points.y);
}

// Prometheus' predict_linear: one over the hours until the line of the last `window` meets the
// limit.
double predict_linear(const Prefix& p, double window) {
  const auto begin =
      std::lower_bound(p.seconds.begin(), p.seconds.end(), p.seconds.back() - window);
  const auto from = static_cast<std::size_t>(begin - p.seconds.begin());
  if (p.seconds.size() - from < 10) return 0;
  const auto line = fit_line(p.seconds.subspan(from), p.bytes.subspan(from));
  if (line.slope <= 0) return 0;
  const double now = line.intercept + line.slope * p.seconds.back();
  return 1 / std::max(kSoonest, (p.limit_bytes - now) / line.slope / kHour);
}

double predict_linear_10_min(const Prefix& p) {
  return predict_linear(p, 600);
}
double predict_linear_1_h(const Prefix& p) {
  return predict_linear(p, kHour);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// After RESIN, for one process instead of a fleet: how far the last tenth is above the first fifth,
// in its deviations, unless it has begun to fall.
double resin_like(const Prefix& p) {
  const auto n = p.bytes.size();
  const auto head = p.bytes.first(std::max<std::size_t>(5, n / 5));
  const auto tenth = std::max<std::size_t>(5, n / 10);
  const double mean = mean_of(head);
  double squares = 0;
  for (const double y : head) squares += (y - mean) * (y - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(head.size()));
  const double last = mean_of(p.bytes.last(tenth));
  const double before = mean_of(p.bytes.subspan(n - 2 * tenth, tenth));
  return last >= before ? (last - mean) / std::max(deviation, 0.001 * mean) : 0;
}

// Growth of a line through the last quarter, relative to the level.
double last_quarter(const Prefix& p) {
  const auto from = p.bytes.size() - std::max<std::size_t>(10, p.bytes.size() / 4);
  const auto line = fit_line(p.seconds.subspan(from), p.bytes.subspan(from));
  return line.slope * (p.seconds.back() - p.seconds[from]) / p.bytes[from];
}

// Holt's double exponential smoothing over 300 blocks: the trend, relative to the level.
double holt(const Prefix& p) {
  constexpr double kLevelWeight = 0.1;
  constexpr double kTrendWeight = 0.05;
  const double width = std::max(5.0, (p.seconds.back() - p.seconds.front()) / 300);
  const auto points = block_medians(p.seconds, p.bytes, width);
  if (points.size() <= 10) return 0;
  double level = points.y[0];
  double trend = points.y[1] - points.y[0];
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double before = level;
    level = kLevelWeight * points.y[i] + (1 - kLevelWeight) * (level + trend);
    trend = kTrendWeight * (level - before) + (1 - kTrendWeight) * trend;
  }
  return trend / level;
}

constexpr Baseline kBaselines[] = {
    {"first against last minimum", first_and_last},
    {"OLS slope", slope},
    {"OLS slope, R2 > 0.8", slope_if_straight},
    {"OLS t", slope_t},
    {"Mann-Kendall on minima", mann_kendall},
    {"Sen slope", sen},
    {"predict_linear 10 min", predict_linear_10_min},
    {"predict_linear 1 h", predict_linear_1_h},
    {"Precog", precog},
    {"Precog, trained", precog_trained},
    {"RESIN-like z", resin_like},
    {"OLS of the last quarter", last_quarter},
    {"BIC, two pieces", best_of_two_pieces},
    {"Holt trend", holt},
};

}  // namespace

std::span<const Baseline> baselines() {
  return kBaselines;
}

}  // namespace tidegauge::bench
