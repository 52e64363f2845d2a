// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/ramps.h"

#include <algorithm>
#include <utility>

#include "bench/verdict/shapes.h"
#include "bench/verdict/sketch.h"

namespace tidegauge::bench {
namespace {

constexpr double kLeastGrowth = 0.02;  // of the level, so that there is something to see

Sketch begin_ramp(Random random, double duration) {
  const double interval = random.pick({0.5, 1.0, 2.0, 5.0});
  const double level = random.log_uniform(100, 8000);
  Sketch s(std::move(random), duration, interval, level);
  s.limit = 20 * level;
  s.noise = {level * s.random.log_uniform(2e-4, 5e-3), level * s.random.log_uniform(2e-4, 3e-3),
             s.random.log_uniform(2, 60)};
  s.start(level);
  if (s.random.chance(0.3)) add_random_spikes(s, 0.05, 0.8);
  return s;
}

// Megabytes a second: 0.05 to 10 % of the level per minute.
double draw_speed(Sketch& s, double growing_seconds) {
  const double relative = s.random.log_uniform(0.0005, 0.1) / 60;
  return s.level * std::max(relative, kLeastGrowth / growing_seconds);
}

}  // namespace

Series make_ramp_leak(std::uint64_t seed) {
  Random random("ramp_leak", seed);
  const double duration = random.log_uniform(600, 7200);
  const double onset = random.chance(0.3) ? duration * random.uniform(0.1, 0.5) : 0;
  Sketch s = begin_ramp(std::move(random), duration);
  s.leak_line(draw_speed(s, duration - onset), onset);
  return s.finish("ramp_leak", seed);
}

Series make_ramp_pass(std::uint64_t seed) {
  Random random("ramp_pass", seed);
  const double end = random.log_uniform(60, 2700);
  const double duration = std::max(600.0, end * random.uniform(1.1, 6));
  Sketch s = begin_ramp(std::move(random), duration);
  const double speed = draw_speed(s, end);
  s.raise_floor([&](double t) { return speed * std::min(t, end); });
  s.is_bounded(0, end);
  return s.finish("ramp_pass", seed);
}

}  // namespace tidegauge::bench
