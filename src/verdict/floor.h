// SPDX-License-Identifier: Apache-2.0
// The floor of a series in straight pieces: the channel and the scale that show it with the
// smallest error, and as many pieces as the data pay for.
#pragma once

#include <optional>

#include "verdict/channels.h"
#include "verdict/scale.h"
#include "verdict/swings.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

struct Floor {
  Channel channel = Channel::Minimum;
  Curve curve{};
  std::vector<Segment> pieces{};
  double deviation = 0;       // of the curve around its pieces
  double long_deviation = 0;  // the same, counting that neighbours resemble each other
  double cost = 0;            // of the pieces: what decides between clocks
};

// Over points [0, last]. Empty where there are too few points.
std::optional<Floor> find_floor(const Track& track, std::size_t last, const Scale& scale,
                                const Swings& swings);

// The slope over points [first, last], from the channel and scale that give it best. `alpha` is the
// level at which the slope will be tested.
struct Zoom {
  Trend trend{};
  Curve curve{};
};
Zoom zoom_in(const Track& track, std::size_t first, std::size_t last, const Scale& scale,
             const Swings& swings, double alpha);

}  // namespace tidegauge::verdict
