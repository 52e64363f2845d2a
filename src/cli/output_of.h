// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tidegauge::cli {

// What a program prints on stdout, if it ends well and in time; else what it says on stderr. For
// processes with threads, which must not fork by themselves.
Result<std::string> output_of(const std::vector<std::string>& arguments, double most_seconds);

}  // namespace tidegauge::cli
