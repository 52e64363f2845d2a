// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/regression.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::bench {

Line fit_line(std::span<const double> x, std::span<const double> y) {
  Line line;
  const auto count = x.size();
  if (count < 3) return line;
  const double n = static_cast<double>(count);
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < count; ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (xx <= 0) return line;
  line.slope = xy / xx;
  line.intercept = mean_y - line.slope * mean_x;
  line.squared_residuals = std::max(0.0, yy - line.slope * xy);
  line.r_squared = yy > 0 ? 1 - line.squared_residuals / yy : 0;
  line.slope_error = std::sqrt(line.squared_residuals / (n - 2) / xx);
  return line;
}

Points block_minima(std::span<const double> x, std::span<const double> y, std::size_t blocks) {
  Points out;
  const double width = (x.back() - x.front()) / static_cast<double>(blocks);
  if (width <= 0) return out;
  std::size_t current = blocks;  // none yet
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto block = std::min(blocks - 1, static_cast<std::size_t>((x[i] - x.front()) / width));
    if (block != current) {
      out.x.push_back(x[i]);
      out.y.push_back(y[i]);
      current = block;
    } else if (y[i] < out.y.back()) {
      out.x.back() = x[i];
      out.y.back() = y[i];
    }
  }
  return out;
}

Points block_medians(std::span<const double> x, std::span<const double> y, double width) {
  Points out;
  std::vector<double> block;
  std::size_t i = 0;
  while (i < x.size()) {
    const double number = std::floor((x[i] - x.front()) / width);
    const double end = x.front() + (number + 1) * width;
    block.clear();
    // At least the one at hand, should rounding say that it lies on the edge.
    do block.push_back(y[i++]);
    while (i < x.size() && x[i] < end);
    out.x.push_back(end - width / 2);
    out.y.push_back(median_of(block));
  }
  return out;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace tidegauge::bench
