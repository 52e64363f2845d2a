// SPDX-License-Identifier: Apache-2.0
// Leaks that suite A lacks, and ramps that only a clock of the job's own can decide.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bench/verdict/classes.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;
using verdict::Tie;

// Every mark leaves about `step` megabytes behind, for good.
void leave_behind(Sketch& s, double step) {
  for (const auto& mark : s.marks) {
    const double rise = step * std::max(0.0, 1 + 0.25 * s.random.normal());
    const double length = std::max(s.interval, mark.end_seconds - mark.begin_seconds);
    s.raise_floor([&](double t) { return rise * ramp(t, mark.begin_seconds, length); });
  }
  s.limit = std::max(s.limit, 1.3 * s.floor.back() + s.truth.spike_bytes / kMegabyte);
}

// Checkpoints, each of which keeps something alive.
void leak_save(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double period = s.duration / random.integer(12, 40);
  const double height = s.level * random.log_uniform(0.1, 0.8);
  s.allow_for_spikes(height);
  s.add_spikes({.kind = MarkKind::Save,
                .period = period,
                .length = period * random.uniform(0.02, 0.15),
                .height = height,
                .jitter = 0.2});
  const double step = std::max(3.0, s.level * random.log_uniform(0.004, 0.05));
  leave_behind(s, step);
  s.is_leak(step / period, s.marks[0].begin_seconds, Tie::Save);
  s.count_steps({random.log_uniform(0.2, 5), 0.05});
  s.show_steps = s.show_marks = true;
}

// New shapes come for ever, each is compiled and kept.
void leak_compile(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double gap = s.duration / random.uniform(20, 80);
  for (double at = random.exponential(gap); at < s.duration; at += random.exponential(gap)) {
    const double length = std::min(random.uniform(2, 20), 0.3 * gap);
    s.marks.push_back({MarkKind::Compile, at, at + length});
  }
  const double step = std::max(2.0, s.level * random.log_uniform(0.002, 0.02));
  leave_behind(s, step);
  s.is_leak(step / gap, s.marks.empty() ? 0 : s.marks[0].begin_seconds, Tie::Compile);
  s.count_steps({random.log_uniform(0.2, 5), 0.05});
  s.show_steps = s.show_marks = true;
}

void leak_under_cycle(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double period = s.duration * random.uniform(0.12, 0.35);
  const double height = s.level * random.log_uniform(0.02, 0.3);
  const double phase = random.uniform(0, 2 * kPi);
  s.raise_transient(
      [&](double t) { return height * (1 + portable_sin(2 * kPi * t / period + phase)) / 2; });
  // Less than this over the whole run is lost in the cycle.
  const double growth = height * random.log_uniform(0.7, 5);
  s.allow_for_spikes(height);
  s.limit = std::max(s.limit, 1.3 * (s.level + growth + height));
  s.leak_line(growth / s.duration, 0);
}

// What an early peak freed is kept by the allocator; the leak fills that first and is not seen.
void leak_after_slack(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double from = s.level * random.uniform(0.3, 0.7);
  s.start(from);
  const double peak_at = random.log_uniform(30, 0.1 * s.duration);
  s.raise_floor([&](double t) { return (s.level - from) * ramp(t, 0, peak_at); });
  s.is_bounded(0, peak_at);
  const double visible = peak_at + s.duration * random.uniform(0.15, 0.5);
  s.leak_line(s.leak_speed_over(s.duration - visible), visible);
}

// A warm-up by logarithm or power, one to ten times as large as what leaks.
void warm_log_leak(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double warm_up = 0.6 * s.level;
  s.start(s.level - warm_up);
  const double constant = s.duration * random.log_uniform(0.0005, 0.02);
  const double whole = portable_log(1 + s.duration / constant);
  s.raise_floor([&](double t) { return warm_up * portable_log(1 + t / constant) / whole; });
  const double growth = warm_up / random.log_uniform(1, 10);
  s.limit = std::max(s.limit, 1.3 * (s.level + growth));
  s.leak_line(growth / s.duration, 0);
}

