// SPDX-License-Identifier: Apache-2.0
// Sketch: a series while a generator draws it. Floor and transients on a regular grid, in
// megabytes and seconds; finish() adds noise and the defects of real measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/verdict/random.h"
#include "bench/verdict/series.h"

namespace tidegauge::bench {

struct Noise {
  double white = 0;          // deviation from one sample to the next
  double drift = 0;          // deviation of a slow component…
  double drift_seconds = 1;  // …that forgets within this time
};

struct Defects {
  double quantum = 0;  // values come in multiples of this
  double missing = 0;  // share of samples that are lost, and some gaps
  bool irregular = false;
};

// Things that come and go: evaluations, checkpoints, ends of an epoch.
struct SpikePlan {
  MarkKind kind = MarkKind::Eval;
  double period = 0;
  double length = 0;
  double height = 0;
  double jitter = 0;              // of length and height; a fifth of it of the period
  std::optional<double> first{};  // when the first begins; otherwise within the first period
};

struct StepPlan {
  double per_second = 1;
  double variation = 0;  // of the speed, redrawn every two minutes
};

class Sketch {
 public:
  // What every class begins with: 20 min to 4 h, a sample every 0.2 to 10 s, 200 MB to 16 GB.
  Sketch(std::string_view stream, std::uint64_t seed);
  // For generators that draw these themselves.
  Sketch(Random stream, double duration_seconds, double interval_seconds, double level_mb);

  Random random;
  double duration = 0;
  double interval = 1;
  double level = 0;
  double limit = 0;
  Noise noise{};
  Defects defects{};
  Truth truth{};
  bool show_marks = false;
  bool show_steps = false;
  std::optional<double> steps_per_epoch{};

  std::vector<double> floor{};
  std::vector<double> transient{};
  std::vector<double> steps{};
  std::vector<double> distinct{};
  double data_set_size = 0;
  std::vector<Mark> marks{};
  std::vector<Member> members{};      // of a tree; their bytes are megabytes until finish()
  double stale_seconds = 0;           // the meter is read anew only this often
  std::vector<double> clock_jumps{};  // seconds that the clock leaps ahead before each sample

  // Lays the grid, from `duration` and `interval` as they are now, at this level.
  void start(double at_level);
  std::size_t size() const { return floor.size(); }
  double time(std::size_t i) const { return static_cast<double>(i) * interval; }
  std::size_t index_at(double seconds) const;  // within the grid

  template <class Shape>  // megabytes as a function of seconds
  void raise_floor(Shape shape) {
    for (std::size_t i = 0; i < size(); ++i) floor[i] += shape(time(i));
  }
  template <class Shape>
  void raise_transient(Shape shape) {
    for (std::size_t i = 0; i < size(); ++i) transient[i] += shape(time(i));
  }

  // A leak's speed such that it adds 3 to 100 % of the level in `seconds`, within the limit.
  double leak_speed_over(double seconds);
  // A leak from `onset` on, at this many megabytes a second.
  void leak_line(double speed, double onset);
  // Says that there is a leak without drawing it.
  void is_leak(double speed, double onset, verdict::Tie tie);
  void is_bounded(double growth_begin, double growth_end);

  void add_spikes(const SpikePlan& plan);
  void allow_for_spikes(double height);  // the limit is far enough above
  // Counts optimizer steps, which rest while a spike lasts.
  void count_steps(const StepPlan& plan);

  Series finish(std::string_view name, std::uint64_t seed);

 private:
  double measured(double megabytes) const;  // bytes, as the meter rounds them
  double add_member_samples(Series& out, std::size_t i, double disturbance);
  void add_facts(Series& out) const;
  std::vector<char> busy_elsewhere_{};  // within a spike: no steps are made
};

}  // namespace tidegauge::bench
