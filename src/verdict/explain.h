// SPDX-License-Identifier: Apache-2.0
// How a verdict came about, for --explain: priors, floor, pieces, weights, and what would change
// it.
#pragma once

#include <string>
#include <vector>

#include "verdict/analysis.h"

namespace tidegauge::verdict {

std::vector<std::string> explain(const Verdict& verdict, const Material& material,
                                 const Analysis& analysis);

}  // namespace tidegauge::verdict
