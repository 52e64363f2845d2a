// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/twins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bench/verdict/regression.h"

namespace tidegauge::bench {
namespace {

// Leaks that are a straight line, which can be taken off again.
constexpr std::array<std::string_view, 8> kStraightLeaks = {
    "leak_linear", "leak_noisy",   "leak_spikes", "leak_saw",
    "leak_late",   "plateau_leak", "warm_leak",   "leak_missing"};
// A leak that begins anew after a restart, or is rounded away, would need its own generator.
constexpr std::array<std::string_view, 2> kNotOnTopOf = {"restart_ok", "quant_flat"};

double whole_pages(double bytes) {
  return std::floor(bytes / kPageBytes) * kPageBytes;
}

void take_leak_off(Series& series) {
  const double per_second = series.truth.bytes_per_minute / 60;
  for (std::size_t i = 0; i < series.bytes.size(); ++i) {
    const double leaked =
        per_second * std::max(0.0, series.seconds[i] - series.truth.onset_seconds);
    series.bytes[i] = whole_pages(std::max(kPageBytes, series.bytes[i] - leaked));
  }
  series.truth.label = Label::Bounded;
  series.truth.bytes_per_minute = series.truth.onset_seconds = 0;
}

// How much a leak that is put on top adds until the end: 8 to 200 deviations of what can be known,
// at least half a percent of the level.
double growth_on_top(Random& random, const Series& series, double span) {
  const double level = median_of(series.bytes);
  const double visible =
      random.log_uniform(8, 200) * std::sqrt(12 * series.truth.noise_power / span);
  double growth = std::max({visible, level * random.log_uniform(0.005, 0.1), 2 * kMegabyte});
  if (random.chance(0.3)) growth = std::max(growth, level * random.log_uniform(0.05, 1.0));
  return std::min(growth, 2 * level);
}

// Puts `share` (0..1 of the growth, a function of seconds) on top.
template <class Share>
void raise(Series& series, double growth, Share share) {
  for (std::size_t i = 0; i < series.bytes.size(); ++i)
    series.bytes[i] = whole_pages(series.bytes[i] + growth * share(series.seconds[i]));
}

void put_leak_on(Series& series, Random& random) {
  constexpr std::size_t kFewestEvents = 5;
  const double end = series.seconds.back();
  double onset = random.chance(0.5) ? 0 : end * random.uniform(0.1, 0.6);
  const double span = end - onset;
  const double growth = growth_on_top(random, series, span);
  std::vector<double> events;
  for (const auto& mark : series.marks)
    if (mark.begin_seconds >= onset) events.push_back(mark.begin_seconds);
  const int shape = random.integer(0, 2);
  if (shape == 2 && events.size() >= kFewestEvents) {
    onset = events[0];
    raise(series, growth, [&](double t) {
      const auto passed = std::upper_bound(events.begin(), events.end(), t) - events.begin();
      return static_cast<double>(passed) / static_cast<double>(events.size());
    });
  } else if (shape == 1) {
    const double step = span / random.log_uniform(10, 80);
    const double phase = random.uniform();
    raise(series, growth * step / span,
          [&](double t) { return t < onset ? 0 : std::floor((t - onset) / step + phase); });
  } else {
    raise(series, growth, [&](double t) { return std::max(0.0, t - onset) / span; });
  }
  series.truth.label = Label::Leak;
  series.truth.bytes_per_minute = growth / span * 60;
  series.truth.onset_seconds = onset;
  series.truth.growth_begin_seconds = series.truth.growth_end_seconds = 0;
  series.limit_bytes =
      std::max(series.limit_bytes, 1.3 * series.bytes.back() + series.truth.spike_bytes);
}

}  // namespace

void put_leak_on(Series& series) {
  Random random(series.name + " twin", series.seed);
  put_leak_on(series, random);
  series.name += "~";
}

bool has_twin(const SeriesClass& klass) {
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), klass.name) != names.end();
  };
  if (klass.label == Label::Leak) return among(kStraightLeaks);
  return klass.label == Label::Bounded && !among(kNotOnTopOf);
}

std::optional<Series> make_twin(const SeriesClass& klass, std::uint64_t seed) {
  if (!has_twin(klass)) return {};
  Series series = make_series(klass, seed);
  if (klass.label == Label::Leak) {
    take_leak_off(series);
    series.name += "~";
  } else {
    put_leak_on(series);
  }
  return series;
}

}  // namespace tidegauge::bench
