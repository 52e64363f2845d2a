// SPDX-License-Identifier: Apache-2.0
// Slopes of the floor over the whole run and over its later and later parts.
#include <algorithm>
#include <array>
#include <cmath>

#include "verdict/feature_view.h"
#include "verdict/statistics.h"
#include "verdict/tail.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

namespace {

constexpr std::array kCoarseChannels = {Channel::Minimum, Channel::LowerQuartile, Channel::Median};
constexpr std::array kFineChannels = {Channel::LowerQuartile, Channel::Mean};
constexpr std::array kCoarseWindows = {1.0, 0.5, 0.25, 0.125};
constexpr std::array kFineWindows = {1.0, 0.5, 0.25};
constexpr std::size_t kCoarseParts = 20;
constexpr std::size_t kFineParts = 64;
constexpr double kSureErrors = 3;
constexpr std::size_t kLagShare = 12;

constexpr std::array<FeatureInfo, 44> kInfos = {{
    {"t_min_1", Evidence::Slope, 0},      {"sure_min_1", Evidence::Slope, 1},
    {"t_min_2", Evidence::Slope, 0},      {"sure_min_2", Evidence::Slope, 1},
    {"t_min_4", Evidence::Slope, 0},      {"sure_min_4", Evidence::Slope, 1},
    {"t_min_8", Evidence::Slope, 0},      {"sure_min_8", Evidence::Slope, 1},
    {"t_q25_1", Evidence::Slope, 0},      {"sure_q25_1", Evidence::Slope, 1},
    {"t_q25_2", Evidence::Slope, 0},      {"sure_q25_2", Evidence::Slope, 1},
    {"t_q25_4", Evidence::Slope, 0},      {"sure_q25_4", Evidence::Slope, 1},
    {"t_q25_8", Evidence::Slope, 0},      {"sure_q25_8", Evidence::Slope, 1},
    {"t_med_1", Evidence::Slope, 0},      {"sure_med_1", Evidence::Slope, 1},
    {"t_med_2", Evidence::Slope, 0},      {"sure_med_2", Evidence::Slope, 1},
    {"t_med_4", Evidence::Slope, 0},      {"sure_med_4", Evidence::Slope, 1},
    {"t_med_8", Evidence::Slope, 0},      {"sure_med_8", Evidence::Slope, 1},
    {"hac_q25_1", Evidence::Slope, 1},    {"rank_q25_1", Evidence::Slope, 0},
    {"bend_q25_1", Evidence::Slope, 0},   {"hac_q25_2", Evidence::Slope, 1},
    {"rank_q25_2", Evidence::Slope, 0},   {"bend_q25_2", Evidence::Slope, 0},
    {"hac_q25_4", Evidence::Slope, 1},    {"rank_q25_4", Evidence::Slope, 0},
    {"bend_q25_4", Evidence::Slope, 0},   {"hac_mean_1", Evidence::Slope, 1},
    {"rank_mean_1", Evidence::Slope, 0},  {"bend_mean_1", Evidence::Slope, 0},
    {"hac_mean_2", Evidence::Slope, 1},   {"rank_mean_2", Evidence::Slope, 0},
    {"bend_mean_2", Evidence::Slope, 0},  {"hac_mean_4", Evidence::Slope, 1},
    {"rank_mean_4", Evidence::Slope, 0},  {"bend_mean_4", Evidence::Slope, 0},
    {"growth_med_1", Evidence::Slope, 0}, {"growth_med_4", Evidence::Slope, 0},
}};

// t of the slope with Newey and West's variance: autocorrelation up to a lag is allowed for.
double newey_west_t(const Curve& curve, double noise_floor) {
  const Trend line = fit_line(curve.x, curve.z, noise_floor);
  const std::size_t n = curve.size();
  if (!std::isfinite(line.error)) return 0;
  const double centre = mean(curve.x);
  std::vector<double> score;
  double spread = 0;
  for (std::size_t i = 0; i < n; ++i) {
    score.push_back((curve.x[i] - centre) * (curve.z[i] - line.at(curve.x[i])));
    spread += (curve.x[i] - centre) * (curve.x[i] - centre);
  }
  const std::size_t lags = std::max<std::size_t>(1, n / kLagShare);
  double sum = 0;
  for (std::size_t lag = 0; lag <= lags; ++lag) {
    double product = 0;
    for (std::size_t i = lag; i < n; ++i) product += score[i] * score[i - lag];
    const double weight = 1 - static_cast<double>(lag) / static_cast<double>(lags + 1);
    sum += (lag == 0 ? 1 : 2 * weight) * product;
  }
  const double variance = std::max(sum, noise_floor * noise_floor * spread) / (spread * spread);
  return line.slope / std::sqrt(variance);
}

// Mann and Kendall's rank test.
double rank_z(const std::vector<double>& z) {
  double score = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t k = i + 1; k < z.size(); ++k) score += (z[k] > z[i]) - (z[k] < z[i]);
  }
  const auto n = static_cast<double>(z.size());
  return score / std::sqrt(std::max(1.0, n * (n - 1) * (2 * n + 5) / 18));
}

