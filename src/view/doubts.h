// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace tidegauge::view {

// What would change the verdict, and what it cannot know: sentences, at least one.
std::vector<std::string> doubts(const verdict::Verdict& verdict);

}  // namespace tidegauge::view
