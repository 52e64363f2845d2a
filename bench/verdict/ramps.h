// SPDX-License-Identifier: Apache-2.0
// Straight ramps, leaks and first passes, with the same distribution of steepness. In suite A first
// passes are steep and leaks are not, and steepness alone tells them apart; no real program
// promises that.
#pragma once

#include <cstdint>

#include "bench/verdict/series.h"

namespace tidegauge::bench {

Series make_ramp_leak(std::uint64_t seed);
Series make_ramp_pass(std::uint64_t seed);  // ends after 1 to 45 minutes, without a mark

}  // namespace tidegauge::bench
