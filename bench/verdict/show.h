// SPDX-License-Identifier: Apache-2.0
// One series, to look at it closely.
#pragma once

#include <string>

#include "bench/verdict/series.h"

namespace tidegauge::bench {

// As `tidegauge judge` reads it: time,rss_bytes; and its markers: time,step,epoch,event.
std::string to_csv(const Series& series);
std::string markers_to_csv(const Series& series);

// What it is.
std::string describe(const Series& series);

}  // namespace tidegauge::bench
