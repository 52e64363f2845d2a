// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/report_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "bench/verdict/curve.h"
#include "bench/verdict/goals.h"
#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tally(const Tally& tally) {
  return {{"series", tally.all}, {"leak", tally.leak}, {"undecided", tally.undecided}};
}

Json quantiles(const std::vector<double>& values) {
  return {{"p50", number(quantile_of(values, 0.5))}, {"p90", number(quantile_of(values, 0.9))}};
}

Json of(const Score& s) {
  return {
      {"finished",
       {{"leaks", tally(s.leaks)},
        {"bounded", tally(s.bounded)},
        {"undecidable", tally(s.undecidable)},
        {"auc", number(s.auc)},
        {"found_at_1_percent", number(s.found_at_1_percent)},
        {"found_at_0.3_percent", number(s.found_at_03_percent)},
        {"found_at_0.1_percent", number(s.found_at_01_percent)},
        {"labels", s.labels},
        {"labels_right", s.labels_right}}},
      {"alarm",
       {{"found_at_last_look", s.leaks_found_at_last_look},
        {"found_at_some_look", s.leaks_found_at_some_look},
        {"called_before_onset", s.leaks_called_before_onset},
        {"bounded_ever_leak", s.bounded_ever_leak},
        {"undecidable_ever_leak", s.undecidable_ever_leak},
        {"delay_minutes", quantiles(s.delay_minutes)},
        {"changes_of_mind", s.changes_of_mind}}},
      {"rates",
       {{"stated", s.rates},
        {"covered", s.rates_covered},
        {"relative_error", quantiles(s.rate_errors)},
        {"relative_width", quantiles(s.rate_widths)},
        {"per_step", s.step_rates},
        {"per_step_covered", s.step_rates_covered},
        {"bounds", s.bounds},
        {"bounds_kept", s.bounds_kept},
        {"forecasts", s.forecasts},
        {"forecasts_covered", s.forecasts_covered}}},
      {"attribution",
       {{"tied", s.ties},
        {"tied_right", s.ties_right},
        {"members", s.members},
        {"members_named", s.members_named}}},
      {"look_again",
       {{"promises", s.promises}, {"decided", s.promises_decided}, {"right", s.promises_right}}},
      {"end_of_growth",
       {{"series", s.ends},
        {"error", quantiles(s.end_errors)},
        {"confirmed_after", quantiles(s.end_confirmations)},
        {"confirmed", s.end_confirmations.size()}}},
  };
}

Json of(const Reliability& reliability) {
  Json bins = Json::array();
  for (const auto& bin : reliability.bins)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"looks", bin.looks},
                    {"leaking", bin.leaking},
                    {"stated_sum", bin.stated}});
  return {{"brier", reliability.brier}, {"bins", bins}};
}

}  // namespace

std::string json_report(const std::vector<Outcome>& outcomes, const std::vector<Judged>& rows,
                        const std::optional<Cost>& cost) {
  Json out = {{"schema", "tidegauge/bench-verdict/1"}};
  for (const auto& row : rows)
    out["judges"].push_back(
        {{"judge", row.judge}, {"suite", id_of(row.suite)}, {"score", of(row.score)}});
  std::set<std::tuple<Suite, std::string, Label>> seen;
  for (const auto& outcome : outcomes) {
    const auto label = outcome.truth.label;
    if (!seen.insert({outcome.suite, outcome.name, label}).second) continue;
    out["classes"].push_back(
        {{"suite", id_of(outcome.suite)},
         {"class", outcome.name},
         {"score", of(score_of(of_class(outcomes, outcome.suite, outcome.name, label)))}});
  }
  for (const auto suite : kSuites) {
    const auto chosen = of_suite(outcomes, suite);
    if (chosen.empty()) continue;
    out["reliability"][id_of(suite)] = of(reliability_of(chosen));
    for (const auto& point : curve_of(chosen))
      out["curve"][id_of(suite)].push_back({{"p_leak", point.threshold},
                                            {"found", point.found},
                                            {"false_at_end", point.false_at_end},
                                            {"ever_false", point.ever_false},
                                            {"undecidable_ever", point.undecidable}});
  }
  for (const auto& goal : goals_of(outcomes))
    out["goals"].push_back({{"what", goal.what},
                            {"measured", goal.measured},
                            {"want", goal.want == Want::AtLeast ? "at_least" : "at_most"},
                            {"bar", goal.bar},
                            {"reached", goal.reached()}});
  if (cost)
    out["cost"] = {{"nanoseconds_per_sample", cost->nanoseconds_per_sample},
                   {"milliseconds_per_verdict", cost->milliseconds_per_verdict},
                   {"milliseconds_worst_verdict", cost->milliseconds_worst_verdict},
                   {"kilobytes_per_series", cost->kilobytes_per_series},
                   {"kilobytes_largest", cost->kilobytes_largest}};
  return out.dump(1) + "\n";
}

}  // namespace tidegauge::bench
