// SPDX-License-Identifier: Apache-2.0
// How large it all is against its noise, which new heights were reached when, and what the troughs
// and peaks do.
#include <algorithm>
#include <array>
#include <cmath>

#include "verdict/feature_view.h"
#include "verdict/statistics.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

namespace {

constexpr double kRecord = 2.5;  // deviations above all before
constexpr std::size_t kOctiles = 8;

constexpr std::array<FeatureInfo, 22> kInfos = {{
    {"range_of_level", Evidence::Size, 0},
    {"range_of_noise", Evidence::Size, 0},
    {"quantum_of_range", Evidence::Size, 0},
    {"within_of_range", Evidence::Size, 0},
    {"spread_of_range", Evidence::Size, 0},
    {"gaps", Evidence::Size, 0},
    {"records", Evidence::Records, 0},
    {"late_records", Evidence::Records, 0},
    {"since_record", Evidence::Records, -1},
    {"since_record_of_gap", Evidence::Records, -1},
    {"drawdown", Evidence::Records, 0},
    {"above_earlier", Evidence::Records, 1},
    {"net_growth", Evidence::Records, 0},
    {"least_octile", Evidence::Records, 1},
    {"least_late_octile", Evidence::Records, 1},
    {"last_octile", Evidence::Records, 1},
    {"octile_fade", Evidence::Records, 0},
    {"t_troughs", Evidence::Swings, 0},
    {"t_late_troughs", Evidence::Swings, 0},
    {"t_peaks", Evidence::Swings, 0},
    {"peaks", Evidence::Swings, 0},
    {"rise_of_fall", Evidence::Swings, 0},
}};

void add_size(const FeatureView& view, std::vector<float>& out) {
  const auto& setting = *view.setting;
  std::vector<double> within;
  std::vector<double> means;
  for (std::size_t i = 0; i <= view.last; ++i) {
    within.push_back(setting.points[i].high - setting.points[i].low);
    means.push_back(setting.points[i].mean);
  }
  const double spread = quantile(means, 0.98) - quantile(means, 0.02);
  const double width = setting.material->series->block_width();
  const double gaps =
      1 - static_cast<double>(view.last + 1) / std::max(1.0, view.length / width + 1);
  out.push_back(log_ratio(view.range, std::fabs(setting.scale.level)));
  out.push_back(log_ratio(view.range, view.noise));
  out.push_back(squashed(setting.material->series->smallest_change() / view.range));
  out.push_back(log_ratio(quantile(within, 0.9) + 1e-3 * view.range, view.range));
  out.push_back(log_ratio(spread + 1e-3 * view.range, view.range));
  out.push_back(static_cast<float>(std::clamp(gaps, 0.0, 1.0)));
}

struct Records {
  double count = 0;
  double late = 0;
  double last_at = 0;
  double longest_gap = 0;
  double drawdown = 0;
};

Records records_of(const Curve& curve, const FeatureView& view) {
  Records out;
  double highest = curve.z.front();
  double top = highest;
  out.last_at = curve.x.front();
  for (std::size_t i = 1; i < curve.size(); ++i) {
    top = std::max(top, curve.z[i]);
    out.drawdown = std::max(out.drawdown, top - curve.z[i]);
    if (curve.z[i] <= highest + kRecord * view.noise) continue;
    if (out.count > 0) out.longest_gap = std::max(out.longest_gap, curve.x[i] - out.last_at);
    ++out.count;
    if (curve.x[i] > view.begin + view.length / 2) ++out.late;
    highest = curve.z[i];
    out.last_at = curve.x[i];
  }
  return out;
}

void add_heights(const FeatureView& view, std::vector<float>& out) {
  const Curve& curve = view.coarse_median;
  const Records records = records_of(curve, view);
  const double since = view.track.clock[view.last] - records.last_at;
  out.push_back(static_cast<float>(records.count / static_cast<double>(curve.size())));
  out.push_back(static_cast<float>(records.late / std::max(1.0, records.count)));
  out.push_back(static_cast<float>(since / view.length));
  out.push_back(squashed(since / std::max(records.longest_gap, view.length / 32)));
  out.push_back(squashed(10 * records.drawdown / view.range));

  const std::size_t n = curve.size();
  const auto part = [&](double from, double to) {
    const auto at = [&](double share) {
      return curve.z.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(n));
    };
    auto first = at(from);
    auto end = std::max(at(to), first + 1);
    if (first == curve.z.end()) --first;
    return std::vector<double>(first, std::min(end, curve.z.end()));
  };
  const auto earlier = part(0, 2.0 / 3);
  const double above = median(part(0.9, 1)) - *std::max_element(earlier.begin(), earlier.end());
  out.push_back(squashed(10 * above / view.range));
  std::array<double, kOctiles> middle{};
  for (std::size_t i = 0; i < kOctiles; ++i) {
    middle[i] =
        median(part(static_cast<double>(i) / kOctiles, static_cast<double>(i + 1) / kOctiles));
  }
  std::array<double, kOctiles - 1> rise{};
  for (std::size_t i = 0; i + 1 < kOctiles; ++i) rise[i] = middle[i + 1] - middle[i];
  const double late = *std::min_element(rise.end() - 3, rise.end());
  out.push_back(squashed(10 * (middle.back() - middle.front()) / view.range));
  out.push_back(squashed(10 * *std::min_element(rise.begin(), rise.end()) / view.range));
  out.push_back(squashed(late / view.noise));
  out.push_back(squashed(rise.back() / view.noise));
  const double early_rise = (middle[4] - middle[1]) / 3;
  const double late_rise = (middle[7] - middle[4]) / 3;
  out.push_back(squashed(10 * (late_rise - early_rise) / view.range));
}

double trend_t(const FeatureView& view, const std::vector<std::size_t>& places, bool high) {
  std::vector<double> x;
  std::vector<double> z;
  for (const auto place : places) {
    if (place > view.last) continue;
    const Point& point = view.track.points[place];
    x.push_back(view.track.clock[place]);
    z.push_back(high ? point.high : point.low);
  }
  const Trend trend = fit_trend(x, z, view.setting->scale.noise_floor);
  return std::isfinite(trend.error) ? trend.t() : 0;
}

void add_swings(const FeatureView& view, std::vector<float>& out) {
  const Swings& swings = view.setting->swings;
  const auto half = swings.troughs.begin() + static_cast<std::ptrdiff_t>(swings.troughs.size() / 2);
  out.push_back(squashed(trend_t(view, swings.troughs, false)));
  out.push_back(squashed(trend_t(view, {half, swings.troughs.end()}, false)));
  out.push_back(squashed(trend_t(view, swings.peaks, true)));
  out.push_back(static_cast<float>(std::log1p(static_cast<double>(swings.peaks.size()))));
  const auto& counted = view.setting->material->series->swings();
  out.push_back(counted.rises() == 0 || counted.falls() == 0
                    ? 0
                    : log_ratio(counted.mean_rise_time() + 1e-3, counted.mean_fall_time() + 1e-3));
}

}  // namespace

std::span<const FeatureInfo> record_infos() {
  return kInfos;
}

void add_records(const FeatureView& view, std::vector<float>& out) {
  add_size(view, out);
  add_heights(view, out);
  add_swings(view, out);
}

}  // namespace tidegauge::verdict
