// SPDX-License-Identifier: Apache-2.0
// The best that a baseline can do: threshold and persistence chosen on tuning seeds.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/verdict/baselines.h"
#include "bench/verdict/outcome.h"

namespace tidegauge::bench {

// Scores of all baselines on one series.
struct Scored {
  Outcome head{};  // without looks
  std::vector<double> look_seconds{};
  std::vector<std::vector<double>> scores{};  // [baseline][look]
};
Scored score_baselines(const Kind& kind, const Series& series);

// An alarm is raised when the score has been above the threshold for this long.
struct Setting {
  double alarm_threshold = 0;
  double persistence_minutes = 0;
  double finished_threshold = 0;
};
// The setting with the largest difference between leaks found and bounded series called leak, for
// alarms (ever) and for finished recordings each by itself.
Setting best_setting(const std::vector<Scored>& tuning, std::size_t baseline);

// What the baseline says with that setting.
Outcome outcome_with(const Scored& scored, std::size_t baseline, const Setting& setting);

}  // namespace tidegauge::bench
