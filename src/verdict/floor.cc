// SPDX-License-Identifier: Apache-2.0
#include "verdict/floor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::array<std::size_t, 3> kFloorParts = {48, 32, 20};
constexpr std::array<std::size_t, 4> kZoomParts = {40, 24, 14, 9};
// By how much a channel's error must be smaller to be preferred to minima: a mean that is only a
// little more exact than the minima may be so because of spikes. In the order of Channel.
constexpr std::array kFloorHandicap = {1.0, 1.15, 1.3, 1.4, 0.9};
constexpr std::array kZoomHandicap = {1.0, 1.1, 1.2, 1.25, 0.95};

constexpr std::size_t kFewestFloorPoints = 5;
constexpr std::size_t kFewestZoomPoints = 4;
constexpr std::size_t kFewestTroughs = 6;
constexpr std::size_t kFewestTroughsCollected = 4;
// Minima of a collected heap are a floor only over more than one period.
constexpr double kPeriods = 1.2;
constexpr double kMostPersistence = 0.9;
// Spread may be this much larger than what the median distance says before it counts as outliers.
constexpr double kOutlierAllowance = 1.6;
// A piece has two parameters and a place: it must save this many times the log of the points.
constexpr double kPriceOfPiece = 3 * 1.6;
// Points of a low channel that stand this many deviations above a straight line are spikes.
constexpr double kClip = 4;

int most_pieces(std::size_t points) {
  return points >= 40 ? 6 : points >= 24 ? 4 : points >= 15 ? 3 : points >= 9 ? 2 : 1;
}

std::size_t index_of(Channel channel) {
  return static_cast<std::size_t>(channel);
}

// How many parts a channel may be cut into at this scale; 0: it does not apply here.
std::size_t parts_for(const Track& track, std::size_t first, std::size_t last, Channel channel,
                      std::size_t wanted, bool finest, const Swings& swings) {
  std::size_t parts = std::min(wanted, last - first + 1);
  if (channel == Channel::Trough) {
    const auto troughs =
        std::count_if(swings.troughs.begin(), swings.troughs.end(),
                      [&](std::size_t trough) { return trough >= first && trough <= last; });
    const auto fewest = swings.collected ? kFewestTroughsCollected : kFewestTroughs;
    return finest && static_cast<std::size_t>(troughs) >= fewest ? parts : 0;
  }
  if (!swings.collected) return parts;
  if (channel != Channel::Minimum || !finest) return 0;
  const double duration = track.points[last].at - track.points[first].at;
  return std::min(parts, static_cast<std::size_t>(duration / (kPeriods * swings.period)));
}

struct Residuals {
  double deviation = 0;
  double robust = 0;
  double persistence = 0;
};

Residuals residuals_of(const Curve& curve, const Segmentation& fit, double noise_floor) {
  std::vector<double> r;
  for (const auto& piece : fit.pieces) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      r.push_back(curve.z[i] - piece.at(curve.x[i]));
    }
  }
  const auto n = static_cast<double>(curve.size());
  const auto pieces = static_cast<double>(fit.pieces.size());
  const double freedom = std::max(2.0, n - 3 * pieces + 1);
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i > 0) product += r[i] * r[i - 1];
    square += r[i] * r[i];
  }
  Residuals out;
  const double rho = square > 0 ? product / square : 0;
  out.persistence =
      std::clamp(rho + 2 * pieces / n * (1 + std::max(0.0, rho)), 0.0, kMostPersistence);
  const double plain = std::sqrt(fit.residual / freedom);
  const double robust = robust_deviation(r) * std::sqrt(n / freedom);
  out.deviation = std::max(plain, noise_floor);
  out.robust = std::max(noise_floor, std::min(plain, kOutlierAllowance * robust));
  return out;
}

double long_run(double deviation, double persistence) {
  return deviation * std::sqrt((1 + persistence) / (1 - persistence));
}

