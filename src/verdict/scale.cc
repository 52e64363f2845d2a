// SPDX-License-Identifier: Apache-2.0
#include "verdict/scale.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr double kMegabyte = 1e6;
// Noise is at least five pages, two ten-thousandths of the level, and what rounding to a quantum
// gives (a uniform error: 1/sqrt(12)).
constexpr double kLeastNoise = 0.02 * kMegabyte;
constexpr double kLeastNoiseOfLevel = 2e-4;
constexpr double kRounding = 0.29;
// Nobody rounds to more than this share of what there is: larger steps are the job's own.
constexpr double kCoarsest = 0.05;
// Growth is at least a megabyte, two thousandths of the level, and more than one quantum.
constexpr double kLeastGrowth = kMegabyte;
constexpr double kLeastGrowthOfLevel = 0.002;
constexpr double kLeastQuanta = 1.5;
// Bounds for the noise from block to block, against dividing by nothing.
constexpr double kLeastStepNoise = 0.01 * kMegabyte;
constexpr double kLeastStepNoiseOfLevel = 1e-5;

}  // namespace

Scale scale_of(std::span<const Point> points, double quantum) {
  std::vector<double> means;
  for (const auto& point : points) means.push_back(point.mean);
  Scale scale;
  scale.level = median(means);
  const double level = std::fabs(scale.level);
  quantum = std::min(quantum, kCoarsest * level);
  const double change = robust_deviation(differences(means)) / std::sqrt(2.0);
  scale.step_noise =
      std::max({change, kRounding * quantum, kLeastStepNoiseOfLevel * level, kLeastStepNoise});
  scale.noise_floor = std::max({kLeastNoise, kLeastNoiseOfLevel * level, kRounding * quantum});
  scale.least_growth =
      std::max({kLeastGrowth, kLeastGrowthOfLevel * level, kLeastQuanta * quantum});
  return scale;
}

}  // namespace tidegauge::verdict
