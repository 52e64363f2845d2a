// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/series.h"

#include <cmath>

namespace tidegauge::bench {

double ideal_z(const Series& series) {
  if (series.seconds.empty() || series.truth.noise_power <= 0) return 0;
  const double span = series.seconds.back() - series.truth.onset_seconds;
  if (span <= 0) return 0;
  const double per_second = series.truth.bytes_per_minute / 60;
  return per_second * std::sqrt(span * span * span / (12 * series.truth.noise_power));
}

}  // namespace tidegauge::bench
