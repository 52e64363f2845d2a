// SPDX-License-Identifier: Apache-2.0
// The stores of workload.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"
#include "bench/verdict/workload.h"

namespace tidegauge::bench {
namespace {

template <class Shape>  // megabytes as a function of work done
void fill(Job& job, Shape shape) {
  for (std::size_t i = 0; i < job.work.size(); ++i) job.sketch.floor[i] += shape(job.work[i]);
}

}  // namespace

void cache_in_order(Job& job, double size, double pass) {
  fill(job, [&](double work) { return size * ramp(work, 0, pass); });
}

void cache_at_random(Job& job, double size, double pass) {
  fill(job, [&](double work) { return size * (1 - portable_exp(-work / pass)); });
}

void cache_by_popularity(Job& job, double size, double pass) {
  // Items in 40 groups, each 1.35 times as many and the less popular for it.
  constexpr std::size_t kGroups = 40;
  constexpr double kRatio = 1.35;
  struct Group {
    double items;
    double popularity;
  };
  std::array<Group, kGroups> groups{};
  const double exponent = job.random().uniform(0.6, 1.4);
  double items = 1;
  double all_items = 0;
  double all_requests = 0;
  for (auto& group : groups) {
    group = {items, portable_pow(items, -exponent)};
    all_items += group.items;
    all_requests += group.items * group.popularity;
    items *= kRatio;
  }
  const double requests_per_second = all_items / pass * job.random().log_uniform(0.3, 4);
  fill(job, [&](double work) {
    double held = 0;
    for (const auto& group : groups) {
      const double seen = group.popularity / all_requests * requests_per_second * work;
      held += group.items * (1 - portable_exp(-std::min(seen, 600.0)));
    }
    return size * held / all_items;
  });
}

void caches_in_turn(Job& job, double size, double pass) {
  const int count = job.random().integer(2, 4);
  double begin = 0;
  for (int k = 0; k < count; ++k) {
    const double length = pass / count * job.random().uniform(0.4, 1.6);
    const double part = size / count * job.random().uniform(0.3, 1.7);
    fill(job, [&](double work) { return part * ramp(work, begin, length); });
    begin += length;
  }
}

void arenas(Job& job, double size, double span) {
  auto& random = job.random();
  const int count = random.integer(2, 24);
  const double rise = random.log_uniform(0.5, 60);
  for (int k = 0; k < count; ++k) {
    const double begin =
        random.chance(0.5) ? span * random.uniform() : random.exponential(span / 3);
    const double part = size / count * random.uniform(0.3, 1.7);
    fill(job, [&](double work) { return part * ramp(work, begin, rise); });
  }
}

void high_water(Job& job, double size) {
  auto& random = job.random();
  constexpr double kLargest = 1.6;  // of the size: memory that a request can need is bounded
  const double gap = job.sketch.duration / random.log_uniform(5, 400);
  const double spread = random.uniform(0.05, 0.4);
  const bool heavy_tail = random.chance(0.3);
  double next = random.exponential(gap);
  double mark = 0;
  for (std::size_t i = 0; i < job.work.size(); ++i) {
    while (job.work[i] >= next) {
      const double need = heavy_tail ? 0.15 * portable_pow(1 - random.uniform(), -1 / 6.0)
                                     : std::max(0.0, 0.5 + spread * random.normal());
      mark = std::max(mark, std::min(need, kLargest));
      next += random.exponential(gap);
    }
    job.sketch.floor[i] += size * mark;
  }
}

void stairs_that_stop(Job& job, double size) {
  const auto& marks = job.sketch.marks;
  const auto wanted = static_cast<std::size_t>(job.random().integer(1, 9));
  const auto count = std::min(marks.size(), wanted);
  for (std::size_t k = 0; k < count; ++k) {
    const double part = size / static_cast<double>(count) * job.random().uniform(0.4, 1.6);
    const double length =
        std::max(job.sketch.interval, marks[k].end_seconds - marks[k].begin_seconds);
    job.sketch.raise_floor(
        [&](double t) { return part * ramp(t, marks[k].begin_seconds, length); });
  }
}

void sessions(Job& job, double size) {
  auto& random = job.random();
  auto& s = job.sketch;
  const double life = s.duration * random.log_uniform(0.003, 0.15);
  const double at_once = random.log_uniform(5, 60);
  const double gap = life / at_once;
  const double each = size / at_once;
  // Some services are new, and their users come little by little.
  const double grows_until = random.chance(0.3) ? s.duration * random.uniform(0.05, 0.3) : 0;
  std::vector<double> change(s.size() + 1, 0);
  for (double begin = -4 * life; begin < s.duration; begin += random.exponential(gap)) {
    if (grows_until > 0 && begin > 0 && random.uniform() > 0.25 + begin / grows_until) continue;
    const double end = begin + random.exponential(life);
    if (end <= 0) continue;
    change[s.index_at(begin)] += each;
    if (end < s.duration) change[s.index_at(end)] -= each;
  }
  double now = 0;
  for (std::size_t i = 0; i < s.size(); ++i) s.floor[i] += (now += change[i]);
}

void resizes(Job& job, double size) {
  auto& random = job.random();
  auto& s = job.sketch;
  const int count = random.integer(1, 3);
  for (int k = 0; k < count; ++k) {
    const double begin = s.duration * random.uniform(0.05, 0.9);
    const double change = size * random.uniform(-0.5, 1);
    const double length = random.log_uniform(1, 0.05 * s.duration + 2);
    const double back = random.chance(0.5) ? begin + s.duration * random.uniform(0.02, 0.4)
                                           : std::numeric_limits<double>::max();
    s.raise_floor(
        [&](double t) { return change * (ramp(t, begin, length) - ramp(t, back, length)); });
  }
}

void adoption(Job& job, double size, double span) {
  const double middle = span * job.random().uniform(0.2, 0.7);
  const double width = span * job.random().uniform(0.05, 0.2);
  const bool lopsided = job.random().chance(0.4);
  fill(job, [&](double work) {
    const double x = std::clamp((work - middle) / width, -30.0, 30.0);
    if (lopsided) return size * portable_exp(-portable_exp(std::min(-x, 6.0)));
    return size / (1 + portable_exp(-x));
  });
}

void collected_heap(Job& job, double height) {
  auto& random = job.random();
  auto& s = job.sketch;
  const double period = std::max(4 * s.interval, s.duration / random.log_uniform(5, 250));
  // Half of the heaps have an old generation, collected after this many young collections.
  const double full_after = random.chance(0.4) ? random.uniform(3, 12) : 0;
  double young = 0;
  double old = 0;
  double room = height * random.uniform(0.7, 1.3);
  int collections = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    young += height / period * (i > 0 ? job.work[i] - job.work[i - 1] : 0);
    if (young > room) {
      ++collections;
      if (full_after > 0) old += young * random.uniform(0.02, 0.2);
      young = 0;
      room = height * std::max(0.3, 1 + 0.15 * random.normal());
      if (full_after > 0 && collections >= full_after) {
        old = 0;
        collections = 0;
      }
    }
    s.transient[i] += young + old;
  }
}

