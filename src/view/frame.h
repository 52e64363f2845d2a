// SPDX-License-Identifier: Apache-2.0
// The live view as a function: state in, grid of cells out. No terminal, no clock.
#pragma once

#include "view/controls.h"
#include "view/grid.h"
#include "view/live_state.h"

namespace tidegauge::view {

// The answer is on top at any size; then the facts, the chart, the processes. Small screens lose
// the rest first. With `unicode` false every cell is ASCII.
Grid frame(const LiveState& state, const Controls& controls, Size size, bool unicode = true);

// What the keys are turned against.
Extent extent_of(const LiveState& state);

}  // namespace tidegauge::view
