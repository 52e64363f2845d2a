// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/mechanisms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"
#include "bench/verdict/sketch.h"
#include "bench/verdict/workload.h"

namespace tidegauge::bench {
namespace {

// An unmarked first pass lasts no longer than this, in seconds: the prior that the product states.
constexpr double kLongestUnmarkedPass = 2700;
constexpr double kMostSamples = 30000;

Sketch draw_frame(Random random) {
  const double duration = random.log_uniform(600, 18000);
  double interval = random.pick({0.2, 0.5, 1.0, 2.0, 5.0, 10.0});
  while (duration / interval > kMostSamples) interval *= 2;
  const double level = random.log_uniform(60, 30000);
  Sketch s(std::move(random), duration, interval, level);
  s.limit = level * s.random.uniform(2, 5);
  return s;
}

void add_marks(Sketch& s) {
  auto& random = s.random;
  if (!random.chance(0.55)) return;
  const double period = s.duration / std::floor(random.log_uniform(3, 60));
  const double height = random.chance(0.3) ? 0 : s.level * random.log_uniform(0.01, 1.0);
  constexpr MarkKind kKinds[] = {MarkKind::Eval, MarkKind::Eval, MarkKind::Epoch, MarkKind::Save};
  s.add_spikes({.kind = kKinds[random.integer(0, 3)],
                .period = period,
                .length = period * random.log_uniform(0.01, 0.4),
                .height = height,
                .jitter = random.uniform(0, 0.5)});
  s.allow_for_spikes(height);
}

// Adds one bounded store; `epoch` becomes the length of a pass if this store is filled by a pass
// that is marked.
void add_store(Job& job, double size, std::optional<double>& epoch) {
  auto& s = job.sketch;
  auto& random = s.random;
  double span = random.chance(0.5) ? std::min(random.log_uniform(20, 2700), 0.9 * s.duration)
                                   : s.duration * random.log_uniform(0.01, 0.9);
  switch (random.integer(0, 9)) {
    case 0:
    case 1:
      if (!epoch && random.chance(0.4)) {
        if (random.chance(0.5)) span = s.duration * random.log_uniform(0.02, 0.95);
        epoch = span;
      } else {
        span = std::min(span, kLongestUnmarkedPass);
      }
      if (random.chance(0.7)) return cache_in_order(job, size, span);
      return caches_in_turn(job, size, span);
    case 2:
      return cache_at_random(job, size, span);
    case 3:
      return cache_by_popularity(job, size, span);
    case 4:
      return arenas(job, size, std::min(span, 0.6 * s.duration));
    case 5:
      return high_water(job, size);
    case 6:
      return stairs_that_stop(job, 0.5 * size);
    case 7:
      return sessions(job, size);
    case 8:
      return resizes(job, 0.6 * size);
    default:
      return adoption(job, size, std::min(span, 0.8 * s.duration));
  }
}

void add_transient(Job& job) {
  const double height = job.sketch.level * job.random().log_uniform(0.02, 0.8);
  job.sketch.limit += height;
  job.sketch.truth.spike_bytes += height * kMegabyte;
  switch (job.random().integer(0, 4)) {
    case 0:
      return collected_heap(job, height);
    case 1:
      return on_and_off(job, height);
    case 2:
      return slow_wave(job, height);
    case 3:
      return bursts(job, height);
    default:
      return wandering_cache(job, height);
  }
}

void draw_noise(Sketch& s) {
  auto& random = s.random;
  s.noise.white = s.level * random.log_uniform(5e-5, 8e-3);
  s.noise.drift = s.level * random.log_uniform(5e-5, 5e-3);
  s.noise.drift_seconds = random.log_uniform(1, 0.03 * s.duration);
  if (random.chance(0.2)) s.noise.white = s.level * random.log_uniform(5e-3, 5e-2);
  if (random.chance(0.15)) {
    s.noise.drift = s.level * random.log_uniform(5e-3, 4e-2);
    s.noise.drift_seconds = s.duration * random.log_uniform(0.003, 0.04);
  }
}

// Jumps of `size` in the mean at random times, `per_jump` exponential parts each.
void leak_by_jumps(Sketch& s, double onset, double gap, double size, int per_jump) {
  double next = onset + s.random.exponential(gap);
  double leaked = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    while (s.time(i) >= next) {
      for (int k = 0; k < per_jump; ++k) leaked += size * s.random.exponential(1.0 / per_jump);
      next += s.random.exponential(gap);
    }
    s.floor[i] += leaked;
  }
}

void leak_by_stairs(Sketch& s, double onset, double gap, double size) {
  double next = onset + gap * s.random.uniform();
  double leaked = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    while (s.time(i) >= next) {
      leaked += size * (1 + 0.2 * s.random.normal());
      next += gap * std::max(0.2, 1 + 0.1 * s.random.normal());
    }
    s.floor[i] += leaked;
  }
}

