// SPDX-License-Identifier: Apache-2.0
// How fast the floor grows, with an interval that covers what it claims: the slope's own error,
// what the channels disagree by, that growth may come in jumps, and that it may still be bending.
#pragma once

#include "verdict/channels.h"
#include "verdict/scale.h"
#include "verdict/trend.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

// Per unit of the track's clock, over points [first, last], whose trend is known. `collected`: only
// troughs are a floor.
Interval rate_of(const Track& track, std::size_t first, std::size_t last, const Trend& trend,
                 const Scale& scale, bool collected);

}  // namespace tidegauge::verdict
