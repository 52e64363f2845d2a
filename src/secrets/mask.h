// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::secrets {

// Arguments joined by blanks, with what looks like a secret replaced by ***. At most 4 KiB; an
// ellipsis stands for what was cut.
std::string masked_command(const std::vector<std::string>& arguments);

// Likewise of any text that is not ours, such as the name of a file.
std::string masked_text(std::string_view text);

}  // namespace tidegauge::secrets
