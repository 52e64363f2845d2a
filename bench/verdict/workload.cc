// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/workload.h"

#include <cmath>
#include <cstddef>

#include "bench/verdict/portable_math.h"

namespace tidegauge::bench {
namespace {

enum class Pace { Steady, Changing, BusyAndIdle, Daily };

double next_speed(Pace pace, Random& random) {
  if (pace == Pace::Changing) return portable_exp(0.3 * random.normal());
  if (random.chance(0.3)) return 0.05;
  return random.uniform(0.5, 1.5);
}

}  // namespace

Job begin_work(Sketch& s) {
  Job job{s};
  auto& random = s.random;
  const auto pace = static_cast<Pace>(random.integer(0, 3));
  const double change_every = s.duration / random.log_uniform(2, 40);
  double next_change = random.exponential(change_every);
  const double swing = pace == Pace::Daily ? random.uniform(0.2, 0.7) : 0;
  const double phase = random.uniform(0, 2 * kPi);
  const double day = s.duration * random.log_uniform(0.2, 2);
  double speed = 1;
  double done = 0;
  std::size_t mark = 0;
  job.work.reserve(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double t = s.time(i);
    if ((pace == Pace::Changing || pace == Pace::BusyAndIdle) && t > next_change) {
      speed = next_speed(pace, random);
      next_change = t + random.exponential(change_every);
    }
    while (mark < s.marks.size() && s.marks[mark].end_seconds < t) ++mark;
    const bool stopped = mark < s.marks.size() && t >= s.marks[mark].begin_seconds;
    if (!stopped)
      done += speed * (1 + swing * portable_sin(2 * kPi * t / day + phase)) * s.interval;
    job.work.push_back(done);
  }
  const double scale = done > 0 ? s.duration / done : 1;
  for (auto& work : job.work) work *= scale;
  return job;
}

}  // namespace tidegauge::bench
