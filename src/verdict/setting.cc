// SPDX-License-Identifier: Apache-2.0
#include "verdict/setting.h"

#include <algorithm>

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kFewestPoints = 6;
constexpr std::size_t kFewestWorking = 8;  // since the first step

// Up to where the series is judged: not into an event that is running, nor up a swing that has only
// just begun.
std::size_t edge(const std::vector<Point>& points, const Swings& swings, const Marks& marks,
                 double block_width) {
  constexpr std::size_t kKeep = 8;
  constexpr double kLongestEvent = 0.25;
  constexpr double kYoungSwing = 0.12;
  const std::size_t last = points.size() - 1;
  const double now = points[last].at;
  const double duration = now - points[0].at;
  std::size_t found = last;
  for (const auto& events : marks.events()) {
    if (events.tie == Tie::Epoch || events.stretches.empty()) continue;
    const Stretch& latest = events.stretches.back();
    const bool running = latest.open || latest.end >= now - 2 * block_width;
    if (!running || latest.begin > now || now - latest.begin >= kLongestEvent * duration) continue;
    while (found > kKeep && points[found].at > latest.begin - block_width / 2) --found;
  }
  if (found == last && swings.rising && !swings.troughs.empty() && !swings.peaks.empty() &&
      now - points[swings.turned].at < kYoungSwing * duration) {
    found = std::max(kKeep, swings.turned);
  }
  return found < kFewestPoints || found > last ? last : found;
}

// A job that counts its steps winds down after the last of them. What it gives back then is no end
// of growth: judged is what the steps kept.
std::size_t before_winding_down(const Material& material, const std::vector<Point>& points,
                                std::size_t last) {
  constexpr std::size_t kFewPoints = 8;
  constexpr double kStepsMissed = 3;  // so many were due since: it is no slow step
  constexpr double kLongest = 0.25;   // of the run
  const auto* steps = material.marks->steps();
  if (steps == nullptr || material.clock_is_steps) return last;
  const double counted = steps->last_count() - steps->first_count();
  const double now = points[last].at;
  const double idle = now - steps->last_at();
  if (!(counted > 0) || idle > kLongest * (now - points.front().at) ||
      idle < kStepsMissed * (steps->last_at() - steps->first_at()) / counted) {
    return last;
  }
  std::size_t found = last;
  while (found > 0 && points[found].at > steps->last_at()) --found;
  if (found < 2 * kFewPoints) return last;
  const auto lowest =
      std::min_element(points.begin() + static_cast<std::ptrdiff_t>(found - kFewPoints),
                       points.begin() + static_cast<std::ptrdiff_t>(found) + 1,
                       [](const Point& a, const Point& b) { return a.low < b.low; });
  return points[last].low < lowest->low ? found : last;
}

// A job that counts its steps starts up until the first of them: imports, model and data are
// loaded, and that is not what the steps do. How many points are that; 0 where too little would be
// left.
std::size_t start_up(const Material& material, const std::vector<Point>& points) {
  constexpr double kLongest = 0.9;  // of the run: short jobs import for longer than they train
  constexpr std::size_t kLeft = 24;
  const auto working = since_first_step(material, points);
  if (!working || *working < kLeft) return 0;
  const double begin = points.front().at;
  const double until = material.marks->steps()->first_at();
  if (until - begin > kLongest * (points.back().at - begin)) return 0;
  return points.size() - *working;
}

std::vector<double> step_clock(const Material& material, const std::vector<Point>& points) {
  std::vector<double> clock;
  const auto* steps = material.marks->steps();
  if (steps == nullptr || material.clock_is_steps) return clock;
  for (const auto& point : points) {
    double step = steps->count_at(point.at);
    // Evaluations stop the steps; the clock must still rise.
    if (!clock.empty() && step <= clock.back()) step = clock.back() + 1e-6;
    clock.push_back(step);
  }
  if (clock.back() - clock.front() < 2) clock.clear();
  return clock;
}

}  // namespace

std::optional<std::size_t> since_first_step(const Material& material,
                                            const std::vector<Point>& points) {
  constexpr double kFirstOnes = 0.05;  // marks that begin with so small a share began with the job
  const auto* steps = material.marks->steps();
  if (steps == nullptr || material.clock_is_steps || points.empty()) return {};
  if (steps->first_count() > std::max(2.0, kFirstOnes * steps->last_count())) return {};
  if (points.back().at < steps->first_at()) return {};
  const auto first = std::find_if(points.begin(), points.end(), [&](const Point& point) {
    return point.at >= steps->first_at();
  });
  return static_cast<std::size_t>(points.end() - first);
}

std::optional<Setting> prepare(const Material& material) {
  Setting out{.material = &material, .points = material.points};
  out.regime = find_regime(out.points, material.restarts);
  out.points.resize(out.regime.end);
  // Starting up says nothing of what the steps do, however long it took.
  const auto working = since_first_step(material, out.points);
  if (working && *working < kFewestWorking) return {};
  if (out.regime.begin == 0) out.started = start_up(material, out.points);
  out.points.erase(out.points.begin(), out.points.begin() + static_cast<std::ptrdiff_t>(
                                                                out.regime.begin + out.started));
  if (out.points.size() < kFewestPoints || !(out.points.back().at > out.points.front().at)) {
    return {};
  }
  out.scale = scale_of(out.points, material.series->quantum());
  out.swings = find_swings(out.points, out.scale.step_noise, material.series->swings());
  out.last = std::min(edge(out.points, out.swings, *material.marks, material.series->block_width()),
                      before_winding_down(material, out.points, out.points.size() - 1));
  for (const auto& point : out.points) out.seconds.push_back(point.at);
  out.steps = step_clock(material, out.points);
  return out;
}

}  // namespace tidegauge::verdict
