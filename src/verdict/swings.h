// SPDX-License-Identifier: Apache-2.0
// What comes and goes: peaks, the troughs between them, how high the peaks stand, and whether the
// series is on its way up to one right now.
#pragma once

#include <span>
#include <vector>

#include "verdict/block_series.h"

namespace tidegauge::verdict {

struct Swings {
  std::vector<std::size_t> peaks{};    // indices of points
  std::vector<std::size_t> troughs{};  // the same
  double height = 0;                   // of a typical large peak above the floor around it
  bool rising = false;                 // the last swing goes up and has not turned
  std::size_t turned = 0;              // where the last swing began
  // Memory climbs slowly and falls at once, most of the time above its floor: a collected heap.
  // Then only troughs, or minima over more than a period, are a floor.
  bool collected = false;
  // Share of the time that is clearly above the floor around it; 1 where there are few swings.
  double above_floor = 1;
  double period = 0;  // typical time between troughs where `collected`
};

// `noise`: deviation of the block means from one to the next.
Swings find_swings(std::span<const Point> points, double noise, const SwingCounter& counted);

// Swings that take hardly longer than a block look like noise from one to the next. If there is
// noise, it is below the middle, too; if that is calm, they are told as what they are. Empty where
// they are slow enough to be found as above. `least_noise`: what rounding alone gives.
Swings find_quick_swings(std::span<const Point> points, const Swings& slow, double least_noise,
                         const SwingCounter& counted);

// The series rises slowly and falls fast, often: what a garbage collector draws.
bool draws_teeth(const SwingCounter& counted, double duration);

}  // namespace tidegauge::verdict
