// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/command.h"
#include "proc/examine.h"

namespace tidegauge::cli {

// What a command of ours finds around it: where recordings go, the terminal, Python.
std::vector<proc::Finding> examine_here(const Paper& paper);

}  // namespace tidegauge::cli
