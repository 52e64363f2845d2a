// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "record/census.h"

namespace tidegauge::record {

// A census document, as `census --json` prints it: docs/census-format.md. Malformed: it is none.
Result<Census> parse_census(std::string_view text);
Result<Census> read_census(const std::string& path);
Result<Census> read_census(int fd);  // of a file that is open

}  // namespace tidegauge::record
