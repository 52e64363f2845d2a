// SPDX-License-Identifier: Apache-2.0
// Outcomes as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/verdict/outcome.h"
#include "bench/verdict/score.h"

namespace tidegauge::bench {

// One row of the comparison of judges, on one suite.
struct Judged {
  std::string judge{};  // "tidegauge", "Mann-Kendall on minima"…
  Suite suite = Suite::A;
  Score score{};
};

std::string comparison_table(const std::vector<Judged>& rows);

// All of these are about the engine.
std::string class_table(const std::vector<Outcome>& outcomes);
std::string reliability_table(const std::vector<Outcome>& outcomes);
std::string interval_table(const std::vector<Outcome>& outcomes);

// Outcomes that pass, in their order.
std::vector<const Outcome*> of_suite(const std::vector<Outcome>& outcomes, Suite suite);
std::vector<const Outcome*> of_class(const std::vector<Outcome>& outcomes, Suite suite,
                                     const std::string& name, Label label);

}  // namespace tidegauge::bench
