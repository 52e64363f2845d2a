// SPDX-License-Identifier: Apache-2.0
// Memory over time in braille: the floor solid, what comes and goes above it as a checkerboard, so
// that it reads without colour; phases, epochs, the limit, and where it may go from here.
#pragma once

#include <optional>
#include <string>

#include "verdict/verdict.h"
#include "view/controls.h"
#include "view/grid.h"
#include "view/history.h"
#include "view/progress.h"

namespace tidegauge::view {

struct Chart {
  const History& history;
  const Progress& progress;
  Window window{};            // what of the past is shown
  bool present = true;        // it ends now: the future may be shown too
  bool counts_steps = false;  // the recording knows no time, only steps
  bool by_step = false;
  bool unicode = true;
  const verdict::Verdict* verdict = nullptr;  // for limit, forecast and settling
};

// Fills `area`: the labels of the y axis on its left, two lines below for the x axis. Fits whatever
// the size; below 4 rows or 16 columns there is nothing to draw.
void draw_chart(Grid& grid, const Rect& area, const Chart& chart);

}  // namespace tidegauge::view
