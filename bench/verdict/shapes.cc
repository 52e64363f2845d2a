// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/shapes.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::bench {

double ramp(double seconds, double begin, double length) {
  return std::clamp((seconds - begin) / length, 0.0, 1.0);
}

void add_sawtooth(Sketch& s) {
  auto& random = s.random;
  const double height = s.level * random.log_uniform(0.1, 1.0);
  s.allow_for_spikes(height);
  const double period = std::max(s.duration / random.log_uniform(6, 200), 4 * s.interval);
  const double jitter = random.uniform(0.05, 0.3);
  double begin = -random.uniform() * period;
  double length = period;
  double tooth = height;
  double left_over = 0;  // what a collection did not find
  for (std::size_t i = 0; i < s.size(); ++i) {
    while (s.time(i) >= begin + length) {
      begin += length;
      length = period * std::max(0.3, 1 + jitter * random.normal());
      tooth = height * std::max(0.3, 1 + 0.3 * jitter * random.normal());
      const double worst = random.uniform(0, 0.04);
      left_over = height * worst * std::fabs(random.normal());
    }
    s.transient[i] += left_over + tooth * (s.time(i) - begin) / length;
  }
}

Stairs add_event_stairs(Sketch& s, double share) {
  auto& random = s.random;
  const double period = s.duration / random.integer(10, 40);
  const double height = s.level * random.log_uniform(0.02, 0.6);
  s.add_spikes({.period = period,
                .length = period * random.uniform(0.03, 0.25),
                .height = height,
                .jitter = random.uniform(0, 0.3)});
  Stairs stairs;
  stairs.step = std::max(3.0, s.level * random.log_uniform(0.004, 0.05));
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(s.marks.size()));
  stairs.count = std::min(s.marks.size(), std::max<std::size_t>(2, wanted));
  for (std::size_t k = 0; k < stairs.count; ++k) {
    const auto& mark = s.marks[k];
    const double rise = stairs.step * std::max(0.0, 1 + 0.25 * random.normal());
    const double length = std::max(s.interval, mark.end_seconds - mark.begin_seconds);
    s.raise_floor([&](double t) { return rise * ramp(t, mark.begin_seconds, length); });
  }
  s.allow_for_spikes(height);
  s.limit = std::max(s.limit, s.floor.back() * 1.3 + height);
  return stairs;
}

void add_random_spikes(Sketch& s, double lowest, double highest) {
  auto& random = s.random;
  const double height = s.level * random.log_uniform(lowest, highest);
  s.allow_for_spikes(height);
  const double period = s.duration / random.uniform(4, 40);
  s.add_spikes({.period = period,
                .length = period * random.uniform(0.03, 0.35),
                .height = height,
                .jitter = random.uniform(0, 0.5)});
  s.show_marks = random.chance(0.5);
}

void add_teardown(Sketch& s) {
  const auto count = std::min(s.size() / 2, static_cast<std::size_t>(s.random.integer(1, 3)));
  double left = 1;
  for (std::size_t i = s.size() - count; i < s.size(); ++i) {
    left *= s.random.uniform(0.2, 0.9);
    s.floor[i] *= left;
    s.transient[i] *= left;
  }
}

void add_missing_samples(Sketch& s) {
  add_random_spikes(s, 0.05, 0.5);
  s.show_marks = false;
  s.defects.missing = s.random.uniform(0.05, 0.6);
  s.defects.irregular = true;
}

}  // namespace tidegauge::bench
