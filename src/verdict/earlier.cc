// SPDX-License-Identifier: Apache-2.0
#include "verdict/earlier.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace tidegauge::verdict {

namespace {

// Fewer runs that settled are no habit.
constexpr std::size_t kEnoughRuns = 3;
constexpr std::size_t kRunsNamed = 3;
// Growth may take this much longer than it ever did: another machine, a colder disk.
constexpr double kSlack = 1.5;
// Short tries of a command do not make a leak of the first long one.
constexpr double kShortestMinutes = 10;
constexpr double kShortestSteps = 100;

bool settled(const EarlierRun& run) {
  return run.klass != Class::Leak && run.klass != Class::Undecided &&
         (run.settled_seconds || run.settled_step);
}

struct Range {
  double low = 0;
  double high = 0;
  std::size_t count = 0;

  void add(double value) {
    low = count == 0 ? value : std::min(low, value);
    high = count == 0 ? value : std::max(high, value);
    ++count;
  }
};

std::string bytes_of(const Range& range) {
  const auto low = format_bytes(range.low);
  const auto high = format_bytes(range.high);
  return low == high ? low : low + " to " + high;
}

std::string place_of(const Range& steps, const Range& seconds) {
  const auto both = [](const std::string& low, const std::string& high) {
    return low == high ? low : low + " to " + high;
  };
  if (steps.count > 0) {
    return "step " + both(fmt::format("{:.0f}", steps.low), fmt::format("{:.0f}", steps.high));
  }
  return both(format_duration(seconds.low), format_duration(seconds.high));
}

}  // namespace

Rules learned_from(std::vector<EarlierRun> earlier, Rules rules) {
  Range seconds;
  Range steps;
  for (const auto& run : earlier) {
    if (!settled(run)) continue;
    if (run.settled_seconds) seconds.add(*run.settled_seconds);
    if (run.settled_step) steps.add(*run.settled_step);
  }
  if (seconds.count >= kEnoughRuns) {
    rules.longest_warm_up_minutes = std::max(kShortestMinutes, kSlack * seconds.high / 60);
  }
  if (steps.count >= kEnoughRuns) {
    rules.longest_warm_up_steps = std::max(kShortestSteps, kSlack * steps.high);
  }
  rules.earlier = std::move(earlier);
  return rules;
}

std::string say_earlier(const std::vector<EarlierRun>& earlier) {
  Range level;
  Range steps;
  Range seconds;
  for (auto run = earlier.rbegin(); run != earlier.rend() && level.count < kRunsNamed; ++run) {
    if (!settled(*run)) break;
    level.add(run->level_bytes);
    if (run->settled_step) steps.add(*run->settled_step);
    if (run->settled_seconds) seconds.add(*run->settled_seconds);
  }
  if (level.count == 0) {
    const bool leaked = !earlier.empty() && earlier.back().klass == Class::Leak;
    return leaked ? "The last run of this command leaked." : "";
  }
  const auto runs =
      level.count == 1 ? std::string("The last run") : fmt::format("The last {} runs", level.count);
  return fmt::format("{} of this command settled at {}, {}.", runs, bytes_of(level),
                     place_of(steps, seconds));
}

}  // namespace tidegauge::verdict
