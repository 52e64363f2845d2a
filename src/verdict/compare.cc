// SPDX-License-Identifier: Apache-2.0
#include "verdict/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.h"
#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kRows = 12;
// A run stands out if it is further from the others' median than three times their own spread, and
// by at least this share of the level and this much.
constexpr double kSpreads = 3;
constexpr double kShareOfLevel = 0.05;
constexpr double kLeastBytes = 16e6;

struct Line {  // one run on the common clock
  std::vector<double> at{};
  std::vector<double> bytes{};
  double value(double x) const {
    const auto after = std::lower_bound(at.begin(), at.end(), x);
    if (after == at.begin()) return bytes.front();
    if (after == at.end()) return bytes.back();
    const auto i = static_cast<std::size_t>(after - at.begin());
    const double share = (x - at[i - 1]) / std::max(at[i] - at[i - 1], 1e-12);
    return bytes[i - 1] + share * (bytes[i] - bytes[i - 1]);
  }
};

bool has_steps(const Outline& run) {
  return run.counts_steps || std::all_of(run.places.begin(), run.places.end(),
                                         [](const auto& place) { return place.step.has_value(); });
}

std::optional<Comparison::By> common_clock(std::span<const Outline> runs) {
  if (std::all_of(runs.begin(), runs.end(), has_steps)) return Comparison::By::Step;
  const auto has_seconds = [](const Outline& run) { return !run.counts_steps; };
  if (std::all_of(runs.begin(), runs.end(), has_seconds)) return Comparison::By::Seconds;
  return {};
}

std::string no_common_clock(std::span<const Outline> runs) {
  std::vector<std::string> only_steps;
  std::vector<std::string> only_seconds;
  for (const auto& run : runs) {
    if (run.counts_steps) only_steps.push_back(run.name);
    if (!has_steps(run)) only_seconds.push_back(run.name);
  }
  return fmt::format("Of {} only steps are known, of {} only seconds: they cannot be lined up.",
                     fmt::join(only_steps, ", "), fmt::join(only_seconds, ", "));
}

Line line_of(const Outline& run, Comparison::By by) {
  Line out;
  for (const auto& place : run.places) {
    const double at = by == Comparison::By::Step && place.step ? *place.step : place.seconds;
    if (!out.at.empty() && at <= out.at.back()) continue;
    out.at.push_back(at);
    out.bytes.push_back(place.floor_bytes);
  }
  return out;
}

std::string place_name(double at, std::optional<Comparison::By> by) {
  return by == Comparison::By::Step ? fmt::format("step {:.0f}", at) : format_duration(at);
}

struct Distance {
  std::size_t run = 0;
  double bytes = 0;     // from the others' median, signed
  double of_limit = 0;  // in units of what would be remarkable
};

// How far each run is from the rest in `values`.
std::vector<Distance> distances(const std::vector<double>& values, double level) {
  std::vector<Distance> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double middle = median(others);
    const double spread = others.size() > 1 ? robust_deviation(others) : 0;
    const double remarkable =
        std::max({kSpreads * spread, kShareOfLevel * std::fabs(level), kLeastBytes});
    out.push_back({i, values[i] - middle, std::fabs(values[i] - middle) / remarkable});
  }
  return out;
}

std::string more_or_less(double bytes) {
  return format_bytes(std::fabs(bytes)) + (bytes > 0 ? " more" : " less");
}

void name_the_odd_ones(std::span<const Outline> runs, Comparison& out) {
  const auto& first = out.rows.front();
  const auto& last = out.rows.back();
  std::vector<double> growth;
  for (std::size_t i = 0; i < runs.size(); ++i) growth.push_back(last.bytes[i] - first.bytes[i]);
  const double level = median(last.bytes);
  const auto by_level = distances(last.bytes, level);
  const auto by_growth = distances(growth, level);
  std::vector<std::size_t> order(runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto badness = [&](std::size_t i) {
    return std::max(by_level[i].of_limit, by_growth[i].of_limit);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
  for (const auto i : order) {
    if (badness(i) <= 1) break;
    out.different.push_back(i);
    if (runs.size() == 2) break;  // the other one is as far from this one
    out.sentences.push_back(fmt::format(
        "{} stands out: at {} it holds {} than the others' middle, and it grew by {} since {}.",
        runs[i].name, place_name(last.at, out.by), more_or_less(by_level[i].bytes),
        more_or_less(by_growth[i].bytes), place_name(first.at, out.by)));
  }
  if (runs.size() == 2 && !out.different.empty()) {
    out.different = {last.bytes[0] > last.bytes[1] ? std::size_t{0} : std::size_t{1}};
    const auto i = out.different.front();
    out.sentences.push_back(fmt::format(
        "At {} {} holds {} than {}, and it grew by {} since {}.", place_name(last.at, out.by),
        runs[i].name, more_or_less(by_level[i].bytes), runs[1 - i].name,
        more_or_less(by_growth[i].bytes), place_name(first.at, out.by)));
  }
}

void compare_verdicts(std::span<const Outline> runs, Comparison& out) {
  std::vector<std::string> leaking;
  for (const auto& run : runs) {
    if (run.verdict.klass == Class::Leak) leaking.push_back(run.name);
  }
  if (leaking.empty() || leaking.size() == runs.size()) return;
  out.sentences.push_back(
      fmt::format("{} of {} leak: {}.", leaking.size(), runs.size(), fmt::join(leaking, ", ")));
}

}  // namespace

const char* id_of(Comparison::By value) {
  return value == Comparison::By::Step ? "step" : "seconds";
}

Comparison compare(std::span<const Outline> runs) {
  Comparison out;
  const auto clock = common_clock(runs);
  if (!clock) {
    out.sentences.push_back(no_common_clock(runs));
    compare_verdicts(runs, out);
    return out;
  }
  out.by = clock;
  std::vector<Line> lines;
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();
  for (const auto& run : runs) {
    lines.push_back(line_of(run, *clock));
    if (lines.back().at.empty()) {
      out.sentences.push_back(fmt::format("{} holds no samples to compare.", run.name));
      return out;
    }
    begin = std::max(begin, lines.back().at.front());
    end = std::min(end, lines.back().at.back());
  }
  if (runs.size() < 2) {
    out.sentences.emplace_back("There is only one run: nothing to compare it with.");
    return out;
  }
  if (!(end > begin)) {
    out.sentences.emplace_back("The runs have no stretch in common that could be compared.");
    return out;
  }
  for (std::size_t k = 0; k < kRows; ++k) {
    Comparison::Row row{.at = begin + (end - begin) * static_cast<double>(k) / (kRows - 1)};
    for (const auto& line : lines) row.bytes.push_back(line.value(row.at));
    out.rows.push_back(std::move(row));
  }
  name_the_odd_ones(runs, out);
  compare_verdicts(runs, out);
  if (out.sentences.empty()) {
    out.sentences.push_back(fmt::format("The {} runs do the same: none stands out.", runs.size()));
  }
  return out;
}

}  // namespace tidegauge::verdict
