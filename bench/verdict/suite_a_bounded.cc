// SPDX-License-Identifier: Apache-2.0
// Suite A, bounded: what is mistaken for a leak and is none.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/verdict/classes.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;

void flat(Sketch& s) {
  s.start(s.level);
}

void flat_ar(Sketch& s) {
  s.noise.drift = s.level * s.random.log_uniform(0.01, 0.08);
  s.noise.drift_seconds = s.duration * s.random.log_uniform(0.002, 0.04);
  s.start(s.level);
}

void spikes(Sketch& s) {
  s.start(s.level);
  add_random_spikes(s, 0.1, 2.0);
}

void saw(Sketch& s) {
  s.start(s.level);
  add_sawtooth(s);
}

// A first pass over the data, without a mark that says so: 1 to 40 minutes.
void warm_linear(Sketch& s) {
  const double end = s.random.log_uniform(60, 2400);
  s.duration = std::max(600.0, end * s.random.uniform(1.4, 6));
  const double from = s.level * s.random.uniform(0.1, 0.6);
  s.start(from);
  s.raise_floor([&](double t) { return (s.level - from) * ramp(t, 0, end); });
  s.is_bounded(0, end);
}

// The same with steps counted and the length of an epoch known; some give a little back later.
void warm_epoch(Sketch& s) {
  auto& random = s.random;
  const double end = random.log_uniform(120, 5400);
  s.duration = end * random.uniform(1.4, 6);
  if (end < 300) s.interval = std::min(s.interval, 5.0);
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  const double speed = random.log_uniform(0.1, 5);
  s.count_steps({speed, random.uniform(0.02, 0.2)});
  const double decline = random.chance(0.4) ? random.uniform(0, 0.04) : 0;
  double seen_end = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double epochs = s.steps[i] / (speed * end);
    if (epochs < 1) seen_end = s.time(i);  // the speed varies, so the clock only nearly says `end`
    s.floor[i] += (s.level - from) * std::min(1.0, epochs);
    if (epochs > 1) s.floor[i] -= decline * s.level * (1 - portable_exp(1 - epochs));
  }
  s.is_bounded(0, seen_end);
  s.truth.tie = verdict::Tie::FirstPass;
  s.show_steps = true;
  s.steps_per_epoch = speed * end;
  if (random.chance(0.4)) {
    const double height = s.level * random.log_uniform(0.05, 0.5);
    s.allow_for_spikes(height);
    s.add_spikes({.period = end,
                  .length = end * random.uniform(0.03, 0.15),
                  .height = height,
                  .jitter = 0.1,
                  .first = end});
    s.show_marks = true;
  }
}

void warm_exp(Sketch& s) {
  const double from = s.level * s.random.uniform(0.1, 0.6);
  const double constant = s.duration * s.random.log_uniform(0.03, 0.35);
  s.start(from);
  s.raise_floor([&](double t) { return (s.level - from) * (1 - portable_exp(-t / constant)); });
  s.is_bounded(0, 3 * constant);
}

void warm_log(Sketch& s) {
  const double from = s.level * s.random.uniform(0.3, 0.7);
  const double constant = s.duration * s.random.log_uniform(0.0005, 0.02);
  const double whole = portable_log(1 + s.duration / constant);
  s.start(from);
  s.raise_floor(
      [&](double t) { return (s.level - from) * portable_log(1 + t / constant) / whole; });
  s.is_bounded(0, s.duration);
}

void warm_sqrt(Sketch& s) {
  const double from = s.level * s.random.uniform(0.3, 0.7);
  const double power = s.random.uniform(0.3, 0.6);
  const double end = s.duration * s.random.uniform(0.3, 1.5);
  s.start(from);
  s.raise_floor(
      [&](double t) { return (s.level - from) * portable_pow(std::min(t, end) / end, power); });
  s.is_bounded(0, std::min(s.duration, end));
}

// Several parts of the job get their memory one after the other.
void warm_steps(Sketch& s) {
  auto& random = s.random;
  const double from = s.level * random.uniform(0.2, 0.6);
  s.start(from);
  const double end = s.duration * random.uniform(0.15, 0.5);
  const double rise = random.log_uniform(1, 60);
  struct Part {
    double begin;
    double share;
  };
  std::vector<Part> parts(static_cast<std::size_t>(random.integer(3, 6)));
  double total = 0;
  double last = 0;
  for (auto& part : parts) {
    part = {end * random.uniform(), random.uniform(0.3, 1)};
    total += part.share;
    last = std::max(last, part.begin);
  }
  for (const auto& part : parts) {
    const double size = (s.level - from) * part.share / total;
    s.raise_floor([&](double t) { return size * ramp(t, part.begin, rise); });
  }
  s.is_bounded(0, last);
}

