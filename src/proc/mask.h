// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tidegauge::proc {

// Arguments joined by blanks, with what looks like a secret replaced by ***. At most 4 KiB; an
// ellipsis stands for what was cut.
std::string masked_command(const std::vector<std::string>& arguments);

}  // namespace tidegauge::proc
