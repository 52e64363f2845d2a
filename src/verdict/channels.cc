// SPDX-License-Identifier: Apache-2.0
#include "verdict/channels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kFewestForSpikes = 8;
constexpr double kSpike = 5;      // typical changes above both neighbours
constexpr double kLastSpike = 8;  // the last point has only one neighbour
constexpr double kLastAgainstTrend = 4;

void push(Curve& curve, double x, double z) {
  // Two stretches can only share a place on the clock if the clock stood still.
  if (!curve.x.empty() && x <= curve.x.back()) {
    x = std::nextafter(curve.x.back(), INFINITY) + 1e-9 * std::fabs(curve.x.back());
  }
  curve.x.push_back(x);
  curve.z.push_back(z);
}

Curve read_troughs(const Track& track, std::size_t first, std::size_t last, std::size_t parts) {
  Curve curve;
  std::vector<std::size_t> inside;
  for (const auto trough : track.troughs) {
    if (trough >= first && trough <= last) inside.push_back(trough);
  }
  const std::size_t group = std::max<std::size_t>(1, (inside.size() + parts - 1) / parts);
  for (std::size_t i = 0; i + group <= inside.size(); i += group) {
    std::vector<double> lows;
    double x = 0;
    for (std::size_t k = i; k < i + group; ++k) {
      lows.push_back(track.points[inside[k]].low);
      x += track.clock[inside[k]];
    }
    push(curve, x / static_cast<double>(group), median(lows));
  }
  return curve;
}

// One part: the points that fell into a stretch of the clock.
struct Part {
  std::vector<double> means{};
  double sum_x = 0;
  double low = 0;
  double low_x = 0;

  void clear() {
    means.clear();
    sum_x = 0;
  }
  void add(const Point& point, double x) {
    if (means.empty() || point.low < low) {
      low = point.low;
      low_x = x;
    }
    means.push_back(point.mean);
    sum_x += x;
  }
  double x(Channel channel) const {
    return channel == Channel::Minimum ? low_x : sum_x / static_cast<double>(means.size());
  }
  double z(Channel channel) const {
    switch (channel) {
      case Channel::Minimum:
        return low;
      case Channel::LowerQuartile:
        return quantile(means, 0.25);
      case Channel::Median:
        return median(means);
      default:
        return mean(means);
    }
  }
};

}  // namespace

const char* name_of(Channel channel) {
  switch (channel) {
    case Channel::Minimum:
      return "minimum";
    case Channel::LowerQuartile:
      return "lower quartile";
    case Channel::Median:
      return "median";
    case Channel::Mean:
      return "mean";
    case Channel::Trough:
      return "troughs";
  }
  return "";
}

Curve read_channel(const Track& track, std::size_t first, std::size_t last, Channel channel,
                   std::size_t parts) {
  if (channel == Channel::Trough) return read_troughs(track, first, last, parts);
  Curve curve;
  const double begin = track.clock[first];
  const double width = (track.clock[last] - begin) / static_cast<double>(parts);
  if (!(width > 0)) return curve;
  Part part;
  std::size_t current = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const double place = std::max(0.0, (track.clock[i] - begin) / width);
    const auto index = std::min(parts - 1, static_cast<std::size_t>(place));
    if (index != current && !part.means.empty()) {
      push(curve, part.x(channel), part.z(channel));
      part.clear();
    }
    current = index;
    part.add(track.points[i], track.clock[i]);
  }
  push(curve, part.x(channel), part.z(channel));
  return curve;
}

void remove_lone_spikes(Curve& curve) {
  auto& z = curve.z;
  const std::size_t n = z.size();
  if (n < kFewestForSpikes) return;
  const double typical = std::max(robust_deviation(differences(z)), 1e-9);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double above = z[i] - std::max(z[i - 1], z[i + 1]);
    if (above > kSpike * typical && std::fabs(z[i - 1] - z[i + 1]) < above / 2) {
      z[i] = (z[i - 1] + z[i + 1]) / 2;
    }
  }
  const double jump = z[n - 1] - z[n - 2];
  if (jump > kLastSpike * typical && jump > kLastAgainstTrend * std::fabs(z[n - 2] - z[n - 3])) {
    z[n - 1] = z[n - 2];
  }
}

}  // namespace tidegauge::verdict
