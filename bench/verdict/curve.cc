// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/curve.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/verdict/report.h"

namespace tidegauge::bench {
namespace {

constexpr double kThresholds[] = {0.5,  0.6,  0.7,  0.8,  0.85, 0.88, 0.9,  0.92,
                                  0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995};

double highest_of(const Outcome& outcome) {
  double highest = 0;
  for (const auto& look : outcome.looks) highest = std::max(highest, look.p_leak);
  return highest;
}

}  // namespace

std::vector<CurvePoint> curve_of(const std::vector<const Outcome*>& outcomes) {
  std::vector<CurvePoint> curve;
  for (const double threshold : kThresholds) {
    CurvePoint point{.threshold = threshold};
    double leaks = 0;
    double bounded = 0;
    double undecidable = 0;
    for (const auto* outcome : outcomes) {
      const bool at_end = outcome->finished.p_leak >= threshold;
      const bool ever = highest_of(*outcome) >= threshold;
      switch (outcome->truth.label) {
        case Label::Leak:
          ++leaks;
          point.found += at_end;
          break;
        case Label::Bounded:
          ++bounded;
          point.false_at_end += at_end;
          point.ever_false += ever;
          break;
        case Label::Undecidable:
          ++undecidable;
          point.undecidable += ever;
          break;
      }
    }
    point.found /= std::max(1.0, leaks);
    point.false_at_end /= std::max(1.0, bounded);
    point.ever_false /= std::max(1.0, bounded);
    point.undecidable /= std::max(1.0, undecidable);
    curve.push_back(point);
  }
  return curve;
}

std::string curve_table(const std::vector<Outcome>& outcomes) {
  std::string text =
      "if leak were said at another p_leak, %: found / false at the end / ever false\n";
  text += fmt::format("{:>6}", "p");
  std::vector<std::vector<CurvePoint>> curves;
  for (const auto suite : kSuites) {
    const auto chosen = of_suite(outcomes, suite);
    if (chosen.empty()) continue;
    text += fmt::format("  {:^20}", id_of(suite));
    curves.push_back(curve_of(chosen));
  }
  text += "\n";
  for (std::size_t i = 0; i < std::size(kThresholds); ++i) {
    text += fmt::format("{:>6.3f}", kThresholds[i]);
    for (const auto& curve : curves)
      text += fmt::format("  {:>5.1f} / {:>4.1f} / {:>4.1f}", 100 * curve[i].found,
                          100 * curve[i].false_at_end, 100 * curve[i].ever_false);
    text += "\n";
  }
  return text;
}

}  // namespace tidegauge::bench
