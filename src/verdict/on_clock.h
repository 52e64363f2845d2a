// SPDX-License-Identifier: Apache-2.0
// One series judged on one clock, seconds or steps: floor, tail, ramp, shapes, survival.
#pragma once

#include <optional>
#include <vector>

#include "verdict/setting.h"

namespace tidegauge::verdict {

// `clock`: place of each of the setting's points. Empty: too few points for a floor.
std::optional<Analysis> judge_on_clock(const Setting& setting, const std::vector<double>& clock);

}  // namespace tidegauge::verdict
