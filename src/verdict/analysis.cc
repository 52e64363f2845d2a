// SPDX-License-Identifier: Apache-2.0
#include "verdict/analysis.h"

#include <algorithm>
#include <cmath>

#include "verdict/first_reads.h"
#include "verdict/on_clock.h"
#include "verdict/setting.h"
#include "verdict/staircase.h"
#include "verdict/statistics.h"
#include "verdict/survival.h"
#include "verdict/tail.h"
#include "verdict/weighing.h"

namespace tidegauge::verdict {

namespace {

void try_staircases(const Material& material, const std::vector<Point>& points, const Scale& scale,
                    Analysis& out) {
  for (const auto& events : material.marks->events()) {
    const auto stairs = find_staircase(points, events, scale, material.series->block_width(),
                                       level_of_test(material.series->count()));
    if (!stairs) continue;
    constexpr double kChance =
        0.02;  // that a bounded floor climbs in step with the events by chance
    out.finding = Finding::Stairs;
    out.tied_to = events.tie;
    out.phase = events.name;
    out.events = stairs->events;
    out.began = stairs->began;
    out.survival = survival_by_event(stairs->events, events.tie);
    if (material.passes->known()) {
      const double since =
          material.passes->passes_at(points.back().at) - material.passes->passes_at(stairs->began);
      out.survival = std::min(out.survival, survival_by_pass(since));
    }
    out.plain = 1 / (1 + kStraightWarmUps * out.survival + kChance);
    const double half = std::hypot(stairs->trend.half_width(0.95), 2 * stairs->step_error,
                                   0.02 * stairs->trend.slope);
    const Interval step{stairs->trend.slope, stairs->trend.slope - half,
                        stairs->trend.slope + half};
    const auto per = [&](double events_per_unit) {
      return Interval{step.value * events_per_unit, step.low * events_per_unit,
                      step.high * events_per_unit};
    };
    out.per_event = step;
    out.rate = per(1 / stairs->spacing);
    if (out.per_step && out.per_step->value != 0) {
      const auto* steps = material.marks->steps();
      const double walked =
          steps == nullptr ? 0 : steps->count_at(points.back().at) - steps->count_at(points[0].at);
      if (walked > 0) out.per_step = per(stairs->events / walked);
    }
    out.not_excluded = std::max(0.0, out.rate->high);
    out.level = stairs->last_floor;
    const double needed = std::max(
        0.02, survival_needed(*material.rules, leak_bar(material)) - kChance / kStraightWarmUps);
    out.look_again =
        points.back().at +
        std::max(1.0, events_at_survival(needed, events.tie) - stairs->events) * stairs->spacing;
    out.look_again_why = "pools and arenas would have filled up by then";
    return;
  }
}

// The clock on which fewer and better pieces lie is the one that growth goes by.
Analysis better_clock(const Setting& setting, Analysis by_time) {
  if (setting.steps.empty()) return by_time;
  auto by_step = judge_on_clock(setting, setting.steps);
  constexpr double kClearlyBetter = 2;
  const auto price = [](const Floor& floor) {
    return floor.cost +
           static_cast<double>(floor.curve.size()) * std::log(std::max(floor.deviation, 1.0));
  };
  if (!by_step) return by_time;
  const double better = price(*by_time.floor) - price(*by_step->floor);
  if (better <= kClearlyBetter) {
    // Steps at an even pace cannot be told from time, and work is what steps do.
    const bool alike = better > -kClearlyBetter && by_step->finding == Finding::Growing;
    if (alike && by_time.finding == Finding::Growing) by_time.tied_to = Tie::Step;
    return by_time;
  }
  by_step->by_steps = true;
  if (by_step->finding == Finding::Growing) by_step->tied_to = Tie::Step;
  return *by_step;
}

}  // namespace

double leak_bar(const Material& material) {
  // By then as few straight warm-ups are left as after the longest one.
  constexpr double kPassesOfAWarmUp = 2;
  if (material.clock_is_steps) return leak_bar(*material.rules, INFINITY);
  const double now = material.series->last_at();
  const double longest = std::max(material.rules->longest_warm_up_minutes * 60, 1e-9);
  const double passes = material.passes->known() ? material.passes->passes_at(now) : 0;
  return leak_bar(*material.rules, std::max(now / longest, passes / kPassesOfAWarmUp));
}

Analysis analyse(const Material& material) {
  Analysis out;
  out.p_leak = material.rules->leak_prior;  // nothing was seen that would change it
  if (material.points.empty()) return out;
  out.level = material.series->last();
  const auto setting = prepare(material);
  if (!setting) return out;
  const auto by_time = judge_on_clock(*setting, setting->seconds);
  if (!by_time) return out;
  out = better_clock(*setting, *by_time);
  if (out.finding == Finding::Growing && out.tied_to == Tie::None) {
    out.tied_to = material.clock_is_steps ? Tie::Step : Tie::Time;
  }
  out.restarts = setting->regime.restarts;
  if (setting->started > 0) {
    out.start_up_bytes = setting->points.front().low - material.points.front().low;
  }
  out.judged_before_edge = setting->last + 1 < setting->points.size();
  const auto quick = find_quick_swings(setting->points, setting->swings, setting->scale.noise_floor,
                                       material.series->swings());
  const auto& swings = quick.peaks.empty() ? setting->swings : quick;
  out.spike_height = swings.height;
  out.spike_count = swings.peaks.size();
  for (const auto peak : swings.peaks) out.spike_times.push_back(setting->points[peak].at);
  try_staircases(material, setting->points, setting->scale, out);
  weigh_evidence(*setting, out);
  if (const auto reads = growth_by_first_reads(*setting)) bound_by_first_reads(*reads, out);
  return out;
}

}  // namespace tidegauge::verdict
