// SPDX-License-Identifier: Apache-2.0
// What a series looks like, in numbers without a unit: the evidence that is weighed to say how
// likely a leak is. No feature may name a class of program: no megabytes, no seconds, no period.
// Time enters only as a share of the run or of the longest warm-up that is expected.
#pragma once

#include <span>
#include <vector>

#include "verdict/setting.h"

namespace tidegauge::verdict {

// Which kind of evidence a feature belongs to: what `--explain` names.
enum class Evidence { Slope, Size, Records, Shape, Swings, Events, Clock, Pieces };

const char* name_of(Evidence group);

struct FeatureInfo {
  const char* name = "";
  Evidence group = Evidence::Slope;
  // +1: more of it never makes a leak less likely; -1: never more likely; 0: either.
  int direction = 0;
};

std::span<const FeatureInfo> feature_infos();

// In the order of feature_infos().
std::vector<float> features_of(const Setting& setting, const Analysis& analysis);

}  // namespace tidegauge::verdict