void restart_ok(Sketch& s) {
  s.duration = s.random.log_uniform(1800, 14400);
  s.start(0.4 * s.level);
  const double restart = s.duration * s.random.uniform(0.3, 0.65);
  const double warm_up = std::min(0.2 * s.duration, s.random.log_uniform(30, 1200));
  s.raise_floor(
      [&](double t) { return 0.6 * s.level * ramp(t < restart ? t : t - restart, 0, warm_up); });
  s.is_bounded(restart, restart + warm_up);
  s.marks.push_back({MarkKind::Restart, restart, restart});
  s.show_marks = s.random.chance(0.5);
}

void level_shift(Sketch& s) {
  const double other = s.level * s.random.uniform(0.3, 0.9);
  const double at = s.duration * s.random.uniform(0.25, 0.7);
  const double length = s.random.log_uniform(1, 90);
  const bool down = s.random.chance(0.25);
  const double from = down ? s.level : other;
  const double to = down ? other : s.level;
  s.start(from);
  s.raise_floor([&](double t) { return (to - from) * ramp(t, at, length); });
  s.is_bounded(at, at + length);
}

// Page cache that wanders and is reclaimed when it is too much.
void pagecache(Sketch& s) {
  auto& random = s.random;
  s.start(s.level);
  const double cap = s.level * random.uniform(0.1, 0.6);
  double now = cap * random.uniform();
  const double memory = s.duration * random.uniform(0.02, 0.1);
  const double wander = cap * random.log_uniform(0.05, 0.3) / std::sqrt(memory);
  const double fill = random.chance(0.6) ? cap / (s.duration * random.log_uniform(0.05, 0.3)) : 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    now += fill * s.interval + wander * std::sqrt(s.interval) * random.normal();
    now = std::fabs(now);
    if (now > cap) now = cap * random.uniform(0.3, 0.9);
    s.transient[i] += now;
  }
}

// Checkpoints: a jump that is given back bit by bit.
void ckpt(Sketch& s) {
  auto& random = s.random;
  s.start(s.level);
  const double period = s.duration / random.uniform(4, 40);
  const double height = s.level * random.log_uniform(0.1, 1.0);
  const double recovery = period * random.uniform(0.02, 0.25);
  s.allow_for_spikes(height);
  double at = period * random.uniform();
  while (at < s.duration) {
    s.marks.push_back({MarkKind::Save, at, at + 2 * recovery});
    for (std::size_t i = s.index_at(at); i < s.size() && s.time(i) < at + 8 * recovery; ++i)
      s.transient[i] += height * portable_exp(-std::max(0.0, s.time(i) - at) / recovery);
    at += period * (1 + 0.03 * random.normal());
  }
  s.show_marks = random.chance(0.5);
}

void quant_flat(Sketch& s) {
  s.defects.quantum = s.level * s.random.log_uniform(0.004, 0.03);
  s.start(s.level + s.defects.quantum * s.random.uniform());
}

void missing_flat(Sketch& s) {
  s.start(s.level);
  add_missing_samples(s);
}

// Allocator arenas: evaluations leave steps behind until every thread has its arena.
void arena_stairs(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  const auto stairs = add_event_stairs(s, s.random.uniform(0.1, 0.5));
  s.is_bounded(s.marks[0].begin_seconds, s.marks[stairs.count - 1].end_seconds);
  s.count_steps({s.random.log_uniform(0.2, 5), 0.05});
  s.show_marks = true;
  s.show_steps = s.random.chance(0.7);
}

void slow_cycle(Sketch& s) {
  s.start(s.level);
  const double period = s.duration * s.random.uniform(0.15, 0.6);
  const double height = s.level * s.random.log_uniform(0.02, 0.3);
  const double phase = s.random.uniform(0, 2 * kPi);
  s.raise_transient(
      [&](double t) { return height * (1 + portable_sin(2 * kPi * t / period + phase)) / 2; });
}

