// SPDX-License-Identifier: Apache-2.0
// Small trainings, some minutes long: the first pass over the data fills a data set that keeps what
// it opens, with evaluations on the way. What comes on top of it is told apart after the pass only.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "bench/verdict/classes.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;
using verdict::Tie;

struct Training {
  double first_pass_seconds = 0;
  double per_pass = 0;  // megabytes that the first pass brought
  double eval_every = 0;
};

// Steps, epochs and evaluations are told; memory climbs by the step until the first pass is over.
Training start_training(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(240, 3000);
  s.interval = random.pick({0.5, 0.5, 1.0, 2.0});
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  const double passes = random.uniform(2.5, 7);
  const double height = s.level * random.log_uniform(0.03, 0.4);
  const double period = s.duration / random.uniform(6, 20);
  s.allow_for_spikes(height);
  s.add_spikes({.kind = MarkKind::Eval,
                .period = period,
                .length = period * random.uniform(0.05, 0.15),
                .height = height,
                .jitter = 0.1});
  s.count_steps({random.log_uniform(0.5, 8), random.uniform(0.02, 0.2)});
  const double per_epoch = s.steps.back() / passes;
  for (std::size_t i = 0; i < s.size(); ++i) {
    s.floor[i] += (s.level - from) * std::min(1.0, s.steps[i] / per_epoch);
  }
  s.steps_per_epoch = per_epoch;
  s.show_steps = s.show_marks = true;
  std::size_t end = 0;
  while (end + 1 < s.size() && s.steps[end] < per_epoch) ++end;
  return {s.time(end), s.level - from, period};
}

// A sixteenth to a half of what the first pass brought, with each pass.
void pass_then_leak_step(Sketch& s) {
  const Training job = start_training(s);
  const double per_step = job.per_pass / *s.steps_per_epoch * s.random.log_uniform(0.06, 0.5);
  for (std::size_t i = 0; i < s.size(); ++i) s.floor[i] += per_step * s.steps[i];
  s.is_leak(per_step * s.steps.back() / s.duration, 0, Tie::Step);
  s.truth.bytes_per_step = per_step * kMegabyte;
  s.limit = std::max(s.limit, 1.3 * s.floor.back() + s.truth.spike_bytes / kMegabyte);
}

// The same by the evaluation: each keeps what it predicted.
void pass_then_leak_eval(Sketch& s) {
  const Training job = start_training(s);
  const double step = std::max(3.0, job.per_pass * s.random.log_uniform(0.04, 0.3));
  for (const auto& mark : s.marks) {
    s.raise_floor([&](double t) {
      return step * ramp(t, mark.begin_seconds, mark.end_seconds - mark.begin_seconds);
    });
  }
  s.is_leak(step / job.eval_every, s.marks.empty() ? 0 : s.marks[0].begin_seconds, Tie::Eval);
  s.limit = std::max(s.limit, 1.3 * s.floor.back() + s.truth.spike_bytes / kMegabyte);
}

// The first one to four evaluations fill a pool of their own, the others find it filled.
void pass_then_eval_pool(Sketch& s) {
  auto& random = s.random;
  const Training job = start_training(s);
  const double step = std::max(3.0, job.per_pass * random.log_uniform(0.02, 0.3));
  const auto fill = std::min(s.marks.size(), static_cast<std::size_t>(random.integer(1, 4)));
  double ended = job.first_pass_seconds;
  for (std::size_t k = 0; k < fill; ++k) {
    const auto& mark = s.marks[k];
    const double rise = step * random.uniform(0.3, 1.2);
    s.raise_floor([&](double t) {
      return rise * ramp(t, mark.begin_seconds, mark.end_seconds - mark.begin_seconds);
    });
    ended = std::max(ended, mark.end_seconds);
  }
  s.limit = std::max(s.limit, 1.3 * s.floor.back() + s.truth.spike_bytes / kMegabyte);
  s.is_bounded(0, ended);
}

// Nothing on top; when the steps are done, a part of it is given back before the job ends.
void pass_then_wind_down(Sketch& s) {
  auto& random = s.random;
  const Training job = start_training(s);
  s.is_bounded(0, job.first_pass_seconds);
  const double given = job.per_pass * random.uniform(0, 0.2);
  const double length = s.duration * random.uniform(0.005, 0.03);
  const double from = s.duration - length;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.time(i) < from) continue;
    s.steps[i] = s.steps[s.index_at(from)];
    s.floor[i] -= given;
  }
}

constexpr auto kLeak = any_of(Class::Leak);
constexpr auto kWarmUp = any_of(Class::WarmUp);
constexpr SeriesClass kClasses[] = {
    {"pass_then_leak_step", Label::Leak, kLeak, pass_then_leak_step},
    {"pass_then_leak_eval", Label::Leak, kLeak, pass_then_leak_eval},
    {"pass_then_eval_pool", Label::Bounded, kWarmUp, pass_then_eval_pool},
    {"pass_then_wind_down", Label::Bounded, kWarmUp, pass_then_wind_down},
};

}  // namespace

std::span<const SeriesClass> world_training() {
  return kClasses;
}

}  // namespace tidegauge::bench
