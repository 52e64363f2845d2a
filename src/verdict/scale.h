// SPDX-License-Identifier: Apache-2.0
// What counts as small in a series: its noise, its rounding, and the growth below which nobody
// needs a word.
#pragma once

#include <span>

#include "verdict/block_series.h"

namespace tidegauge::verdict {

struct Scale {
  double level = 0;         // median of the block means
  double step_noise = 0;    // deviation of block means from one to the next
  double noise_floor = 0;   // no fit is trusted to be more exact than this
  double least_growth = 0;  // less growth than this in all is called none
};

Scale scale_of(std::span<const Point> points, double quantum);

}  // namespace tidegauge::verdict
