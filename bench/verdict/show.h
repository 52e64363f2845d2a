// SPDX-License-Identifier: Apache-2.0
// One series, to look at it closely.
#pragma once

#include <string>
#include <vector>

#include "bench/verdict/outcome.h"
#include "bench/verdict/series.h"

namespace tidegauge::bench {

// As `tidegauge judge` reads it: time,rss_bytes; and its markers: time,step,epoch,event.
std::string to_csv(const Series& series);
std::string markers_to_csv(const Series& series);

// What it is.
std::string describe(const Series& series);

// Every look of every series, for those who ask what another bar would do.
std::string looks_csv(const std::vector<Outcome>& outcomes);

}  // namespace tidegauge::bench
