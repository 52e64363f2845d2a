// SPDX-License-Identifier: Apache-2.0
// The sentences under the headline: what a reader wants to know next, three at most.
#pragma once

#include <string>

#include "verdict/verdict.h"

namespace tidegauge::view {

std::string lead_of(const verdict::Verdict& verdict);

}  // namespace tidegauge::view
