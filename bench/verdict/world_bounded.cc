// SPDX-License-Identifier: Apache-2.0
// Bounded growth that suite A lacks.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "bench/verdict/classes.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;
using verdict::Tie;

// Marks at the end of each of `count` epochs, without spikes, and steps counted.
void count_epochs(Sketch& s, int count) {
  const double period = s.duration / (count + 0.5);
  s.add_spikes({.kind = MarkKind::Epoch,
                .period = period,
                .length = 0.02 * period,
                .height = 0,
                .first = period});
  const double speed = s.random.log_uniform(0.2, 5);
  s.count_steps({speed, 0.05});
  s.steps_per_epoch = speed * period * 0.98;
  s.show_steps = s.show_marks = true;
}

// Each of the first epochs leaves a step behind, then no more do: pools that fill by the epoch.
void epoch_stairs_stop(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const int stop = random.integer(2, 5);
  count_epochs(s, static_cast<int>(stop * random.uniform(2.2, 5)) + 1);
  const double step = std::max(5.0, s.level * random.log_uniform(0.006, 0.06));
  for (int k = 0; k < stop; ++k) {
    const double rise = step * std::max(0.3, 1 + 0.2 * random.normal());
    const double at = s.marks[static_cast<std::size_t>(k)].begin_seconds;
    s.raise_floor([&](double t) { return t >= at ? rise : 0; });
  }
  s.is_bounded(s.marks[0].begin_seconds, s.marks[static_cast<std::size_t>(stop) - 1].begin_seconds);
}

// W persistent workers, each with a cache of its own, share each epoch's examples anew at random:
// after e epochs each has seen 1 - (1 - 1/W)^e of the data. Growth goes on past the first pass,
// ever slower, and ends.
void coupon_workers(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double from = s.level * random.uniform(0.1, 0.5);
  s.start(from);
  const int workers = random.integer(2, 6);
  const int epochs = static_cast<int>(workers * random.uniform(3.5, 8)) + 1;
  count_epochs(s, epochs);
  const double unseen_after = 1 - 1.0 / workers;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double passed = s.steps[i] / *s.steps_per_epoch;
    const double whole = std::floor(passed);
    const double unseen = portable_pow(unseen_after, whole);
    // Within an epoch the share of new examples stays the same: a straight piece.
    const double now = unseen * (1 - (passed - whole) / workers);
    s.floor[i] += (s.level - from) * (1 - now);
  }
  // 95 % of it is there after this many epochs.
  const double most = portable_log(0.05) / portable_log(unseen_after);
  s.is_bounded(0, s.duration * std::min(1.0, most / epochs));
  s.truth.tie = Tie::Epoch;
}

// A second data set begins in the second part of the run: a second first pass.
void second_data_set(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double from = s.level * random.uniform(0.1, 0.4);
  s.start(from);
  const double first = random.log_uniform(60, 0.12 * s.duration);
  const double begin = s.duration * random.uniform(0.35, 0.6);
  const double second = random.log_uniform(60, std::min(1500.0, 0.15 * s.duration));
  const double share = random.uniform(0.3, 0.7);
  s.raise_floor([&](double t) {
    return (s.level - from) * (share * ramp(t, 0, first) + (1 - share) * ramp(t, begin, second));
  });
  s.is_bounded(begin, begin + second);
}

// The first evaluation loads what all later ones use.
void eval_once(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  add_random_spikes(s, 0.05, 0.8);
  const double step = s.level * s.random.log_uniform(0.02, 0.4);
  if (s.marks.empty()) return;
  const double at = s.marks[0].begin_seconds;
  s.raise_floor([&](double t) { return t >= at ? step : 0; });
  s.limit += step;
  s.is_bounded(at, at + s.interval);
}

