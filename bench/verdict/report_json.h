// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/verdict/cost.h"
#include "bench/verdict/report.h"

namespace tidegauge::bench {

// Everything that the tables show, {"schema": "tidegauge/bench-verdict/1", …}. All but "cost" is
// the same for the same seeds.
std::string json_report(const std::vector<Outcome>& outcomes, const std::vector<Judged>& rows,
                        const std::optional<Cost>& cost);

}  // namespace tidegauge::bench