// Is the later half steeper than the earlier one?
double bend_t(const Curve& curve, double noise_floor) {
  const std::size_t half = curve.size() / 2;
  const std::span x(curve.x);
  const std::span z(curve.z);
  const Trend early = fit_line(x.first(half), z.first(half), noise_floor);
  const Trend late = fit_line(x.subspan(half), z.subspan(half), noise_floor);
  if (!std::isfinite(early.error) || !std::isfinite(late.error)) return 0;
  return (late.slope - early.slope) / std::hypot(early.error, late.error);
}

struct Window {
  std::size_t first = 0;
  double length = 0;
};

Window window(const FeatureView& view, double share) {
  const double from = view.begin + (1 - share) * view.length;
  Window out{.first = share < 1 ? point_at(view.track, view.last, from) : 0};
  out.length = view.track.clock[view.last] - view.track.clock[out.first];
  return out;
}

Curve read(const FeatureView& view, const Window& where, Channel channel, std::size_t parts) {
  return read_channel(view.track, where.first, view.last, channel,
                      std::min(parts, view.last - where.first + 1));
}

}  // namespace

std::span<const FeatureInfo> slope_infos() {
  return kInfos;
}

void add_slopes(const FeatureView& view, std::vector<float>& out) {
  const double noise_floor = view.setting->scale.noise_floor;
  double growth_all = 0;
  double growth_late = 0;
  for (const Channel channel : kCoarseChannels) {
    for (const double share : kCoarseWindows) {
      const Window where = window(view, share);
      const Curve curve = read(view, where, channel, kCoarseParts);
      const Trend trend = fit_trend(curve.x, curve.z, noise_floor);
      if (!std::isfinite(trend.error)) {
        out.insert(out.end(), {0, 0});
        continue;
      }
      const double sure = trend.slope - kSureErrors * trend.error;
      out.push_back(squashed(trend.t()));
      out.push_back(squashed(10 * sure * where.length / view.range));
      const double growth = trend.slope * where.length / view.range;
      if (channel == Channel::Median && share == 1.0) growth_all = growth;
      if (channel == Channel::Median && share == 0.25) growth_late = growth;
    }
  }
  for (const Channel channel : kFineChannels) {
    for (const double share : kFineWindows) {
      const Window where = window(view, share);
      const Curve curve = read(view, where, channel, kFineParts);
      out.push_back(squashed(newey_west_t(curve, noise_floor)));
      out.push_back(squashed(rank_z(curve.z)));
      out.push_back(squashed(bend_t(curve, noise_floor)));
    }
  }
  out.push_back(squashed(10 * growth_all));
  out.push_back(squashed(10 * growth_late));
}

}  // namespace tidegauge::verdict