// Shapes are compiled as they are first met: many at the beginning, fewer and fewer, then none.
void compile_stops(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const int shapes = random.integer(5, 40);
  const double gap = s.duration * random.uniform(0.02, 0.12) / shapes;
  const double step = std::max(2.0, s.level * random.log_uniform(0.1, 0.8) / shapes);
  double at = 0;
  for (int left = shapes; left > 0; --left) {
    at += random.exponential(gap * shapes / left);  // the coupon collector
    if (at > 0.7 * s.duration) break;
    s.marks.push_back({MarkKind::Compile, at, at + std::min(gap, 5.0)});
    const double rise = step * random.uniform(0.5, 1.5);
    s.raise_floor([&](double t) { return rise * ramp(t, at, std::min(gap, 5.0)); });
  }
  s.limit = std::max(s.limit, 1.3 * s.floor.back());
  s.is_bounded(0, s.marks.back().end_seconds);
  s.count_steps({random.log_uniform(0.2, 5), 0.05});
  s.show_steps = true;
  s.show_marks = random.chance(0.7);
}

// Traffic by the hours of the day: once or twice up and down, flatter at night.
void day_night(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(14400, 172800);
  s.interval = random.pick({10, 30, 60});
  s.start(s.level);
  const double day = s.duration / random.uniform(1.3, 3);
  const double height = s.level * random.log_uniform(0.05, 0.6);
  const double phase = random.uniform(0, 2 * kPi);
  s.raise_transient([&](double t) {
    const double sun = portable_sin(2 * kPi * t / day + phase);
    return sun > -0.4 ? height * (sun + 0.4) / 1.4 : 0;
  });
}

void scrape(Sketch& s) {
  s.duration = s.random.log_uniform(7200, 43200);
  s.interval = s.random.pick({15, 30, 60});
  s.defects.quantum = s.random.pick({1, 1, 10, 100});
  s.stale_seconds = s.random.pick({0, 60, 90});
}

void scraped_flat(Sketch& s) {
  scrape(s);
  s.start(s.level);
}

void scraped_warm(Sketch& s) {
  scrape(s);
  const double from = s.level * s.random.uniform(0.2, 0.7);
  s.start(from);
  const double end = s.random.log_uniform(120, std::min(2400.0, 0.4 * s.duration));
  s.raise_floor([&](double t) { return (s.level - from) * ramp(t, 0, end); });
  s.is_bounded(0, end);
}

void suspended_warm(Sketch& s) {
  auto& random = s.random;
  const double end = random.log_uniform(60, 1200);
  s.duration = std::max(600.0, end * random.uniform(2, 8));
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  s.raise_floor([&](double t) { return (s.level - from) * ramp(t, 0, end); });
  s.clock_jumps.assign(s.size(), 0);
  const double at = s.duration * random.uniform(0.05, 0.9);
  const double asleep = random.log_uniform(300, 7200);
  s.clock_jumps[s.index_at(at)] = asleep;
  s.is_bounded(0, at < end ? end + asleep : end);
}

// Arenas by chance: each time threads meet at a lock one may get a new arena, until all exist.
void arena_chance(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level * random.uniform(0.3, 0.7));
  const int arenas = random.integer(8, 32);
  const double gap = s.duration * random.uniform(0.05, 0.15) / arenas;
  const double size = (s.level - s.floor[0]) / arenas;
  double at = 0;
  for (int left = arenas; left > 0; --left) {
    at += random.exponential(gap * arenas / left);
    if (at > 0.8 * s.duration) break;
    const double rise = size * random.uniform(0.4, 1.6);
    s.raise_floor([&](double t) { return rise * ramp(t, at, 10); });
    s.is_bounded(0, at);
  }
}

// A collected heap whose live part grows while caches warm up: rising troughs, then level ones.
void gc_warm(Sketch& s) {
  auto& random = s.random;
  const double from = s.level * random.uniform(0.2, 0.6);
  s.start(from);
  const double constant = s.duration * random.uniform(0.03, 0.12);
  s.raise_floor([&](double t) { return (s.level - from) * (1 - portable_exp(-t / constant)); });
  add_sawtooth(s);
  s.is_bounded(0, 3 * constant);
}

