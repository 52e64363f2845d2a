// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/cost.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <ctime>

#include "bench/verdict/feed.h"
#include "bench/verdict/outcome.h"

namespace tidegauge::bench {
namespace {

// Of this thread alone: others on the machine do not count.
double cpu_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double heap_bytes() {
  const auto info = ::mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

struct Sums {
  double samples = 0;
  double add_seconds = 0;
  double verdicts = 0;
  double judge_seconds = 0;
};

void measure_one(const Series& series, Cost& cost, Sums& sums) {
  std::vector<std::vector<record::Entry>> parts;
  Feed feed(series);
  for (const auto index : look_indices(series)) parts.push_back(feed.until(index));
  const double before = heap_bytes();
  verdict::Gauge gauge(rules_of(series, verdict::Rules::Mode::Alarm));
  gauge.begin(header_of(series));
  for (const auto& part : parts) {
    const double begin = cpu_seconds();
    for (const auto& entry : part) gauge.add(entry);
    const double middle = cpu_seconds();
    const auto verdicts = gauge.judge();
    const double end = cpu_seconds();
    sums.samples += static_cast<double>(part.size());
    sums.add_seconds += middle - begin;
    sums.verdicts += static_cast<double>(!verdicts.all.empty());
    sums.judge_seconds += end - middle;
    cost.milliseconds_worst_verdict =
        std::max(cost.milliseconds_worst_verdict, 1e3 * (end - middle));
  }
  const double held = (heap_bytes() - before) / 1024;
  cost.kilobytes_per_series += held;
  cost.kilobytes_largest = std::max(cost.kilobytes_largest, held);
}

bool restarts_in(const Series& series) {
  return std::any_of(series.marks.begin(), series.marks.end(),
                     [](const auto& mark) { return mark.kind == MarkKind::Restart; });
}

}  // namespace

Cost measure_cost(const std::vector<Kind>& kinds, std::uint64_t seed) {
  Cost cost;
  Sums sums;
  double count = 0;
  for (const auto& kind : kinds) {
    const auto series = kind.make(seed);
    // A tree is many series, and so is a job that was started again.
    const bool several = !series.members.empty() || restarts_in(series);
    if (several) continue;
    measure_one(series, cost, sums);
    ++count;
  }
  cost.kilobytes_per_series /= std::max(1.0, count);
  cost.nanoseconds_per_sample = 1e9 * sums.add_seconds / std::max(1.0, sums.samples);
  cost.milliseconds_per_verdict = 1e3 * sums.judge_seconds / std::max(1.0, sums.verdicts);
  return cost;
}

std::string cost_table(const Cost& cost) {
  return fmt::format(
      "cost on this machine: {:.0f} ns a sample, {:.3f} ms a verdict (worst {:.2f} ms), {:.0f} KiB "
      "a series (largest {:.0f})\n",
      cost.nanoseconds_per_sample, cost.milliseconds_per_verdict, cost.milliseconds_worst_verdict,
      cost.kilobytes_per_series, cost.kilobytes_largest);
}

}  // namespace tidegauge::bench
