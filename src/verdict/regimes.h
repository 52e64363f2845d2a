// SPDX-License-Identifier: Apache-2.0
// Where the story begins anew: a restart. What came before it is not judged, but remembered: a
// program that grew as fast before its restart has been growing for longer than since then.
#pragma once

#include <span>
#include <vector>

#include "verdict/block_series.h"

namespace tidegauge::verdict {

struct Regime {
  std::size_t begin = 0;       // first point of the current regime
  std::size_t end = 0;         // one past its last: what fell at the very end is no regime yet
  std::size_t restarts = 0;    // how many there were
  double previous_slope = 0;   // bytes per second before the last restart; 0: it did not grow
  double previous_length = 0;  // seconds; 0 likewise
};

// `marked`: times of restarts that somebody told us. Without any, drops that can only be restarts
// are looked for.
Regime find_regime(std::span<const Point> points, std::span<const double> marked);

}  // namespace tidegauge::verdict
