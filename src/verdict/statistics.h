// SPDX-License-Identifier: Apache-2.0
// The few statistics that every stage of the judgement shares.
#pragma once

#include <span>
#include <vector>

namespace tidegauge::verdict {

// All of these give 0 for no values.
double median(std::vector<double> values);
double quantile(std::vector<double> values, double share);  // share 0..1, nearest rank
double mean(std::span<const double> values);
// Median distance from the median, scaled so that it estimates the deviation of normal noise.
double robust_deviation(const std::vector<double>& values);
std::vector<double> differences(std::span<const double> values);

double normal_cdf(double z);
double normal_quantile(double probability);
// Student's t, by Cornish and Fisher's expansion: within 1 % for three or more degrees of freedom
// at the levels that we use.
double t_quantile(double probability, double degrees_of_freedom);

double logit(double probability);
double logistic(double log_odds);

}  // namespace tidegauge::verdict
