// SPDX-License-Identifier: Apache-2.0
// All that was found, weighed: the probability of a leak. Facts come before weights.
#pragma once

#include "verdict/setting.h"

namespace tidegauge::verdict {

// Fills in weighing, rule and p_leak.
void weigh_evidence(const Setting& setting, Analysis& analysis);

}  // namespace tidegauge::verdict
