// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/sketch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/verdict/portable_math.h"

namespace tidegauge::bench {
namespace {

constexpr double kSpeedChangesEvery = 120;  // seconds, of a job's steps
constexpr double kGapChance = 0.002;        // per sample, where samples go missing
constexpr double kGapSeconds = 30;          // mean length
constexpr double kIrregularity = 0.45;      // of the interval: samples stay in order
constexpr double kSmallestLeakMegabytes = 10;

}  // namespace

Sketch::Sketch(std::string_view stream, std::uint64_t seed) : random(stream, seed) {
  duration = random.log_uniform(1200, 14400);
  interval = random.pick({0.5, 1.0, 2.0, 5.0, 10.0});
  if (duration < 2400 && random.chance(0.4)) interval = 0.2;
  level = random.log_uniform(200, 16000);
  noise.white = level * random.log_uniform(3e-4, 4e-3);
  noise.drift = level * random.log_uniform(2e-4, 3e-3);
  noise.drift_seconds = random.log_uniform(2, 60);
  limit = level * random.uniform(2, 5);
}

Sketch::Sketch(Random stream, double duration_seconds, double interval_seconds, double level_mb)
    : random(std::move(stream)),
      duration(duration_seconds),
      interval(interval_seconds),
      level(level_mb) {}

void Sketch::start(double at_level) {
  const auto count = std::max<std::size_t>(3, static_cast<std::size_t>(duration / interval));
  floor.assign(count, at_level);
  transient.assign(count, 0);
  busy_elsewhere_.assign(count, 0);
}

std::size_t Sketch::index_at(double seconds) const {
  const double index = std::clamp(seconds / interval, 0.0, static_cast<double>(size() - 1));
  return static_cast<std::size_t>(index);
}

double Sketch::leak_speed_over(double seconds) {
  const double growth = std::max(level * random.log_uniform(0.03, 1.0), kSmallestLeakMegabytes);
  return std::min(growth, 0.8 * (limit - level)) / seconds;
}

void Sketch::leak_line(double speed, double onset) {
  raise_floor([&](double t) { return speed * std::max(0.0, t - onset); });
  is_leak(speed, onset, verdict::Tie::Time);
}

void Sketch::is_leak(double speed, double onset, verdict::Tie tie) {
  truth.label = Label::Leak;
  truth.tie = tie;
  truth.bytes_per_minute = speed * 60 * kMegabyte;
  truth.onset_seconds = onset;
}

void Sketch::is_bounded(double growth_begin, double growth_end) {
  truth.label = Label::Bounded;
  truth.growth_begin_seconds = growth_begin;
  truth.growth_end_seconds = growth_end;
}

void Sketch::add_spikes(const SpikePlan& plan) {
  double begin = plan.first ? *plan.first : plan.period * random.uniform(0.3, 1.0);
  while (begin < duration) {
    const double length =
        std::max(interval, plan.length * (1 + 0.5 * plan.jitter * random.normal()));
    const double height = std::max(0.0, plan.height * (1 + 0.5 * plan.jitter * random.normal()));
    const double rise = random.uniform(0.05, 0.5);  // share of its length until it is at the top
    marks.push_back({plan.kind, begin, begin + length});
    for (std::size_t i = index_at(begin); i <= index_at(begin + length); ++i) {
      const double part = std::max(0.0, (time(i) - begin) / length);
      transient[i] += height * std::min(1.0, part / rise);
      busy_elsewhere_[i] = 1;
    }
    begin += plan.period * std::max(0.2, 1 + 0.1 * plan.jitter * random.normal());
  }
}

void Sketch::allow_for_spikes(double height) {
  truth.spike_bytes = height * kMegabyte;
  limit += height;
}

void Sketch::count_steps(const StepPlan& plan) {
  steps.assign(size(), 0);
  const auto change_every =
      std::max<std::size_t>(1, static_cast<std::size_t>(kSpeedChangesEvery / interval));
  double done = 0;
  double speed = plan.per_second;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i % change_every == 0)
      speed = plan.per_second * portable_exp(plan.variation * random.normal());
    if (!busy_elsewhere_[i]) done += speed * interval;
    steps[i] = std::floor(done);
  }
}

double Sketch::measured(double megabytes) const {
  const double quantum = defects.quantum > 0 ? defects.quantum * kMegabyte : kPageBytes;
  return std::floor(std::max(1.0, megabytes) * kMegabyte / quantum) * quantum;
}

// The first member has the tree's noise, the others little. Returns what they hold together.
double Sketch::add_member_samples(Series& out, std::size_t i, double disturbance) {
  constexpr double kQuieter = 0.1;
  double all = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const double own = k == 0 ? disturbance : kQuieter * noise.white * random.normal();
    const bool lives = members[k].bytes[i] >= 0;
    const double bytes = lives ? measured(members[k].bytes[i] + own) : -1;
    out.members[k].bytes.push_back(bytes);
    if (lives) all += bytes;
  }
  return all;
}

Series Sketch::finish(std::string_view name, std::uint64_t seed) {
  Series out;
  out.name = name;
  out.seed = seed;
  out.members = members;
  for (auto& member : out.members) member.bytes.clear();
  const double keep = portable_exp(-interval / std::max(noise.drift_seconds, 0.01 * interval));
  double drift = noise.drift * random.normal();
  double jumped = 0;
  double fresh_at = -1;  // when the meter was read
  int lost = 0;          // samples of a gap still to come
  for (std::size_t i = 0; i < size(); ++i) {
    drift = keep * drift + noise.drift * std::sqrt(1 - keep * keep) * random.normal();
    const double disturbance = transient[i] + drift + noise.white * random.normal();
    if (!clock_jumps.empty()) jumped += clock_jumps[i];
    if (lost > 0) {
      --lost;
      continue;
    }
    if (defects.missing > 0) {
      if (random.chance(defects.missing)) continue;
      if (random.chance(kGapChance))
        lost = static_cast<int>(random.exponential(kGapSeconds / interval));
    }
    double at = time(i);
    if (defects.irregular) at += interval * kIrregularity * random.uniform(-1, 1);
    const bool stale = fresh_at >= 0 && time(i) < fresh_at + stale_seconds;
    if (!stale) fresh_at = time(i);
    const double bytes = !members.empty() ? add_member_samples(out, i, disturbance)
                         : stale          ? out.bytes.back()
                                          : measured(floor[i] + disturbance);
    out.seconds.push_back(std::max(0.0, at + jumped));
    out.bytes.push_back(bytes);
    if (show_steps) out.steps.push_back(steps[i]);
    if (!distinct.empty()) out.distinct.push_back(distinct[i]);
  }
  add_facts(out);
  return out;
}

// What is known of it besides its samples.
void Sketch::add_facts(Series& out) const {
  out.data_set_size = data_set_size;
  if (show_marks) out.marks = marks;
  out.steps_per_epoch = steps_per_epoch;
  out.limit_bytes = limit * kMegabyte;
  out.truth = truth;
  out.truth.floor_end_bytes = floor.back() * kMegabyte;
  const double power =
      noise.white * noise.white * interval + noise.drift * noise.drift * 2 * noise.drift_seconds;
  out.truth.noise_power = power * kMegabyte * kMegabyte;
}

}  // namespace tidegauge::bench
