// SPDX-License-Identifier: Apache-2.0
// Since when does the floor grow as it does now, and how much of that counts: climbing back to a
// level that was held before is no growth.
#pragma once

#include "verdict/floor.h"
#include "verdict/tail.h"

namespace tidegauge::verdict {

struct Ramp {
  std::size_t first = 0;          // point where growth at about today's pace began
  std::size_t concave_first = 0;  // further back, as long as it was only faster
  double since = 0;               // seconds: growth counts from here
  bool below_high_water = false;  // still under what was held before
};

Ramp find_ramp(const Track& track, const Floor& floor, const Tail& tail, std::size_t last,
               const Scale& scale, const Swings& swings);

// Chance that a floor which wandered before as this one did would climb like this by itself.
double chance_of_wandering(const Track& track, const Floor& floor, const Ramp& ramp, double slope,
                           const Scale& scale);

}  // namespace tidegauge::verdict
