// SPDX-License-Identifier: Apache-2.0
// What others do, as scores: the higher, the more it looks like a leak. Each gets the threshold and
// the persistence that suit it best (tuning.h).
#pragma once

#include <span>
#include <string_view>

namespace tidegauge::bench {

// A series until now.
struct Prefix {
  std::span<const double> seconds;
  std::span<const double> bytes;
  double limit_bytes = 0;
};

struct Baseline {
  std::string_view name;
  double (*score)(const Prefix& prefix);
};

std::span<const Baseline> baselines();

inline constexpr std::size_t kFewestSamples = 20;  // with fewer every score is 0

// Linear regression behind change points, R² above 0.8, time to the limit (Precog, LBR). The second
// first learns from the first third which trends are normal.
double precog(const Prefix& prefix);
double precog_trained(const Prefix& prefix);

// Of constant, line, and each pair of them with one change point the one with the best BIC; t of
// its last slope.
double best_of_two_pieces(const Prefix& prefix);

}  // namespace tidegauge::bench