Floor with_pieces(Channel channel, Curve curve, std::vector<Segmentation> fits,
                  const Residuals& noise) {
  Floor floor{.channel = channel, .curve = std::move(curve)};
  floor.deviation = noise.robust;
  floor.long_deviation = long_run(noise.robust, noise.persistence);
  const double variance = floor.long_deviation * floor.long_deviation;
  const double points = static_cast<double>(std::max<std::size_t>(floor.curve.size(), 8));
  floor.cost = std::numeric_limits<double>::infinity();
  for (auto& fit : fits) {
    const auto extra = static_cast<double>(fit.pieces.size() - 1);
    const double cost = fit.residual / variance + kPriceOfPiece * extra * std::log(points);
    if (cost < floor.cost) {
      floor.cost = cost;
      floor.pieces = std::move(fit.pieces);
    }
  }
  return floor;
}

void clip_spikes(Curve& curve, double noise_floor) {
  const Trend line = fit_line(curve.x, curve.z, noise_floor);
  std::vector<double> r;
  for (std::size_t i = 0; i < curve.size(); ++i) r.push_back(curve.z[i] - line.at(curve.x[i]));
  const double most = median(r) + kClip * std::max(robust_deviation(r), noise_floor);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (r[i] > most) curve.z[i] -= r[i] - most;
  }
}

}  // namespace

std::optional<Floor> find_floor(const Track& track, std::size_t last, const Scale& scale,
                                const Swings& swings) {
  std::optional<Floor> best;
  double best_error = std::numeric_limits<double>::infinity();
  for (const Channel channel : kChannels) {
    std::size_t tried = 0;
    for (const std::size_t wanted : kFloorParts) {
      const bool finest = wanted == kFloorParts.front();
      const std::size_t parts = parts_for(track, 0, last, channel, wanted, finest, swings);
      if (parts < kFewestFloorPoints || parts == tried) continue;
      tried = parts;
      Curve curve = read_channel(track, 0, last, channel, parts);
      const std::size_t n = curve.size();
      if (n < kFewestFloorPoints) continue;
      if (channel < Channel::Mean) remove_lone_spikes(curve);
      auto fits = segment(curve, {.most_pieces = most_pieces(n),
                                  .fewest_points = 3,
                                  .fewest_points_last = static_cast<int>(n / 9)});
      if (fits.empty()) continue;
      const Residuals noise = residuals_of(curve, fits.back(), scale.noise_floor);
      const double error = long_run(noise.deviation, noise.persistence) /
                           std::sqrt(static_cast<double>(n)) * kFloorHandicap[index_of(channel)];
      if (error < best_error) {
        best_error = error;
        best = with_pieces(channel, std::move(curve), std::move(fits), noise);
      }
    }
  }
  return best;
}

Zoom zoom_in(const Track& track, std::size_t first, std::size_t last, const Scale& scale,
             const Swings& swings, double alpha) {
  Zoom best;
  best.trend.error = std::numeric_limits<double>::infinity();
  double best_width = std::numeric_limits<double>::infinity();
  for (const Channel channel : kChannels) {
    std::size_t tried = 0;
    for (const std::size_t wanted : kZoomParts) {
      const bool finest = wanted == kZoomParts.front();
      const std::size_t parts = parts_for(track, first, last, channel, wanted, finest, swings);
      if (parts < kFewestZoomPoints || parts == tried) continue;
      tried = parts;
      Curve curve = read_channel(track, first, last, channel, parts);
      if (curve.size() < kFewestZoomPoints) continue;
      if (channel <= Channel::LowerQuartile) clip_spikes(curve, scale.noise_floor);
      const Trend trend = fit_trend(curve.x, curve.z, scale.noise_floor);
      const double width = trend.error * kZoomHandicap[index_of(channel)] *
                           t_quantile(1 - alpha, std::max(2, trend.points - 2));
      if (width < best_width) {
        best_width = width;
        best = {trend, std::move(curve)};
      }
    }
  }
  return best;
}

}  // namespace tidegauge::verdict
