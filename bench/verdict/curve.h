// SPDX-License-Identifier: Apache-2.0
// The trade-off behind the thresholds: what would be found, and falsely, if "leak" were said at
// another probability.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/verdict/outcome.h"

namespace tidegauge::bench {

struct CurvePoint {
  double threshold = 0;  // of p_leak
  // Shares of series, 0..1.
  double found = 0;         // leaks, at the end
  double false_at_end = 0;  // bounded, at the end
  double ever_false = 0;    // bounded, at any look
  double undecidable = 0;   // undecidable, at any look
};

std::vector<CurvePoint> curve_of(const std::vector<const Outcome*>& outcomes);
std::string curve_table(const std::vector<Outcome>& outcomes);

}  // namespace tidegauge::bench
