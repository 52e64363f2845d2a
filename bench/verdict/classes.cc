// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/classes.h"

namespace tidegauge::bench {

Series make_series(const SeriesClass& klass, std::uint64_t seed) {
  Sketch sketch(klass.name, seed);
  klass.draw(sketch);
  sketch.truth.label = klass.label;
  return sketch.finish(klass.name, seed);
}

}  // namespace tidegauge::bench