void warm_power_leak(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  const double warm_up = 0.6 * s.level;
  s.start(s.level - warm_up);
  const double power = random.uniform(0.3, 0.6);
  const double end = s.duration * random.uniform(0.2, 0.6);
  s.raise_floor([&](double t) { return warm_up * portable_pow(std::min(t, end) / end, power); });
  const double growth = warm_up / random.log_uniform(1, 10);
  s.limit = std::max(s.limit, 1.3 * (s.level + growth));
  s.leak_line(growth / s.duration, 0);
}

// Five to thirty minutes only, too short for the clock on the wall; but the data has been read more
// than once, and the job says so.
void leak_passes(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(300, 1800);
  s.interval = random.pick({0.5, 1.0, 2.0, 5.0});
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  const double speed = random.log_uniform(0.2, 5);
  s.count_steps({speed, random.uniform(0.02, 0.2)});
  const double per_step = (s.level - from) / s.steps.back();
  for (std::size_t i = 0; i < s.size(); ++i) s.floor[i] += per_step * s.steps[i];
  s.is_leak(per_step * s.steps.back() / s.duration, 0, Tie::Step);
  s.truth.bytes_per_step = per_step * kMegabyte;
  s.show_steps = true;
  s.steps_per_epoch = s.steps.back() / random.uniform(1.6, 8);
}

// The same where no epoch is known but the loader counts distinct examples: all have been seen.
void leak_distinct(Sketch& s) {
  leak_passes(s);
  s.data_set_size = std::floor(*s.steps_per_epoch * 8);
  s.steps_per_epoch.reset();
  for (const double step : s.steps) s.distinct.push_back(std::min(s.data_set_size, step * 8));
}

// As `kubectl top` and cAdvisor see it: scraped every 15 to 60 s, whole mebibytes, the same value
// several times.
void scraped(Sketch& s) {
  s.duration = s.random.log_uniform(7200, 43200);
  s.interval = s.random.pick({15, 30, 60});
  s.defects.quantum = s.random.pick({1, 1, 10, 100});
  s.stale_seconds = s.random.pick({0, 60, 90});
}

void leak_scraped(Sketch& s) {
  scraped(s);
  s.start(s.level);
  const double speed = s.leak_speed_over(s.duration);
  // Growth of a few quanta only could be anything.
  constexpr double kFewestQuanta = 8;
  if (speed * s.duration < kFewestQuanta * s.defects.quantum) s.defects.quantum = 1;
  s.leak_line(speed, 0);
}

// The machine sleeps now and then, the wall clock does not.
void leak_suspended(Sketch& s) {
  auto& random = s.random;
  s.start(s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
  s.truth.bytes_per_minute = 0;  // of which clock?
  s.clock_jumps.assign(s.size(), 0);
  for (int k = random.integer(1, 3); k > 0; --k) {
    const double at = s.duration * random.uniform(0.1, 0.9);
    s.clock_jumps[s.index_at(at)] += random.log_uniform(300, 7200);
  }
}

// Work comes in portions; between them nothing happens and nothing leaks.
void leak_pauses(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double busy = s.duration / random.uniform(8, 40);
  const double idle = busy * random.log_uniform(0.2, 1.5);
  bool works = true;
  double next = busy * random.uniform(0.5, 1.5);
  double worked = 0;
  s.steps.assign(s.size(), 0);
  std::vector<double> work(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.time(i) > next) {
      works = !works;
      next = s.time(i) + (works ? busy : idle) * random.uniform(0.5, 1.5);
    }
    if (works) worked += s.interval;
    work[i] = worked;
  }
  const double growth = s.leak_speed_over(1);
  const double per_second = random.log_uniform(0.2, 5);
  for (std::size_t i = 0; i < s.size(); ++i) {
    s.floor[i] += growth * work[i] / worked;
    s.steps[i] = std::floor(per_second * work[i]);
  }
  s.is_leak(growth / s.duration, 0, Tie::Step);
  s.truth.bytes_per_step = growth * kMegabyte / std::max(1.0, s.steps.back());
  s.show_steps = random.chance(0.5);
}

