// SPDX-License-Identifier: Apache-2.0
// The slope of a noisy line, with an error that is honest whether the noise forgets (white),
// lingers (autoregressive) or wanders (random walk): Perron and Yabu's feasible generalised least
// squares.
#pragma once

#include <span>

namespace tidegauge::verdict {

struct Trend {
  double slope = 0;
  double intercept = 0;
  double error = 0;        // standard error of the slope; infinite where there is no fit
  double deviation = 0;    // of the values around the line
  double persistence = 0;  // lag-1 autocorrelation of the noise, 0..1; 1: it wanders
  int points = 0;

  double t() const;
  double at(double x) const { return intercept + slope * x; }
  // Half width of the interval that covers the slope with this confidence.
  double half_width(double confidence) const;
};

// `noise_floor`: no fit is trusted to be more exact than this, however smooth the values look.
// x must rise. Fewer than four points give no fit.
Trend fit_trend(std::span<const double> x, std::span<const double> z, double noise_floor);

// The same for noise that is known to forget: ordinary least squares.
Trend fit_line(std::span<const double> x, std::span<const double> z, double noise_floor);

}  // namespace tidegauge::verdict
