// SPDX-License-Identifier: Apache-2.0
// What the analysis in pieces found, how long growth has lasted on each clock, and what happens
// with each event.
#include <algorithm>
#include <array>
#include <cmath>

#include "verdict/feature_view.h"
#include "verdict/staircase.h"
#include "verdict/statistics.h"
#include "verdict/trend.h"

namespace tidegauge::verdict {

namespace {

constexpr std::array<FeatureInfo, 10> kEventInfos = {{
    {"events", Evidence::Events, 0},
    {"t_events", Evidence::Events, 1},
    {"late_of_all", Evidence::Events, 1},
    {"drift_of_step", Evidence::Events, 0},
    {"since_rise", Evidence::Events, -1},
    {"rising_events", Evidence::Events, 1},
    {"step_spread", Evidence::Events, 0},
    {"last_step", Evidence::Events, 0},
    {"least_late_step", Evidence::Events, 1},
    {"events_are_epochs", Evidence::Events, 0},
}};

constexpr std::array<FeatureInfo, 21> kPieceInfos = {{
    {"age_of_longest", Evidence::Clock, 1},
    {"age_of_run", Evidence::Clock, 1},
    {"passes_since", Evidence::Clock, 0},
    {"passes_known", Evidence::Clock, 0},
    {"events_since", Evidence::Clock, 0},
    {"restarts", Evidence::Clock, 0},
    {"rate_of_previous", Evidence::Clock, 0},
    {"plain", Evidence::Pieces, 1},
    {"grows", Evidence::Pieces, 0},
    {"slowing", Evidence::Pieces, 0},
    {"stopped", Evidence::Pieces, 0},
    {"stairs", Evidence::Pieces, 0},
    {"t_of_bar", Evidence::Pieces, 1},
    {"pieces", Evidence::Pieces, 0},
    {"line_of_bent", Evidence::Pieces, 1},
    {"ended", Evidence::Pieces, 0},
    {"growth_now", Evidence::Pieces, 0},
    {"not_excluded", Evidence::Pieces, 0},
    {"survival", Evidence::Clock, -1},
    {"tail_of_run", Evidence::Pieces, 0},
    {"below_high_water", Evidence::Pieces, -1},
}};

const EventTrack* most_frequent(const Marks& marks) {
  const EventTrack* best = nullptr;
  for (const auto& events : marks.events()) {
    if (best == nullptr || events.stretches.size() > best->stretches.size()) best = &events;
  }
  return best;
}

constexpr std::size_t kFewestLandings = 5;

void add_steps(const std::vector<Landing>& landings, const FeatureView& view,
               std::vector<float>& out) {
  const auto [x, z, drifts] = columns_of(landings);
  const auto steps = differences(z);
  const Trend trend = fit_trend(x, z, view.setting->scale.noise_floor);
  const std::size_t n = z.size();
  const std::size_t third = std::min(n - 1, std::max<std::size_t>(3, n / 3));
  const double lately = (z[n - 1] - z[n - 1 - third]) / static_cast<double>(third);
  const double overall = (z[n - 1] - z[0]) / static_cast<double>(n - 1);
  const double typical = median(steps);
  const double size = std::max({std::fabs(overall), std::fabs(typical), view.noise / 4});
  std::size_t since = 0;
  std::size_t rising = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool rises = steps[i] > std::max(0.25 * std::fabs(overall), view.noise);
    since = rises ? 0 : since + 1;
    rising += rises ? 1 : 0;
  }
  const double least_late =
      *std::min_element(steps.end() - static_cast<std::ptrdiff_t>(third), steps.end());
  out.push_back(squashed(trend.t()));
  out.push_back(squashed(lately / size));
  out.push_back(squashed(median(drifts) / size));
  out.push_back(static_cast<float>(std::log1p(static_cast<double>(since))));
  out.push_back(static_cast<float>(rising) / static_cast<float>(steps.size()));
  out.push_back(squashed(robust_deviation(steps) / size));
  out.push_back(squashed(steps.back() / size));
  out.push_back(squashed(least_late / size));
}

double events_since(const EventTrack* events, double began) {
  if (events == nullptr) return -1;
  return static_cast<double>(std::count_if(events->stretches.begin(), events->stretches.end(),
                                           [&](const Stretch& one) { return one.begin >= began; }));
}

void add_clocks(const FeatureView& view, const Analysis& analysis, std::vector<float>& out) {
  const Material& material = *view.setting->material;
  const double longest = material.clock_is_steps ? material.rules->longest_warm_up_steps
                                                 : material.rules->longest_warm_up_minutes * 60;
  out.push_back(log_ratio(analysis.age + 1e-3 * longest, longest));
  out.push_back(static_cast<float>(analysis.age / view.length));
  out.push_back(analysis.passes ? static_cast<float>(std::clamp(*analysis.passes, 0.0, 50.0)) : -1);
  out.push_back(material.passes->known() ? 1 : 0);
  const double since = events_since(most_frequent(*material.marks), analysis.began);
  out.push_back(since < 0 ? -1 : static_cast<float>(std::log1p(since)));
  out.push_back(static_cast<float>(std::min<std::size_t>(analysis.restarts, 3)));
  const double previous = view.setting->regime.previous_slope;
  out.push_back(previous > 0 && analysis.rate ? log_ratio(analysis.rate->value, previous)
                                              : kAbsent);
}

}  // namespace