void on_and_off(Job& job, double height) {
  auto& random = job.random();
  auto& s = job.sketch;
  const double off = s.duration / random.log_uniform(3, 80);
  const double on = off * random.log_uniform(0.1, 2);
  double next = random.exponential(off);
  bool is_on = false;
  double now = height;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.time(i) > next) {
      is_on = !is_on;
      now = height * random.uniform(0.6, 1.2);
      next = s.time(i) + random.exponential(is_on ? on : off);
    }
    if (is_on) s.transient[i] += now;
  }
}

void slow_wave(Job& job, double height) {
  auto& s = job.sketch;
  const double period = s.duration * job.random().log_uniform(0.03, 0.7);
  const double phase = job.random().uniform(0, 2 * kPi);
  const double second = job.random().uniform(0, 0.4);
  s.raise_transient([&](double t) {
    const double angle = 2 * kPi * t / period + phase;
    return 0.2 * height * (1 + second + portable_sin(angle) + second * portable_sin(2 * angle));
  });
}

void bursts(Job& job, double height) {
  auto& random = job.random();
  auto& s = job.sketch;
  const double gap = s.duration / random.log_uniform(3, 80);
  const double recovery = gap * random.uniform(0.02, 0.3);
  const bool growing = random.chance(0.2);
  for (double at = random.exponential(gap); at < s.duration; at += random.exponential(gap)) {
    const double scale = growing ? 0.2 + at / s.duration : 1;
    const double size = std::min(height * scale * random.exponential(1), 3 * height);
    for (std::size_t i = s.index_at(at); i < s.size() && s.time(i) < at + 6 * recovery; ++i)
      s.transient[i] += size * portable_exp(-std::max(0.0, s.time(i) - at) / recovery);
  }
}

void wandering_cache(Job& job, double height) {
  auto& random = job.random();
  auto& s = job.sketch;
  const double memory = s.duration * random.log_uniform(0.005, 0.08);
  const double step = 0.3 * height * std::sqrt(s.interval / memory);
  double now = 0.3 * height;
  for (std::size_t i = 0; i < s.size(); ++i) {
    now = std::fabs(now + step * random.normal());
    if (now > height) now = height * random.uniform(0.2, 0.9);
    s.transient[i] += now;
  }
}

}  // namespace tidegauge::bench
