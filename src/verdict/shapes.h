// SPDX-License-Identifier: Apache-2.0
// What kind of growth is it: a line (or one that follows a warm-up), which goes on, or a curve that
// bends towards an end? Each shape is fitted and weighed by how well it explains the floor.
#pragma once

#include <functional>

#include "verdict/segments.h"

namespace tidegauge::verdict {

// Share of the whole curve's length over which the unbounded part has been going on, with what it
// weighs. Weights of both lists are relative to each other.
struct LineShape {
  double weight = 0;
  double age_share = 1;
};

// The bounded curve that fits best: where it leads. `grown` = share of the plateau reached by now.
struct BoundedShape {
  double plateau_growth = 0;  // from the curve's begin; infinite for log and power laws
  double length = 0;          // on the clock, from the curve's begin, until 95 % of that
};

struct ShapePosterior {
  std::vector<LineShape> lines{};
  double bounded = 0;  // weight of all curves that bend
  double line_weight() const;
  BoundedShape best_bounded{};
};

// `begin`, `end`: where on the clock the growth began and where it is now; the curve lies between.
// `deviation`: noise of the curve. `survival(share)`: how likely a warm-up of that share of the
// curve's length is to be still going on; tames slow exponentials, which are lines in disguise.
ShapePosterior weigh_shapes(const Curve& curve, double begin, double end, double deviation,
                            double least_growth, const std::function<double(double)>& survival);

}  // namespace tidegauge::verdict
