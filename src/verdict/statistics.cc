// SPDX-License-Identifier: Apache-2.0
#include "verdict/statistics.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::verdict {

namespace {

// Makes the median distance of normal noise equal to its standard deviation.
constexpr double kNormalConsistency = 1.4826;
// Beyond this the normal quantile is of no further use to a decision.
constexpr double kFarTail = 8.0;

double& nth(std::vector<double>& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.size() / 2;
  const double upper = nth(values, middle);
  if (values.size() % 2 == 1) return upper;
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(middle);
  return (upper + *std::max_element(values.begin(), end)) / 2;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double last = static_cast<double>(values.size() - 1);
  return nth(values, static_cast<std::size_t>(std::clamp(share * last + 0.5, 0.0, last)));
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double robust_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - middle));
  return kNormalConsistency * median(std::move(distances));
}

std::vector<double> differences(std::span<const double> values) {
  std::vector<double> out;
  for (std::size_t i = 1; i < values.size(); ++i) out.push_back(values[i] - values[i - 1]);
  return out;
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// Acklam's rational approximation, relative error below 1.2e-9.
double normal_quantile(double probability) {
  constexpr double kCentral[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                                 -2.759285104469687e+02, 1.383577518672690e+02,
                                 -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double kCentralBelow[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                                      -1.556989798598866e+02, 6.680131188771972e+01,
                                      -1.328068155288572e+01, 1.0};
  constexpr double kTail[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                              -2.400758277161838e+00, -2.549732539343734e+00,
                              4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double kTailBelow[] = {7.784695709041462e-03, 3.224671290700398e-01,
                                   2.445134137142996e+00, 3.754408661907416e+00, 1.0};
  constexpr double kTailBegins = 0.02425;
  const auto polynomial = [](std::span<const double> coefficients, double x) {
    double value = 0;
    for (const double c : coefficients) value = value * x + c;
    return value;
  };
  if (probability <= 0) return -kFarTail;
  if (probability >= 1) return kFarTail;
  if (probability > 1 - kTailBegins) return -normal_quantile(1 - probability);
  if (probability < kTailBegins) {
    const double q = std::sqrt(-2 * std::log(probability));
    return polynomial(kTail, q) / polynomial(kTailBelow, q);
  }
  const double q = probability - 0.5;
  return polynomial(kCentral, q * q) * q / polynomial(kCentralBelow, q * q);
}

double t_quantile(double probability, double degrees_of_freedom) {
  const double z = normal_quantile(probability);
  const double nu = std::max(degrees_of_freedom, 1.0);
  const double z2 = z * z;
  const double z3 = z2 * z;
  const double z5 = z3 * z2;
  const double z7 = z5 * z2;
  return z + (z3 + z) / (4 * nu) + (5 * z5 + 16 * z3 + 3 * z) / (96 * nu * nu) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * nu * nu * nu);
}

double logit(double probability) {
  return std::log(probability / (1 - probability));
}

double logistic(double log_odds) {
  return 1 / (1 + std::exp(-log_odds));
}

}  // namespace tidegauge::verdict
