// SPDX-License-Identifier: Apache-2.0
#include "verdict/features.h"

#include <algorithm>
#include <cmath>

#include "verdict/feature_view.h"
#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kCoarseParts = 32;
constexpr double kSecondDifference = 2.449489742783178;  // sqrt(6): of white noise
constexpr float kMostLog = 20;

Curve coarse(const Track& track, std::size_t last, Channel channel) {
  Curve curve = read_channel(track, 0, last, channel, std::min(kCoarseParts, last + 1));
  remove_lone_spikes(curve);
  return curve;
}

}  // namespace

const char* name_of(Evidence group) {
  switch (group) {
    case Evidence::Slope:
      return "slope of the floor";
    case Evidence::Size:
      return "size against noise";
    case Evidence::Records:
      return "new heights reached";
    case Evidence::Shape:
      return "shape of the growth";
    case Evidence::Swings:
      return "troughs and peaks";
    case Evidence::Events:
      return "steps with events";
    case Evidence::Clock:
      return "how long it has been growing";
    case Evidence::Pieces:
      return "straight pieces";
  }
  return "";
}

float squashed(double value) {
  if (std::isnan(value)) return kAbsent;
  return static_cast<float>(std::asinh(std::clamp(value, -1e6, 1e6)));
}

float log_ratio(double a, double b) {
  if (!(a > 0) || !(b > 0)) return a > 0 ? kMostLog : -kMostLog;
  return std::clamp(static_cast<float>(std::log(a / b)), -kMostLog, kMostLog);
}

FeatureView view_of(const Setting& setting) {
  FeatureView view{.setting = &setting, .track = setting.track(setting.seconds)};
  view.last = setting.last;
  view.begin = setting.begin();
  view.length = std::max(setting.now() - setting.begin(), 1e-9);
  view.coarse_median = coarse(view.track, view.last, Channel::Median);
  view.coarse_minimum = coarse(view.track, view.last, Channel::Minimum);
  const auto& z = view.coarse_median.z;
  const auto [low, high] = std::minmax_element(z.begin(), z.end());
  view.range = std::max(*high - *low, setting.scale.noise_floor);
  const auto curvature = differences(differences(z));
  view.noise =
      std::max(robust_deviation(curvature) / kSecondDifference, setting.scale.noise_floor / 4);
  return view;
}

std::span<const FeatureInfo> feature_infos() {
  static const std::vector<FeatureInfo> all = [] {
    std::vector<FeatureInfo> out;
    for (const auto group :
         {slope_infos(), record_infos(), shape_infos(), event_infos(), piece_infos()}) {
      out.insert(out.end(), group.begin(), group.end());
    }
    return out;
  }();
  return all;
}

std::vector<float> features_of(const Setting& setting, const Analysis& analysis) {
  const FeatureView view = view_of(setting);
  std::vector<float> out;
  out.reserve(feature_infos().size());
  add_slopes(view, out);
  add_records(view, out);
  add_shapes(view, out);
  add_events(view, analysis, out);
  add_pieces(view, analysis, out);
  return out;
}

}  // namespace tidegauge::verdict
