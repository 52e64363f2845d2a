// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "proc/examine.h"

namespace tidegauge::cli {

// What `run --guard` could do here. Makes empty groups for a moment to find out.
std::vector<proc::Finding> examine_guard();

}  // namespace tidegauge::cli
