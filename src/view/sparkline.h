// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "view/history.h"

namespace tidegauge::view {

// A series in one line, one character a column, from nothing to its highest: "▁▃▅▇███". A gap is a
// blank. Empty if there is nothing to show.
std::string sparkline(const History& history, std::size_t columns, bool unicode);

}  // namespace tidegauge::view
