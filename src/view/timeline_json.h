// SPDX-License-Identifier: Apache-2.0
// A timeline as the page gets it: docs/report-format.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "view/timeline.h"

namespace tidegauge::view {

// Of the tree: time, step, lowest, highest, floor, kinds and bands.
nlohmann::ordered_json tree_series(const Timeline& timeline, const Progress& progress);
// Lowest and highest of each process.
nlohmann::ordered_json process_series(const Timeline& timeline);

}  // namespace tidegauge::view
