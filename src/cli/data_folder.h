// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tidegauge::cli {

// Where recordings go that nobody named: $XDG_DATA_HOME/tidegauge, or ~/.local/share/tidegauge. It
// need not exist yet. Empty where there is neither variable nor home.
std::string data_folder();

}  // namespace tidegauge::cli
