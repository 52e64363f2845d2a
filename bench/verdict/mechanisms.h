// SPDX-License-Identifier: Apache-2.0
// Jobs made of mechanisms (workload.h): zero to three bounded stores, up to two things that come
// and go, marks, noise and defects; and in one half of them a leak.
#pragma once

#include <cstdint>

#include "bench/verdict/series.h"

namespace tidegauge::bench {

Series make_mechanism_leak(std::uint64_t seed);
// Undecidable where it still rises at full speed at the end: nothing in the data can tell.
Series make_mechanism_bounded(std::uint64_t seed);

}  // namespace tidegauge::bench
