// SPDX-License-Identifier: Apache-2.0
// Does the floor grow now? The slope of its last piece against a bar that stays valid however often
// one looks.
#pragma once

#include "verdict/floor.h"

namespace tidegauge::verdict {

struct Tail {
  std::size_t first = 0;  // point where the last piece begins
  Trend trend{};
  double bar = 0;     // what trend.t() must exceed
  double length = 0;  // on the clock
  double growth = 0;  // trend.slope * length
  bool grows = false;
  bool floor_lags = false;  // the average grew, the minima did not
};

// Level of the test at this many samples: it is spent over the doublings of the run, so that all
// looks together err as rarely as one.
double level_of_test(std::uint64_t samples);

Tail find_tail(const Track& track, const Floor& floor, std::size_t last, const Scale& scale,
               const Swings& swings, std::uint64_t samples);

// First point whose clock is not before x.
std::size_t point_at(const Track& track, std::size_t last, double x);

}  // namespace tidegauge::verdict
