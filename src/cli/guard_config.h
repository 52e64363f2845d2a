// SPDX-License-Identifier: Apache-2.0
// The guard's settings from a file, under the names that the flags have.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/guard_options.h"

namespace tidegauge::cli {

// What the text says, over the defaults; the guard is on. Malformed: the line and what is wrong.
Result<GuardOptions> parse_guard_config(std::string_view text);
Result<GuardOptions> read_guard_config(const std::string& path);

}  // namespace tidegauge::cli
