// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/outcome.h"

#include <algorithm>

namespace tidegauge::bench {

std::vector<std::size_t> look_indices(const Series& series) {
  std::vector<std::size_t> indices;
  const auto& at = series.seconds;
  for (std::size_t k = 1; k <= kLooks; ++k) {
    const double until = at.back() * static_cast<double>(k) / kLooks;
    const auto after = std::upper_bound(at.begin(), at.end(), until * (1 + 1e-12));
    if (after == at.begin()) continue;
    const auto index = static_cast<std::size_t>(after - at.begin()) - 1;
    // A very short series has fewer samples than looks.
    if (indices.empty() || index > indices.back()) indices.push_back(index);
  }
  return indices;
}

Outcome outcome_of(const Kind& kind, const Series& series) {
  Outcome out;
  out.suite = kind.suite;
  out.name = kind.name;
  out.seed = series.seed;
  out.accepted = kind.accepted;
  out.duration_seconds = series.seconds.back();
  out.limit_bytes = series.limit_bytes;
  out.ideal_z = ideal_z(series);
  out.has_marks = !series.marks.empty() || !series.steps.empty();
  out.truth = series.truth;
  return out;
}

}  // namespace tidegauge::bench
