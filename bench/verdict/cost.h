// SPDX-License-Identifier: Apache-2.0
// What judging costs. The only numbers of the benchmark that depend on the machine.
#pragma once

#include <string>
#include <vector>

#include "bench/verdict/catalogue.h"

namespace tidegauge::bench {

struct Cost {
  double nanoseconds_per_sample = 0;  // mean, of samples and marks together
  double milliseconds_per_verdict = 0;
  double milliseconds_worst_verdict = 0;
  double kilobytes_per_series = 0;  // mean of what a gauge holds at the end
  double kilobytes_largest = 0;
};

// One series of each kind, on one core.
Cost measure_cost(const std::vector<Kind>& kinds, std::uint64_t seed);
std::string cost_table(const Cost& cost);

}  // namespace tidegauge::bench
