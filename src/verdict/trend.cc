// SPDX-License-Identifier: Apache-2.0
#include "verdict/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr int kFewestPoints = 4;
// Values smoother than half the noise floor look persistent only because of rounding.
constexpr double kSmooth = 0.5;

struct Line {
  double slope = 0;
  double intercept = 0;
  double spread = 0;  // sum of squared distances of x from its mean
  double residual = 0;
  double persistence = 0;
  bool valid = false;
};

Line least_squares(std::span<const double> x, std::span<const double> z) {
  Line line;
  const auto n = x.size();
  const double mean_x = mean(x);
  const double mean_z = mean(z);
  double cross = 0;
  for (std::size_t i = 0; i < n; ++i) {
    line.spread += (x[i] - mean_x) * (x[i] - mean_x);
    cross += (x[i] - mean_x) * (z[i] - mean_z);
  }
  if (!(line.spread > 0)) return line;
  line.valid = true;
  line.slope = cross / line.spread;
  line.intercept = mean_z - line.slope * mean_x;
  double before = 0;
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = z[i] - line.intercept - line.slope * x[i];
    line.residual += r * r;
    if (i > 0) {
      product += r * before;
      square += before * before;
    }
    before = r;
  }
  line.persistence = square > 0 ? product / square : 0;
  return line;
}

Trend nothing(std::size_t points) {
  return {.error = std::numeric_limits<double>::infinity(), .points = static_cast<int>(points)};
}

Trend white(const Line& line, std::size_t points, double noise_floor) {
  const auto n = static_cast<double>(points);
  const double variance = std::max(line.residual / std::max(1.0, n - 2), noise_floor * noise_floor);
  return {.slope = line.slope,
          .intercept = line.intercept,
          .error = std::sqrt(variance / line.spread),
          .deviation = std::sqrt(variance),
          .persistence = 0,
          .points = static_cast<int>(points)};
}

// The noise wanders: only the steps from one point to the next are independent.
Trend wandering(std::span<const double> x, std::span<const double> z, double noise_floor) {
  double square = 0;
  double cross = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    square += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
    cross += (x[i] - x[i - 1]) * (z[i] - z[i - 1]);
  }
  if (!(square > 0)) return nothing(x.size());
  const double slope = cross / square;
  double residual = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double r = z[i] - z[i - 1] - slope * (x[i] - x[i - 1]);
    residual += r * r;
  }
  const auto n = static_cast<double>(x.size());
  const double variance = std::max(residual / std::max(1.0, n - 2), noise_floor * noise_floor);
  return {.slope = slope,
          .intercept = mean(z) - slope * mean(x),
          .error = std::sqrt(variance / square),
          .deviation = std::sqrt(variance),
          .persistence = 1,
          .points = static_cast<int>(x.size())};
}

// Generalised least squares after taking `rho` times the previous point off each.
Trend lingering(std::span<const double> x, std::span<const double> z, double rho,
                double noise_floor) {
  const double keep = 1 - rho * rho;  // weight of the first point
  const double one = 1 - rho;         // what becomes of the constant
  double s11 = keep;
  double s1x = keep * x[0];
  double sxx = keep * x[0] * x[0];
  double s1z = keep * z[0];
  double sxz = keep * x[0] * z[0];
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double u = x[i] - rho * x[i - 1];
    const double v = z[i] - rho * z[i - 1];
    s11 += one * one;
    s1x += one * u;
    sxx += u * u;
    s1z += one * v;
    sxz += u * v;
  }
  const double determinant = s11 * sxx - s1x * s1x;
  if (!(determinant > 0)) return nothing(x.size());
  const double slope = (s11 * sxz - s1x * s1z) / determinant;
  const double intercept = (sxx * s1z - s1x * sxz) / determinant;
  double residual = keep * std::pow(z[0] - intercept - slope * x[0], 2);
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double r = (z[i] - rho * z[i - 1]) - intercept * one - slope * (x[i] - rho * x[i - 1]);
    residual += r * r;
  }
  const auto n = static_cast<double>(x.size());
  const double variance =
      std::max(residual / std::max(1.0, n - 2), noise_floor * noise_floor * keep);
  return {.slope = slope,
          .intercept = intercept,
          .error = std::sqrt(variance * s11 / determinant),
          .deviation = std::sqrt(variance / keep),
          .persistence = rho,
          .points = static_cast<int>(x.size())};
}

// Small samples make persistence look smaller than it is; near 1 it is taken as 1, which is what
// keeps the test's size right for both kinds of noise.
double corrected_persistence(const Line& line, std::size_t points, double noise_floor) {
  const auto n = static_cast<double>(points);
  double rho = line.persistence + (2 + 4 * std::max(line.persistence, 0.0)) / n;
  rho = std::clamp(rho, 0.0, 1.0);
  if (line.residual / n < kSmooth * noise_floor * noise_floor) rho = std::min(rho, 0.5);
  return rho > 1 - 1 / std::sqrt(n) ? 1.0 : rho;
}

}  // namespace

double Trend::t() const {
  return error > 0 ? slope / error : 0;
}

double Trend::half_width(double confidence) const {
  return t_quantile(0.5 + confidence / 2, std::max(2, points - 2)) * error;
}

// Centred so that large values of x or z cost no digits.
Trend fit_trend(std::span<const double> x, std::span<const double> z, double noise_floor) {
  const auto n = x.size();
  if (static_cast<int>(n) < kFewestPoints) return nothing(n);
  std::vector<double> cx(x.begin(), x.end());
  std::vector<double> cz(z.begin(), z.end());
  const double x0 = mean(x);
  const double z0 = mean(z);
  for (auto& value : cx) value -= x0;
  for (auto& value : cz) value -= z0;
  const Line line = least_squares(cx, cz);
  if (!line.valid) return nothing(n);
  const double rho = corrected_persistence(line, n, noise_floor);
  Trend trend = rho <= 0   ? white(line, n, noise_floor)
                : rho >= 1 ? wandering(cx, cz, noise_floor)
                           : lingering(cx, cz, rho, noise_floor);
  trend.intercept += z0 - trend.slope * x0;
  return trend;
}

Trend fit_line(std::span<const double> x, std::span<const double> z, double noise_floor) {
  if (static_cast<int>(x.size()) < kFewestPoints) return nothing(x.size());
  const Line line = least_squares(x, z);
  return line.valid ? white(line, x.size(), noise_floor) : nothing(x.size());
}

}  // namespace tidegauge::verdict