// Returns when the first of the marks that leak begins.
double leak_by_marks(Sketch& s, double onset, double growth) {
  std::vector<Mark> leaking;
  for (const auto& mark : s.marks)
    if (mark.begin_seconds >= onset) leaking.push_back(mark);
  const double jitter = s.random.uniform(0, 0.4);
  for (const auto& mark : leaking) {
    const double mean = growth / static_cast<double>(leaking.size());
    const double size = mean * std::max(0.0, 1 + jitter * s.random.normal());
    const double length = std::max(s.interval, mark.end_seconds - mark.begin_seconds);
    s.raise_floor([&](double t) { return size * ramp(t, mark.begin_seconds, length); });
  }
  return leaking.empty() ? onset : leaking.front().begin_seconds;
}

// What a leak adds until the end: 6 to 300 deviations of what can be known, sometimes much more.
double draw_growth(Sketch& s, double span) {
  const double power = s.noise.white * s.noise.white * s.interval +
                       s.noise.drift * s.noise.drift * 2 * s.noise.drift_seconds;
  const double visible = s.random.log_uniform(6, 300) * std::sqrt(12 * power / span);
  double growth = std::max({visible, s.level * s.random.log_uniform(0.004, 0.08), 2.0});
  if (s.random.chance(0.3)) growth = std::max(growth, s.level * s.random.log_uniform(0.05, 1.5));
  return std::min(growth, 2.5 * s.level);
}

void add_leak(Job& job, std::optional<double> restart) {
  auto& s = job.sketch;
  auto& random = s.random;
  double onset = restart || random.chance(0.55) ? 0 : s.duration * random.uniform(0.05, 0.65);
  const double span = s.duration - restart.value_or(onset);
  const double growth = draw_growth(s, span);
  const double speed = growth / span;
  bool constant = true;
  int shape = random.integer(0, 5);
  constexpr std::size_t kFewestMarks = 4;
  const auto from_onset = std::count_if(s.marks.begin(), s.marks.end(), [&](const Mark& mark) {
    return mark.begin_seconds >= onset;
  });
  if (shape == 4 && static_cast<std::size_t>(from_onset) < kFewestMarks) shape = 0;
  if (shape == 0) {
    s.raise_floor([&](double t) { return speed * std::max(0.0, t - onset); });
  } else if (shape == 1) {
    const double before = job.work[s.index_at(onset)];
    const double per_work = growth / std::max(1e-9, job.work.back() - before);
    for (std::size_t i = 0; i < s.size(); ++i)
      s.floor[i] += per_work * std::max(0.0, job.work[i] - before);
  } else if (shape == 2) {
    const double gap = span / random.log_uniform(12, 300);
    leak_by_jumps(s, onset, gap, speed * gap, random.chance(0.5) ? 1 : 3);
  } else if (shape == 3) {
    const double gap = span / random.log_uniform(8, 60);
    leak_by_stairs(s, onset, gap, speed * gap);
  } else if (shape == 4) {
    onset = leak_by_marks(s, onset, growth);
  } else {
    const double power = random.uniform(1.1, 2.0);
    s.raise_floor(
        [&](double t) { return growth * portable_pow(std::max(0.0, t - onset) / span, power); });
    constant = false;
  }
  s.is_leak(constant ? speed : 0, onset, verdict::Tie::Time);
  s.limit = std::max(s.limit, (s.level + growth) * 1.3 + s.truth.spike_bytes / kMegabyte);
}

// Memory that is given back now and then, for good.
void add_trims(Sketch& s) {
  if (!s.random.chance(0.2)) return;
  const int count = s.random.integer(1, 3);
  for (int k = 0; k < count; ++k) {
    const double at = s.duration * s.random.uniform();
    const double size = s.level * s.random.log_uniform(0.003, 0.04);
    s.raise_floor([&](double t) { return t >= at ? -size : 0; });
  }
}

