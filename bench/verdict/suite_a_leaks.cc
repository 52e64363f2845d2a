// SPDX-License-Identifier: Apache-2.0
// Suite A, leaks: a floor that rises for ever under everything that hides it.
#include <algorithm>
#include <cmath>

#include "bench/verdict/classes.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;
using verdict::Tie;

void leak_linear(Sketch& s) {
  s.start(s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
}

// 0.5 to 2 MB a minute under 50 to 500 MB of noise: at the edge of what can be known.
void leak_noisy(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.interval = random.pick({1.0, 2.0, 5.0});
  s.level = random.log_uniform(2000, 16000);
  s.limit = s.level * 3;
  s.noise.white = random.log_uniform(50, 500);
  s.noise.drift = s.noise.white * random.uniform(0, 0.2);
  s.noise.drift_seconds = random.log_uniform(2, 20);
  s.start(s.level + 3 * s.noise.white);
  s.leak_line(random.log_uniform(0.5, 2.0) / 60, 0);
}

void leak_spikes(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  const double slower = s.random.log_uniform(0.2, 1);
  s.leak_line(slower * s.leak_speed_over(s.duration), 0);
  add_random_spikes(s, 0.1, 1.0);
}

void leak_saw(Sketch& s) {
  s.start(s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
  add_sawtooth(s);
}

void leak_late(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  const double onset = s.duration * s.random.uniform(0.3, 0.6);
  s.leak_line(s.leak_speed_over(s.duration - onset), onset);
}

void plateau_leak(Sketch& s) {
  s.duration = s.random.log_uniform(3600, 14400);
  s.start(0.3 * s.level);
  const double warm_up = s.random.log_uniform(60, 0.15 * s.duration);
  const double onset = s.duration * s.random.uniform(0.35, 0.55);
  s.raise_floor([&](double t) { return 0.7 * s.level * ramp(t, 0, warm_up); });
  s.is_bounded(0, warm_up);  // what is left of it without the leak
  s.leak_line(0.7 * s.leak_speed_over(s.duration - onset), onset);
}

void warm_leak(Sketch& s) {
  s.duration = s.random.log_uniform(3600, 14400);
  s.start(0.3 * s.level);
  const double constant = s.duration * s.random.log_uniform(0.02, 0.12);
  s.raise_floor([&](double t) { return 0.7 * s.level * (1 - portable_exp(-t / constant)); });
  s.is_bounded(0, 3 * constant);
  s.leak_line(0.7 * s.leak_speed_over(s.duration), 0);
}

void leak_per_eval(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  const auto stairs = add_event_stairs(s, 1);
  const double period = (s.marks.back().begin_seconds - s.marks[0].begin_seconds) /
                        static_cast<double>(s.marks.size() - 1);
  s.is_leak(stairs.step / period, s.marks[0].begin_seconds, Tie::Eval);
}

void leak_eval(Sketch& s) {
  leak_per_eval(s);
  s.count_steps({s.random.log_uniform(0.2, 5), 0.05});
  s.show_marks = true;
  s.show_steps = s.random.chance(0.7);
}

// The speed of the job varies and it rests during evaluations; the leak goes with its steps.
void leak_step(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(2400, 14400);
  s.start(s.level);
  const double period = s.duration / random.uniform(4, 20);
  const double height = s.level * random.log_uniform(0.02, 0.5);
  s.allow_for_spikes(height);
  s.add_spikes({.period = period,
                .length = period * random.uniform(0.05, 0.35),
                .height = height,
                .jitter = 0.2});
  s.count_steps({random.log_uniform(0.2, 5), random.uniform(0.1, 0.6)});
  const double total = std::max(1.0, s.steps.back());
  const double per_step = s.leak_speed_over(1) / total;
  for (std::size_t i = 0; i < s.size(); ++i) s.floor[i] += per_step * s.steps[i];
  s.is_leak(per_step * total / s.duration, 0, Tie::Step);
  s.truth.bytes_per_step = per_step * kMegabyte;
  s.show_steps = true;
  s.show_marks = random.chance(0.5);
}

void leak_restart(Sketch& s) {
  s.duration = s.random.log_uniform(3600, 14400);
  s.start(s.level);
  const double restart = s.duration * s.random.uniform(0.35, 0.6);
  const double speed = s.leak_speed_over(s.duration - restart);
  constexpr double kLoading = 20;  // seconds until the restarted job has its memory again
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double t = s.time(i);
    const double age = t < restart ? t : t - restart;
    s.floor[i] += speed * age;
    if (t >= restart) s.floor[i] *= 0.3 + 0.7 * ramp(age, 0, kLoading);
  }
  s.is_leak(speed, 0, Tie::Time);
  s.marks.push_back({MarkKind::Restart, restart, restart});
  s.show_marks = s.random.chance(0.5);
}

void leak_quant(Sketch& s) {
  s.defects.quantum = s.level * s.random.log_uniform(0.004, 0.03);
  s.start(s.level + s.defects.quantum * s.random.uniform());
  s.leak_line(s.leak_speed_over(s.duration), 0);
}

void leak_missing(Sketch& s) {
  s.start(s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
  add_missing_samples(s);
}

// Each epoch leaves a step behind: 6 to 20 of them.
void leak_epoch(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double period = s.duration / random.integer(6, 20);
  const double height = s.level * random.log_uniform(0.05, 0.8);
  s.allow_for_spikes(height);
  s.add_spikes({.kind = MarkKind::Epoch,
                .period = period,
                .length = period * random.uniform(0.02, 0.1),
                .height = height,
                .jitter = 0.1,
                .first = period});
  const double step = std::max(5.0, s.level * random.log_uniform(0.006, 0.06));
  for (const auto& mark : s.marks) {
    const double rise = step * std::max(0.0, 1 + 0.2 * random.normal());
    s.raise_floor([&](double t) { return t >= mark.begin_seconds ? rise : 0; });
  }
  s.is_leak(step / period, period, Tie::Epoch);
  s.limit = std::max(s.limit, s.floor.back() * 1.3 + height);
  const double speed = random.log_uniform(0.2, 5);
  s.count_steps({speed, 0.05});
  s.steps_per_epoch = speed * period;
  s.show_steps = s.show_marks = true;
}

// Requests of random size at random times, each of which leaves something behind.
void leak_bursty(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(2400, 14400);
  s.start(s.level);
  const double speed = s.leak_speed_over(s.duration);
  const double gap = s.duration / random.uniform(30, 300);
  double leaked = 0;
  double next = random.exponential(gap);
  for (std::size_t i = 0; i < s.size(); ++i) {
    while (s.time(i) >= next) {
      leaked += speed * gap * random.exponential(1);
      next += random.exponential(gap);
    }
    s.floor[i] += leaked;
  }
  s.is_leak(speed, 0, Tie::Time);
}

constexpr auto kLeak = any_of(Class::Leak);
constexpr SeriesClass kClasses[] = {
    {"leak_linear", Label::Leak, kLeak, leak_linear},
    {"leak_noisy", Label::Leak, kLeak, leak_noisy},
    {"leak_spikes", Label::Leak, kLeak, leak_spikes},
    {"leak_saw", Label::Leak, kLeak, leak_saw},
    {"leak_late", Label::Leak, kLeak, leak_late},
    {"plateau_leak", Label::Leak, kLeak, plateau_leak},
    {"warm_leak", Label::Leak, kLeak, warm_leak},
    {"leak_eval", Label::Leak, kLeak, leak_eval},
    {"leak_eval_nomark", Label::Leak, kLeak, leak_per_eval},
    {"leak_step", Label::Leak, kLeak, leak_step},
    {"leak_restart", Label::Leak, kLeak, leak_restart},
    {"leak_quant", Label::Leak, kLeak, leak_quant},
    {"leak_missing", Label::Leak, kLeak, leak_missing},
    {"leak_epoch", Label::Leak, kLeak, leak_epoch},
    {"leak_bursty", Label::Leak, kLeak, leak_bursty},
};

}  // namespace

std::span<const SeriesClass> suite_a_leaks() {
  return kClasses;
}

}  // namespace tidegauge::bench
