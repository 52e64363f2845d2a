// SPDX-License-Identifier: Apache-2.0
// The few statistics that scores are made of.
#pragma once

#include <optional>
#include <vector>

namespace tidegauge::bench {

// The q-quantile (0..1), a value that occurs; nothing of nothing.
std::optional<double> quantile_of(std::vector<double> values, double q);

// Probability that a positive scores higher than a negative, ties counted half.
std::optional<double> area_under_curve(const std::vector<double>& positives,
                                       const std::vector<double>& negatives);

// Share of positives above a threshold that at most `rate` of the negatives pass.
std::optional<double> found_at_false_rate(const std::vector<double>& positives,
                                          std::vector<double> negatives, double rate);

// 95 % interval of a share (Wilson), in 0..1.
struct Share {
  double value = 0;
  double low = 0;
  double high = 0;
};
std::optional<Share> share_of(std::size_t part, std::size_t whole);

}  // namespace tidegauge::bench
