// SPDX-License-Identifier: Apache-2.0
// The numbers that the engine has to show, beside what it shows.
#pragma once

#include <string>
#include <vector>

#include "bench/verdict/outcome.h"

namespace tidegauge::bench {

enum class Want { AtLeast, AtMost };

struct Goal {
  std::string what{};
  double measured = 0;
  Want want = Want::AtLeast;
  double bar = 0;

  bool reached() const { return want == Want::AtLeast ? measured >= bar : measured <= bar; }
};

// Those that the outcomes can say something about.
std::vector<Goal> goals_of(const std::vector<Outcome>& outcomes);
std::string goal_table(const std::vector<Goal>& goals);

}  // namespace tidegauge::bench
