// SPDX-License-Identifier: Apache-2.0
#include "verdict/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "verdict/conclude.h"
#include "verdict/features.h"
#include "verdict/statistics.h"
#include "verdict/survival.h"

namespace tidegauge::verdict {

namespace {

using Lines = std::vector<std::string>;

void priors(const Material& material, Lines& out) {
  const Rules& rules = *material.rules;
  const std::string longest = material.clock_is_steps
                                  ? fmt::format("{:.0f} steps", rules.longest_warm_up_steps)
                                  : format_duration(60 * rules.longest_warm_up_minutes);
  out.push_back(
      fmt::format("Priors: a leak is as likely as {:.2f} before looking; a warm-up without "
                  "marks lasts up to {}{}.",
                  rules.leak_prior, longest,
                  rules.earlier.empty() ? "" : " (earlier runs of this command were looked at)"));
  const bool finished = rules.mode == Rules::Mode::Finished;
  out.push_back(fmt::format("Bars: leak from p = {:.2f} on ({}), bounded below p = 0.35.",
                            leak_bar(material),
                            finished ? "a finished recording" : "an alarm that looks again"));
  if (material.passes->steps_per_pass()) {
    out.push_back(
        fmt::format("One pass over the data is {:.1f} steps.", *material.passes->steps_per_pass()));
  }
}

void pieces(const Material& material, const Analysis& analysis, Lines& out) {
  if (!analysis.floor) return;
  const Floor& floor = *analysis.floor;
  out.push_back(fmt::format("Floor: {} of {} parts on the clock of {}, give or take {}.",
                            name_of(floor.channel), floor.curve.size(),
                            analysis.by_steps || material.clock_is_steps ? "steps" : "time",
                            format_bytes(floor.deviation)));
  const bool steps = analysis.by_steps || material.clock_is_steps;
  for (const auto& piece : floor.pieces) {
    const double from = floor.curve.x[piece.begin];
    const double to = floor.curve.x[piece.end - 1];
    out.push_back(fmt::format(
        "  from {} to {}: {} to {}, {} per {}", format_span(from, steps), format_span(to, steps),
        format_bytes(piece.first_value), format_bytes(piece.last_value),
        format_bytes(piece.slope * (steps ? 1 : 60)), steps ? "step" : "minute"));
  }
  out.push_back(
      fmt::format("The last piece's slope has t = {:.1f}; {:.1f} is needed to call it "
                  "growth by itself.",
                  analysis.t, analysis.bar));
}

void shapes(const Material& material, const Analysis& analysis, Lines& out) {
  const double sum = analysis.line_weight + analysis.bent_weight;
  if (!(sum > 0)) return;
  out.push_back(fmt::format("Shape: lines weigh {:.0f} %, curves that end {:.0f} %.",
                            100 * analysis.line_weight / sum, 100 * analysis.bent_weight / sum));
  out.push_back(fmt::format(
      "It has grown for {}{}; {:.0f} % of straight warm-ups last that long.",
      format_span(analysis.age, material.clock_is_steps),
      analysis.passes ? fmt::format(", {:.2f} passes over the data", *analysis.passes) : "",
      100 * analysis.survival));
}

void weights(const Analysis& analysis, Lines& out) {
  if (analysis.finding == Finding::TooShort) return;
  std::vector<std::pair<double, std::string>> groups;
  for (std::size_t i = 0; i < analysis.weighing.by_group.size(); ++i) {
    groups.emplace_back(analysis.weighing.by_group[i], name_of(static_cast<Evidence>(i)));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.first) > std::fabs(b.first);
  });
  std::string line = "Weights (log odds, + speaks for a leak):";
  for (const auto& [weight, name] : groups) line += fmt::format(" {} {:+.1f},", name, weight);
  line.back() = '.';
  out.push_back(line);
  out.push_back(fmt::format(
      "Together {:+.2f}: p = {:.3f}; floor, shape and survival alone would say "
      "{:.3f}.",
      analysis.weighing.log_odds, logistic(analysis.weighing.log_odds), analysis.plain));
  if (!analysis.rule.empty()) {
    out.push_back(fmt::format("A fact overrules the weights: {}, so p = {:.3f}.", analysis.rule,
                              analysis.p_leak));
  }
}

void what_would_change_it(const Verdict& verdict, const Material& material,
                          const Analysis& analysis, Lines& out) {
  const std::string bar = fmt::format("{:.2f}", leak_bar(material));
  if (verdict.klass == Class::Leak) {
    out.push_back(
        "It would change if the floor stopped growing, or if marks showed that the growth "
        "belongs to a first pass that is not over.");
  } else if (verdict.klass == Class::Undecided) {
    out.push_back(
        fmt::format("It becomes a leak at p = {}, bounded below 0.35; marks of steps and "
                    "epochs, or an earlier run of the same command, decide sooner than "
                    "waiting.",
                    bar));
  } else if (verdict.not_excluded) {
    out.push_back(fmt::format("It would change if the floor grew by more than {} per {}.",
                              format_bytes(*verdict.not_excluded),
                              material.clock_is_steps ? "step" : "minute"));
  }
  if (analysis.judged_before_edge) {
    out.emplace_back("What has only just begun at the end was left out.");
  }
}

}  // namespace

std::vector<std::string> explain(const Verdict& verdict, const Material& material,
                                 const Analysis& analysis) {
  Lines out;
  priors(material, out);
  pieces(material, analysis, out);
  shapes(material, analysis, out);
  weights(analysis, out);
  what_would_change_it(verdict, material, analysis, out);
  return out;
}

}  // namespace tidegauge::verdict