// More and more requests, each of which leaks.
void leak_accelerating(Sketch& s) {
  s.duration = s.random.log_uniform(2400, 14400);
  s.start(s.level);
  const double power = s.random.uniform(1.3, 2.2);
  const double growth = s.leak_speed_over(1);
  s.raise_floor([&](double t) { return growth * portable_pow(t / s.duration, power); });
  s.is_leak(0, 0, Tie::Time);
}

// Something gives a part of it back now and then (malloc_trim, a cache cleared); it grows on.
void leak_trimmed(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(3600, 14400);
  s.start(s.level);
  const double speed = s.leak_speed_over(s.duration);
  const double every = s.duration / random.uniform(4, 15);
  const double part = random.uniform(0.1, 0.6);  // of what came since the last time
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double rounds = std::floor(s.time(i) / every);
    s.floor[i] += speed * (s.time(i) - part * rounds * every);
  }
  s.is_leak(speed * (1 - part), 0, Tie::Time);
}

// A plain leak to the end of the job, whose last samples see it go down.
void leak_exit(Sketch& s) {
  s.start(s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
  add_teardown(s);
}

// The first two or three steps of a staircase: nobody can know.
void stairs_young(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(1200, 7200);
  s.start(s.level);
  const int count = random.integer(2, 3);
  const double period = s.duration / (count + random.uniform(0.3, 0.9));
  s.add_spikes({.kind = MarkKind::Epoch,
                .period = period,
                .length = 0.03 * period,
                .height = 0,
                .first = period});
  leave_behind(s, std::max(5.0, s.level * random.log_uniform(0.01, 0.06)));
  const double speed = random.log_uniform(0.2, 5);
  s.count_steps({speed, 0.05});
  s.steps_per_epoch = speed * period;
  s.show_steps = s.show_marks = true;
}

// A ramp during which the loader still meets examples that it has not seen.
void ramp_distinct(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(300, 5400);
  s.interval = random.pick({0.5, 1.0, 2.0, 5.0});
  const double from = s.level * random.uniform(0.1, 0.6);
  s.start(from);
  s.count_steps({random.log_uniform(0.2, 5), random.uniform(0.02, 0.2)});
  const double examples = 8 * s.steps.back();
  s.data_set_size = std::floor(examples / random.uniform(0.3, 0.93));
  for (std::size_t i = 0; i < s.size(); ++i) {
    s.distinct.push_back(8 * s.steps[i]);
    s.floor[i] += (s.level - from) * s.steps[i] / s.steps.back();
  }
  s.show_steps = true;
}

constexpr auto kLeak = any_of(Class::Leak);
constexpr auto kAbstain = any_of(Class::Undecided);
constexpr SeriesClass kClasses[] = {
    {"leak_save", Label::Leak, kLeak, leak_save},
    {"leak_compile", Label::Leak, kLeak, leak_compile},
    {"leak_under_cycle", Label::Leak, kLeak, leak_under_cycle},
    {"leak_after_slack", Label::Leak, kLeak, leak_after_slack},
    {"warm_log_leak", Label::Leak, kLeak, warm_log_leak},
    {"warm_power_leak", Label::Leak, kLeak, warm_power_leak},
    {"leak_passes", Label::Leak, kLeak, leak_passes},
    {"leak_distinct", Label::Leak, kLeak, leak_distinct},
    {"leak_scraped", Label::Leak, kLeak, leak_scraped},
    {"leak_suspended", Label::Leak, kLeak, leak_suspended},
    {"leak_pauses", Label::Leak, kLeak, leak_pauses},
    {"leak_accelerating", Label::Leak, kLeak, leak_accelerating},
    {"leak_trimmed", Label::Leak, kLeak, leak_trimmed},
    {"leak_exit", Label::Leak, kLeak, leak_exit},
    {"stairs_young", Label::Undecidable, kAbstain, stairs_young},
    {"ramp_distinct", Label::Undecidable, kAbstain, ramp_distinct},
};

}  // namespace

std::span<const SeriesClass> world_leaks() {
  return kClasses;
}

}  // namespace tidegauge::bench
