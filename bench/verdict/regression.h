// SPDX-License-Identifier: Apache-2.0
// Lines through points, and series in blocks: what the baselines are made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tidegauge::bench {

struct Line {
  double intercept = 0;
  double slope = 0;
  double r_squared = 0;
  double slope_error = 0;  // standard error, as if noise were independent
  double squared_residuals = 0;
};
// Ordinary least squares; all zero for fewer than three points or no spread in x.
Line fit_line(std::span<const double> x, std::span<const double> y);

struct Points {
  std::vector<double> x{};
  std::vector<double> y{};

  std::size_t size() const { return x.size(); }
  std::span<const double> xs(std::size_t from, std::size_t to) const {
    return std::span(x).subspan(from, to - from);
  }
  std::span<const double> ys(std::size_t from, std::size_t to) const {
    return std::span(y).subspan(from, to - from);
  }
};
// The lowest point of each of `blocks` equal parts of the time; empty parts are left out.
Points block_minima(std::span<const double> x, std::span<const double> y, std::size_t blocks);
// The median of each `width` of the time, at its middle.
Points block_medians(std::span<const double> x, std::span<const double> y, double width);

double median_of(std::vector<double> values);  // 0 of nothing

}  // namespace tidegauge::bench
