// SPDX-License-Identifier: Apache-2.0
// When the limit is reached, if growth goes on as it does: with the height of the spikes taken off
// the headroom, because it is a spike that hits the limit first.
#pragma once

#include <optional>

#include "verdict/analysis.h"
#include "verdict/limits.h"

namespace tidegauge::verdict {

// At the analysis's rate. Empty where that is none, or where what grows ends below the limit.
std::optional<Forecast> forecast(const Analysis& analysis, const Limit& limit);

}  // namespace tidegauge::verdict
