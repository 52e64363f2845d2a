// SPDX-License-Identifier: Apache-2.0
// The best way to lay one, two, … straight pieces through a curve: exact, by dynamic programming.
// Pieces need not meet: a jump is two pieces.
#pragma once

#include <span>
#include <vector>

namespace tidegauge::verdict {

// A curve: values over a clock that rises.
struct Curve {
  std::vector<double> x{};
  std::vector<double> z{};
  std::size_t size() const { return x.size(); }
};

struct Segment {
  std::size_t begin = 0;  // first point
  std::size_t end = 0;    // one past the last
  double intercept = 0;
  double slope = 0;
  double first_value = 0;  // of the line, at its first and last point
  double last_value = 0;

  double at(double x) const { return intercept + slope * x; }
};

struct Segmentation {
  double residual = 0;  // sum of squares
  std::vector<Segment> pieces{};
};

struct SegmentRules {
  int most_pieces = 6;
  int fewest_points = 3;       // a piece has two parameters: with fewer it explains anything
  int fewest_points_last = 3;  // the last piece carries the decision
};

// [k] is the best segmentation with k + 1 pieces; shorter where there are too few points.
std::vector<Segmentation> segment(const Curve& curve, const SegmentRules& rules);

}  // namespace tidegauge::verdict