// From `at` on the job lives its life again.
void add_restart(Sketch& s, double at) {
  const auto first = s.floor;
  const auto shift = s.index_at(at);
  for (std::size_t i = shift; i < s.size(); ++i) s.floor[i] = first[i - shift];
}

void add_counts(Job& job, std::optional<double> epoch) {
  auto& s = job.sketch;
  auto& random = s.random;
  if (!epoch && !random.chance(0.25)) return;
  const double speed = random.log_uniform(0.1, 8);
  for (const double work : job.work) s.steps.push_back(std::floor(speed * work));
  s.show_steps = true;
  if (epoch) s.steps_per_epoch = speed * *epoch;
  // Or epochs that have nothing to do with what grows.
  else if (random.chance(0.5))
    s.steps_per_epoch = speed * s.duration * random.log_uniform(0.01, 0.6);
}

void draw_defects(Sketch& s) {
  auto& random = s.random;
  if (random.chance(0.2)) s.defects.quantum = s.level * random.log_uniform(5e-4, 0.03);
  if (random.chance(0.25)) s.defects.missing = random.uniform(0.02, 0.6);
  s.defects.irregular = random.chance(0.3);
  if (!random.chance(0.2)) return;
  // Now and then a sample far above: |normal| over a power of a chi-squared of three.
  const double tail = random.uniform(2, 5);
  for (auto& transient : s.transient) {
    double squares = 0;
    for (int k = 0; k < 3; ++k) {
      const double x = random.normal();
      squares += x * x;
    }
    const double scale = portable_pow(3 / std::max(0.05, squares), 1.5 / tail);
    transient += s.noise.white * scale * std::fabs(random.normal());
  }
}

// The last fifth rises at no less than 60 % of the fastest fifth.
bool rises_at_full_speed(const Sketch& s) {
  const std::size_t fifth = s.size() / 5;
  double fastest = 0;
  for (std::size_t i = 0; i + fifth < s.size(); i += std::max<std::size_t>(1, s.size() / 50))
    fastest = std::max(fastest, s.floor[i + fifth] - s.floor[i]);
  const double last = s.floor.back() - s.floor[s.size() - 1 - fifth];
  return last > 0.6 * fastest && last > 0.02 * s.level;
}

Sketch draw(Random stream, Label label) {
  Sketch s = draw_frame(std::move(stream));
  auto& random = s.random;
  const double base = random.uniform(0.1, 1.0);
  s.start(base * s.level);
  add_marks(s);
  Job job = begin_work(s);
  std::optional<double> epoch;
  for (int k = random.integer(0, 3); k > 0; --k) {
    const double size = std::max(1 - base, 0.05) * s.level * random.log_uniform(0.05, 1.0);
    add_store(job, size, epoch);
  }
  for (int k = random.integer(0, 2); k > 0; --k) add_transient(job);
  draw_noise(s);
  std::optional<double> restart;
  if (random.chance(0.1)) restart = s.duration * random.uniform(0.15, 0.6);
  if (label == Label::Leak) add_leak(job, restart);
  add_trims(s);
  if (restart)
    add_restart(s, *restart);
  else
    add_counts(job, epoch);
  s.show_marks = random.chance(0.6);
  if (restart && random.chance(0.5)) {
    if (!s.show_marks) s.marks.clear();
    const auto after = std::find_if(s.marks.begin(), s.marks.end(), [&](const Mark& mark) {
      return mark.begin_seconds > *restart;
    });
    s.marks.insert(after, {MarkKind::Restart, *restart, *restart});
    s.show_marks = true;
  }
  draw_defects(s);
  if (label == Label::Bounded && !restart && rises_at_full_speed(s))
    s.truth.label = Label::Undecidable;
  return s;
}

}  // namespace

Series make_mechanism_leak(std::uint64_t seed) {
  return draw(Random("mechanism_leak", seed), Label::Leak).finish("mechanism_leak", seed);
}

Series make_mechanism_bounded(std::uint64_t seed) {
  return draw(Random("mechanism_bounded", seed), Label::Bounded).finish("mechanism_bounded", seed);
}

}  // namespace tidegauge::bench
