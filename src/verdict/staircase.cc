// SPDX-License-Identifier: Apache-2.0
#include "verdict/staircase.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kFewestEvents = 4;
constexpr std::size_t kFewestFloors = 5;
// What an event leaves behind settles within the first part of the time until the next.
constexpr double kSettling = 0.2;
// A point belongs to a stretch if its block does not reach over the stretch's ends.
constexpr double kBlockShare = 0.6;
// The last third must still climb at half the pace.
constexpr double kStillClimbing = 0.5;
// Between events the floor may drift by less than this share of a step.
constexpr double kStillBetween = 0.4;
// …and that must have been seen: in one of so many stretches there is more than one point.
constexpr std::size_t kSeenBetween = 3;

std::optional<Landing> landing(std::span<const Point> points, double begin, double end,
                               bool after_event, double block_width) {
  const double from = begin + (after_event ? kSettling * (end - begin) : 0);
  std::vector<double> lows;
  std::vector<double> early;
  std::vector<double> late;
  for (const auto& point : points) {
    if (point.at < from || point.at <= begin + kBlockShare * block_width ||
        point.at + kBlockShare * block_width >= end) {
      continue;
    }
    lows.push_back(point.low);
    (point.at < (from + end) / 2 ? early : late).push_back(point.mean);
  }
  if (lows.empty()) return {};
  Landing out{.floor = median(lows)};
  if (!early.empty() && !late.empty()) out.drift = 2 * (median(late) - median(early));
  return out;
}

std::vector<Stretch> inside(std::span<const Point> points, const EventTrack& events) {
  std::vector<Stretch> out;
  for (const auto& stretch : events.stretches) {
    if (stretch.begin >= points.front().at - 1 && stretch.begin <= points.back().at) {
      out.push_back(stretch);
    }
  }
  return out;
}

}  // namespace

std::vector<Landing> find_landings(std::span<const Point> points, const EventTrack& track,
                                   double block_width) {
  const auto events = inside(points, track);
  std::vector<Landing> out;
  for (std::size_t k = 0; k <= events.size(); ++k) {
    const double begin = k == 0 ? points.front().at - 1 : events[k - 1].end;
    const double end = k < events.size() ? events[k].begin : points.back().at + 1;
    if (auto found = landing(points, begin, end, k > 0, block_width)) {
      found->number = static_cast<double>(k);
      out.push_back(*found);
    }
  }
  return out;
}

namespace {

// From here on the floor lies still between events: what a warm-up brought before is none of
// theirs.
std::size_t first_still(std::span<const Landing> found) {
  std::vector<double> steps;
  for (std::size_t k = found.size() - 1; k > 0; --k) {
    steps.push_back(found[k].floor - found[k - 1].floor);
    const double step = median(steps);
    const bool drifts = found[k - 1].drift && *found[k - 1].drift >= kStillBetween * step;
    if (drifts) return steps.size() >= kFewestFloors ? k : 0;
  }
  return 0;
}

std::optional<Staircase> climb(std::span<const Landing> found, const Scale& scale, double alpha) {
  if (found.size() < kFewestFloors) return {};
  const auto [x, z, drifts] = columns_of(found);
  Staircase out;
  out.trend = fit_trend(x, z, scale.noise_floor);
  const std::size_t n = z.size();
  const std::size_t third = std::min(n - 1, std::max<std::size_t>(3, n / 3));
  const double lately = (z[n - 1] - z[n - 1 - third]) / static_cast<double>(third);
  const double bar = t_quantile(1 - alpha, std::max(2, out.trend.points - 2));
  const double climbed = out.trend.slope * static_cast<double>(n);
  if (out.trend.t() <= bar || climbed <= scale.least_growth || z[n - 1] <= z[0] ||
      lately <= kStillClimbing * out.trend.slope || kSeenBetween * drifts.size() < n ||
      median(drifts) >= kStillBetween * out.trend.slope) {
    return {};
  }
  out.events = x.back() - x.front();
  double squares = 0;
  const auto steps = differences(z);
  for (const double step : steps) squares += (step - mean(steps)) * (step - mean(steps));
  out.step_error = std::sqrt(squares) / static_cast<double>(steps.size());
  out.last_floor = z.back();
  return out;
}

}  // namespace

LandingColumns columns_of(std::span<const Landing> landings) {
  LandingColumns columns;
  for (const auto& one : landings) {
    columns.numbers.push_back(one.number);
    columns.floors.push_back(one.floor);
    if (one.drift) columns.drifts.push_back(*one.drift);
  }
  return columns;
}

std::optional<Staircase> find_staircase(std::span<const Point> points, const EventTrack& events,
                                        const Scale& scale, double block_width, double alpha) {
  const auto within = inside(points, events);
  if (within.size() < kFewestEvents) return {};
  const auto found = find_landings(points, events, block_width);
  if (found.size() < kFewestFloors) return {};

  auto out = climb(found, scale, alpha);
  std::size_t first = 0;
  if (!out) {
    first = first_still(found);
    if (first == 0) return {};
    out = climb(std::span(found).subspan(first), scale, alpha);
    if (!out) return {};
  }
  out->spacing = within.size() > 1 ? (within.back().begin - within.front().begin) /
                                         static_cast<double>(within.size() - 1)
                                   : points.back().at - points.front().at;
  const auto before = static_cast<std::size_t>(found[first].number);
  out->began = within[std::min(before, within.size() - 1)].begin;
  return out;
}

}  // namespace tidegauge::verdict
