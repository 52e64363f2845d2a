// SPDX-License-Identifier: Apache-2.0
// The parts of the frame around the chart.
#pragma once

#include "view/controls.h"
#include "view/grid.h"
#include "view/live_state.h"

namespace tidegauge::view {

// Each draws into its rows and leaves what does not fit.
void draw_title(Grid& grid, const LiveState& state, const Controls& controls, int row);
// Tag and headline, on as many rows as allowed; returns how many it took.
int draw_verdict(Grid& grid, const LiveState& state, int row, int most);
// How many facts stand in a row: two where each of them fits whole into half of it.
int facts_across(const LiveState& state, int columns);
void draw_facts(Grid& grid, const LiveState& state, const Rect& area);
void draw_processes(Grid& grid, const LiveState& state, const Controls& controls, const Rect& area);
void draw_kinds(Grid& grid, const LiveState& state, const Rect& area);
// Kinds, evidence and events beside the chart.
void draw_side(Grid& grid, const LiveState& state, const Rect& area);
void draw_rule(Grid& grid, int row, int column, int columns, std::string_view title);
void draw_keys(Grid& grid, const LiveState& state, const Controls& controls, int row);
void draw_help(Grid& grid, const Rect& area);

}  // namespace tidegauge::view
