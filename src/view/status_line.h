// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "view/live_state.h"

namespace tidegauge::view {

// The live view where there is no terminal: one line, without its newline. "3:21  step 70  24.2 GiB
// CANNOT TELL YET: Growing 171 MiB per step; step 103 will tell."
std::string status_line(const LiveState& state);

}  // namespace tidegauge::view