std::span<const FeatureInfo> event_infos() {
  return kEventInfos;
}

void add_events(const FeatureView& view, const Analysis&, std::vector<float>& out) {
  const Material& material = *view.setting->material;
  const EventTrack* events = most_frequent(*material.marks);
  std::vector<Landing> landings;
  if (events != nullptr) {
    landings = find_landings(view.setting->points, *events, material.series->block_width());
  }
  out.push_back(events == nullptr ? 0
                                  : static_cast<float>(
                                        std::log1p(static_cast<double>(events->stretches.size()))));
  if (landings.size() < kFewestLandings) {
    out.insert(out.end(), kEventInfos.size() - 2, kAbsent);
  } else {
    add_steps(landings, view, out);
  }
  out.push_back(events != nullptr && events->tie == Tie::Epoch ? 1 : 0);
}

std::span<const FeatureInfo> piece_infos() {
  return kPieceInfos;
}

void add_pieces(const FeatureView& view, const Analysis& analysis, std::vector<float>& out) {
  add_clocks(view, analysis, out);
  const auto is = [&](Finding finding) { return analysis.finding == finding ? 1.0F : 0.0F; };
  out.push_back(static_cast<float>(logit(std::clamp(analysis.plain, 1e-3, 1 - 1e-3))));
  out.push_back(is(Finding::Growing));
  out.push_back(is(Finding::Slowing));
  out.push_back(is(Finding::Settled) + is(Finding::Shifted) + 0.5F * is(Finding::Stopping) +
                0.5F * is(Finding::FaintResidual));
  out.push_back(is(Finding::Stairs));
  out.push_back(squashed(analysis.t / std::max(analysis.bar, 1.0)));
  out.push_back(analysis.floor ? static_cast<float>(analysis.floor->pieces.size()) : 0);
  const double weights = analysis.line_weight + analysis.bent_weight;
  out.push_back(weights > 0 ? log_ratio(analysis.line_weight + 1e-6 * weights,
                                        analysis.bent_weight + 1e-6 * weights)
                            : -kAbsent - 20);
  out.push_back(analysis.ended ? static_cast<float>((*analysis.ended - view.begin) / view.length)
                               : 1.5F);
  const double rate = analysis.rate ? analysis.rate->value : 0;
  out.push_back(squashed(10 * rate * view.length / view.range));
  out.push_back(squashed(10 * analysis.not_excluded * view.length / view.range));
  out.push_back(static_cast<float>(std::log(std::max(analysis.survival, 1e-3))));
  out.push_back(static_cast<float>(analysis.tail_length / view.length));
  out.push_back(analysis.below_high_water ? 1 : 0);
}

}  // namespace tidegauge::verdict
