// SPDX-License-Identifier: Apache-2.0
// What a series is judged on: cut at its last restart and at the end of its start-up, with its
// scale and swings known, and an end that is not inside something which has only just begun.
#pragma once

#include <optional>
#include <vector>

#include "verdict/analysis.h"
#include "verdict/channels.h"
#include "verdict/regimes.h"
#include "verdict/scale.h"
#include "verdict/swings.h"

namespace tidegauge::verdict {

struct Setting {
  const Material* material = nullptr;
  std::vector<Point> points{};  // since the last restart
  std::vector<double> seconds{};
  std::vector<double> steps{};  // of each point; empty where there are none, or they are the clock
  Regime regime{};
  std::size_t started = 0;  // points of the start-up, left out
  Scale scale{};
  Swings swings{};
  std::size_t last = 0;  // judged up to here

  double now() const { return points[last].at; }
  double begin() const { return points.front().at; }
  Track track(const std::vector<double>& clock) const { return {points, clock, swings.troughs}; }
};

// How many of `points` came after the job's first step; nothing where the marks may have begun in
// the middle, or the series ended before.
std::optional<std::size_t> since_first_step(const Material& material,
                                            const std::vector<Point>& points);

// Empty: too short for anything.
std::optional<Setting> prepare(const Material& material);

}  // namespace tidegauge::verdict