void growing_spikes(Sketch& s) {
  s.start(s.level);
  add_random_spikes(s, 0.2, 1.5);
  for (std::size_t i = 0; i < s.size(); ++i) s.transient[i] *= 0.2 + 0.8 * s.time(i) / s.duration;
}

void ramp_unfin_epoch(Sketch& s) {
  auto& random = s.random;
  const double end = random.log_uniform(120, 5400);
  s.duration = end * random.uniform(0.4, 0.95);
  if (end < 300) s.interval = std::min(s.interval, 5.0);
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  const double speed = random.log_uniform(0.1, 5);
  s.count_steps({speed, random.uniform(0.02, 0.2)});
  // The speed varies: an epoch is what a bit more than the steps seen would not complete.
  const double epoch = std::max(speed * end, s.steps.back() * 1.03);
  for (std::size_t i = 0; i < s.size(); ++i) s.floor[i] += (s.level - from) * s.steps[i] / epoch;
  s.show_steps = true;
  s.steps_per_epoch = epoch;
}

void ramp_unfin(Sketch& s) {
  s.duration = s.random.log_uniform(60, 400);
  s.interval = s.random.pick({0.5, 1.0, 2.0, 5.0});
  const double from = s.level * s.random.uniform(0.1, 0.6);
  const double end = s.duration * s.random.uniform(1.05, 3);
  s.start(from);
  s.raise_floor([&](double t) { return (s.level - from) * t / end; });
}

void too_short(Sketch& s) {
  s.duration = s.interval * s.random.integer(2, 5);
  const double growth = s.random.chance(0.5) ? 0.05 * s.level : 0;
  s.start(s.level);
  s.raise_floor([&](double t) { return growth * t / s.duration; });
}

constexpr auto kSteady = any_of(Class::Steady);
constexpr auto kWarmUp = any_of(Class::WarmUp);
constexpr auto kComeAndGo = any_of(Class::Spikes, Class::Sawtooth);
constexpr auto kOneRise = any_of(Class::WarmUp, Class::Shift);
constexpr auto kWanders = any_of(Class::Steady, Class::Spikes, Class::Sawtooth, Class::Shift);
constexpr auto kAbstain = any_of(Class::Undecided);

constexpr SeriesClass kBounded[] = {
    {"flat", Label::Bounded, kSteady, flat},
    {"flat_ar", Label::Bounded, kWanders, flat_ar},
    {"spikes", Label::Bounded, kComeAndGo, spikes},
    {"saw", Label::Bounded, kComeAndGo, saw},
    {"warm_linear", Label::Bounded, kWarmUp, warm_linear},
    {"warm_epoch", Label::Bounded, kWarmUp, warm_epoch},
    {"warm_exp", Label::Bounded, kWarmUp, warm_exp},
    {"warm_log", Label::Bounded, kWarmUp, warm_log},
    {"warm_sqrt", Label::Bounded, kWarmUp, warm_sqrt},
    {"warm_steps", Label::Bounded, kOneRise, warm_steps},
    {"restart_ok", Label::Bounded, kOneRise | kSteady, restart_ok},
    {"level_shift", Label::Bounded, kOneRise, level_shift},
    {"pagecache", Label::Bounded, kWanders, pagecache},
    {"ckpt", Label::Bounded, kComeAndGo, ckpt},
    {"quant_flat", Label::Bounded, kSteady, quant_flat},
    {"missing_flat", Label::Bounded, kComeAndGo | kSteady, missing_flat},
    {"arena_stairs", Label::Bounded, kOneRise | kComeAndGo, arena_stairs},
    {"slow_cycle", Label::Bounded, kWanders, slow_cycle},
    {"growing_spikes", Label::Bounded, kComeAndGo, growing_spikes},
};

constexpr SeriesClass kUndecidable[] = {
    {"ramp_unfin_epoch", Label::Undecidable, kAbstain, ramp_unfin_epoch},
    {"ramp_unfin", Label::Undecidable, kAbstain, ramp_unfin},
    {"too_short", Label::Undecidable, kAbstain, too_short},
};

}  // namespace

std::span<const SeriesClass> suite_a_bounded() {
  return kBounded;
}
std::span<const SeriesClass> suite_a_undecidable() {
  return kUndecidable;
}

}  // namespace tidegauge::bench
