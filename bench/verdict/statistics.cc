// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace tidegauge::bench {

std::optional<double> quantile_of(std::vector<double> values, double q) {
  if (values.empty()) return {};
  const double position = q * static_cast<double>(values.size() - 1);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(position + 0.5);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

std::optional<double> area_under_curve(const std::vector<double>& positives,
                                       const std::vector<double>& negatives) {
  if (positives.empty() || negatives.empty()) return {};
  auto sorted = negatives;
  std::sort(sorted.begin(), sorted.end());
  double wins = 0;
  for (const double score : positives) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), score);
    wins += static_cast<double>(low - sorted.begin()) + 0.5 * static_cast<double>(high - low);
  }
  return wins / (static_cast<double>(positives.size()) * static_cast<double>(negatives.size()));
}

std::optional<double> found_at_false_rate(const std::vector<double>& positives,
                                          std::vector<double> negatives, double rate) {
  if (positives.empty() || negatives.empty()) return {};
  std::sort(negatives.begin(), negatives.end(), std::greater<>());
  const auto may_pass = static_cast<std::size_t>(rate * static_cast<double>(negatives.size()));
  const double threshold = negatives[std::min(may_pass, negatives.size() - 1)];
  const auto found = std::count_if(positives.begin(), positives.end(),
                                   [&](double score) { return score > threshold; });
  return static_cast<double>(found) / static_cast<double>(positives.size());
}

std::optional<Share> share_of(std::size_t part, std::size_t whole) {
  if (whole == 0) return {};
  constexpr double kZ = 1.96;
  const double n = static_cast<double>(whole);
  const double p = static_cast<double>(part) / n;
  const double middle = p + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  const double scale = 1 + kZ * kZ / n;
  return Share{p, std::max(0.0, (middle - half) / scale), std::min(1.0, (middle + half) / scale)};
}

}  // namespace tidegauge::bench
