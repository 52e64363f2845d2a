// SPDX-License-Identifier: Apache-2.0
// What `run` knows of earlier runs of the same command, and adds to it.
#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace tidegauge::cli {

// `keep_warm_up`: the user said how long one may last.
verdict::Rules with_history(const std::vector<std::string>& command, const verdict::Rules& rules,
                            bool keep_warm_up);

// A history that cannot be written is no reason to trouble anybody.
void remember_run(const std::vector<std::string>& command, const verdict::Verdicts& verdicts);

}  // namespace tidegauge::cli
