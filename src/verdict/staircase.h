// SPDX-License-Identifier: Apache-2.0
// Growth by one step with each evaluation, save, epoch or compilation: seen on the clock of those
// events, where the floor between them is one value each.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verdict/block_series.h"
#include "verdict/marks.h"
#include "verdict/scale.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

// The floor between two events, or before the first.
struct Landing {
  double number = 0;  // events before it
  double floor = 0;
  std::optional<double> drift{};  // from its begin to its end
};

// Of the events that lie within the points.
std::vector<Landing> find_landings(std::span<const Point> points, const EventTrack& events,
                                   double block_width);

// One after the other, as trends are fitted to them.
struct LandingColumns {
  std::vector<double> numbers{};
  std::vector<double> floors{};
  std::vector<double> drifts{};  // of those that have one
};
LandingColumns columns_of(std::span<const Landing> landings);

struct Staircase {
  Trend trend{};          // bytes per event
  double step_error = 0;  // of the mean step, from how much the steps differ
  double events = 0;      // over which it climbed
  double spacing = 0;     // seconds from one event to the next
  double last_floor = 0;
  double began = 0;
};

// Empty unless the floor climbs with these events and lies still between them. `alpha`: level of
// the test.
std::optional<Staircase> find_staircase(std::span<const Point> points, const EventTrack& events,
                                        const Scale& scale, double block_width, double alpha);

}  // namespace tidegauge::verdict
