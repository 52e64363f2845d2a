// SPDX-License-Identifier: Apache-2.0
// Growth by one step with each evaluation, save, epoch or compilation: seen on the clock of those
// events, where the floor between them is one value each.
#pragma once

#include <optional>
#include <span>

#include "verdict/block_series.h"
#include "verdict/marks.h"
#include "verdict/scale.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

struct Staircase {
  Trend trend{};       // bytes per event
  double events = 0;   // over which it climbed
  double spacing = 0;  // seconds from one event to the next
  double last_floor = 0;
  double began = 0;
};

// Empty unless the floor climbs with these events and lies still between them. `alpha`: level of
// the test.
std::optional<Staircase> find_staircase(std::span<const Point> points, const EventTrack& events,
                                        const Scale& scale, double block_width, double alpha);

}  // namespace tidegauge::verdict