// Fragmentation: most of it soon, the rest slowly.
void two_speeds(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double from = s.level * random.uniform(0.2, 0.6);
  s.start(from);
  const double fast = s.duration * random.log_uniform(0.005, 0.03);
  const double slow = s.duration * random.uniform(0.08, 0.25);
  const double share = random.uniform(0.5, 0.9);
  s.raise_floor([&](double t) {
    return (s.level - from) *
           (1 - share * portable_exp(-t / fast) - (1 - share) * portable_exp(-t / slow));
  });
  s.is_bounded(0, 3 * slow);
}

// Data is staged in /dev/shm, used, and removed.
void staged(Sketch& s) {
  auto& random = s.random;
  s.start(s.level);
  const double begin = s.duration * random.uniform(0.02, 0.3);
  const double load = random.log_uniform(20, std::min(1200.0, 0.2 * s.duration));
  const double gone = s.duration * random.uniform(0.6, 0.9);
  const double size = s.level * random.log_uniform(0.1, 1.5);
  s.limit += size;
  s.raise_floor([&](double t) { return size * (ramp(t, begin, load) - ramp(t, gone, 5)); });
  s.is_bounded(begin, begin + load);
}

// A long evaluation is under way when the recording ends.
void eval_at_the_edge(Sketch& s) {
  auto& random = s.random;
  s.start(s.level);
  const double begin = s.duration * random.uniform(0.85, 0.97);
  const double height = s.level * random.log_uniform(0.1, 1.0);
  const double rise = (s.duration - begin) * random.uniform(0.3, 2);
  s.allow_for_spikes(height);
  s.raise_transient([&](double t) { return height * ramp(t, begin, rise); });
  s.marks.push_back({MarkKind::Eval, begin, s.duration * 1.05});
  s.show_marks = random.chance(0.5);
}

// A first pass, and the end of the job.
void warm_exit(Sketch& s) {
  const double end = s.random.log_uniform(60, 2400);
  s.duration = std::max(600.0, end * s.random.uniform(1.6, 6));
  const double from = s.level * s.random.uniform(0.1, 0.6);
  s.start(from);
  s.raise_floor([&](double t) { return (s.level - from) * ramp(t, 0, end); });
  s.is_bounded(0, end);
  add_teardown(s);
}

constexpr auto kWarmUp = any_of(Class::WarmUp);
constexpr auto kOneRise = any_of(Class::WarmUp, Class::Shift);
constexpr auto kSteady = any_of(Class::Steady);
constexpr auto kComeAndGo = any_of(Class::Spikes, Class::Sawtooth);
constexpr SeriesClass kClasses[] = {
    {"epoch_stairs_stop", Label::Bounded, kOneRise, epoch_stairs_stop},
    {"coupon_workers", Label::Bounded, kWarmUp, coupon_workers},
    {"second_data_set", Label::Bounded, kOneRise, second_data_set},
    {"eval_once", Label::Bounded, kOneRise | kComeAndGo, eval_once},
    {"compile_stops", Label::Bounded, kWarmUp, compile_stops},
    {"day_night", Label::Bounded, kComeAndGo | kSteady | any_of(Class::Shift), day_night},
    {"scraped_flat", Label::Bounded, kSteady, scraped_flat},
    {"scraped_warm", Label::Bounded, kOneRise, scraped_warm},
    {"suspended_warm", Label::Bounded, kOneRise, suspended_warm},
    {"arena_chance", Label::Bounded, kWarmUp, arena_chance},
    {"gc_warm", Label::Bounded, kWarmUp | kComeAndGo, gc_warm},
    {"two_speeds", Label::Bounded, kWarmUp, two_speeds},
    {"staged", Label::Bounded, kOneRise | kComeAndGo | kSteady, staged},
    {"warm_exit", Label::Bounded, kWarmUp, warm_exit},
    {"eval_at_the_edge", Label::Bounded, kComeAndGo | kOneRise | kSteady | any_of(Class::Undecided),
     eval_at_the_edge},
};

}  // namespace

std::span<const SeriesClass> world_bounded() {
  return kClasses;
}

}  // namespace tidegauge::bench
