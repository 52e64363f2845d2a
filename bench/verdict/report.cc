// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "-";
  const double value = 100 * static_cast<double>(part) / static_cast<double>(whole);
  // "0" and "100" only where there is really none or all.
  if (value > 0 && value < 9.95) return fmt::format("{:.1f}", value);
  if (value > 99.5 && value < 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string number(std::optional<double> value, const char* form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string two_quantiles(const std::vector<double>& values, const char* form) {
  return number(quantile_of(values, 0.5), form) + "/" + number(quantile_of(values, 0.9), form);
}

bool is_wrong_at_end(const Outcome& outcome) {
  const bool leak = outcome.finished.klass == Class::Leak;
  switch (outcome.truth.label) {
    case Label::Leak:
      return !leak;
    case Label::Bounded:
      return leak;
    case Label::Undecidable:
      break;
  }
  return outcome.finished.klass != Class::Undecided;
}

bool is_ever_false(const Outcome& outcome) {
  return std::any_of(outcome.looks.begin(), outcome.looks.end(), [&](const Look& look) {
    if (look.klass != Class::Leak) return false;
    return outcome.truth.label != Label::Leak || look.seconds < outcome.truth.onset_seconds;
  });
}

// Up to three seeds, to look at them with --show.
template <class Predicate>
std::string seeds_where(const std::vector<const Outcome*>& outcomes, Predicate predicate) {
  std::string text;
  int shown = 0;
  for (const auto* outcome : outcomes) {
    if (!predicate(*outcome)) continue;
    if (++shown > 3) return text + "…";
    text += (text.empty() ? "" : " ") + std::to_string(outcome->seed);
  }
  return text;
}

std::string class_row(const std::vector<const Outcome*>& outcomes) {
  const auto score = score_of(outcomes);
  const auto label = outcomes[0]->truth.label;
  const auto& tally = label == Label::Leak      ? score.leaks
                      : label == Label::Bounded ? score.bounded
                                                : score.undecidable;
  const std::size_t ever = label == Label::Leak      ? score.leaks_called_before_onset
                           : label == Label::Bounded ? score.bounded_ever_leak
                                                     : score.undecidable_ever_leak;
  const auto found = label == Label::Leak ? percent(score.leaks_found_at_last_look, tally.all) : "";
  return fmt::format(
      "{:<20} {:<4} {:>4} {:>5} {:>5} {:>5} {:>6} {:>6} {:>5} {:>9} {:>5} {:>9}  {:<22} {}\n",
      outcomes[0]->name,
      label == Label::Leak      ? "leak"
      : label == Label::Bounded ? "bnd"
                                : "und",
      tally.all, percent(tally.leak, tally.all), percent(tally.undecided, tally.all),
      percent(tally.all - tally.leak - tally.undecided, tally.all),
      percent(score.labels_right, score.labels), percent(ever, tally.all), found,
      label == Label::Leak ? two_quantiles(score.delay_minutes, "{:.0f}") : "",
      percent(score.rates_covered, score.rates),
      label == Label::Bounded && score.ends > 0 ? two_quantiles(score.end_confirmations, "{:.2f}")
                                                : "",
      seeds_where(outcomes, is_wrong_at_end), seeds_where(outcomes, is_ever_false));
}

}  // namespace

std::vector<const Outcome*> of_suite(const std::vector<Outcome>& outcomes, Suite suite) {
  std::vector<const Outcome*> out;
  for (const auto& outcome : outcomes)
    if (outcome.suite == suite) out.push_back(&outcome);
  return out;
}

std::vector<const Outcome*> of_class(const std::vector<Outcome>& outcomes, Suite suite,
                                     const std::string& name, Label label) {
  std::vector<const Outcome*> out;
  for (const auto* outcome : of_suite(outcomes, suite))
    if (outcome->name == name && outcome->truth.label == label) out.push_back(outcome);
  return out;
}

std::string comparison_table(const std::vector<Judged>& rows) {
  std::string text = fmt::format(
      "{:<26} {:<10} | {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>5} | {:>6} {:>6} {:>6} | {:>5} {:>5} "
      "{:>5} {:>5} {:>5} | {}\n",
      "judge", "suite", "leaks", "und", "bnd", "und", "undec", "und", "AUC", "TPR@1%", "@.1%",
      "last", "some", "early", "ever", "undec", "delay p50/p90 min");
  text += fmt::format("{:<26} {:<10} | {:^11} | {:^11} | {:^11} | {:^20} | {:^29} |\n", "", "",
                      "found", "false", "alarmed", "finished", "forty looks, alarm");
  for (const auto& row : rows) {
    const auto& s = row.score;
    text += fmt::format(
        "{:<26} {:<10} | {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>5} | {:>6} {:>6} {:>6} | {:>5} {:>5} "
        "{:>5} {:>5} {:>5} | {}\n",
        row.judge, id_of(row.suite), percent(s.leaks.leak, s.leaks.all),
        percent(s.leaks.undecided, s.leaks.all), percent(s.bounded.leak, s.bounded.all),
        percent(s.bounded.undecided, s.bounded.all), percent(s.undecidable.leak, s.undecidable.all),
        percent(s.undecidable.undecided, s.undecidable.all), number(s.auc, "{:.4f}"),
        percent(s.found_at_1_percent), percent(s.found_at_01_percent),
        percent(s.leaks_found_at_last_look, s.leaks.all),
        percent(s.leaks_found_at_some_look, s.leaks.all),
        percent(s.leaks_called_before_onset, s.leaks.all),
        percent(s.bounded_ever_leak, s.bounded.all),
        percent(s.undecidable_ever_leak, s.undecidable.all),
        two_quantiles(s.delay_minutes, "{:.0f}"));
  }
  return text;
}

std::string class_table(const std::vector<Outcome>& outcomes) {
  std::string text = fmt::format(
      "{:<20} {:<4} {:>4} {:>5} {:>5} {:>5} {:>6} {:>6} {:>5} {:>9} {:>5} {:>9}  {:<22} {}\n",
      "class", "is", "n", "leak%", "und%", "other", "label%", "ever!%", "last%", "delay min",
      "cov%", "end conf", "wrong at the end, seeds", "ever false, seeds");
  std::set<std::tuple<Suite, std::string, Label>> seen;
  for (const auto& outcome : outcomes) {
    const auto label = outcome.truth.label;
    if (!seen.insert({outcome.suite, outcome.name, label}).second) continue;
    text += class_row(of_class(outcomes, outcome.suite, outcome.name, label));
  }
  return text;
}

std::string reliability_table(const std::vector<Outcome>& outcomes) {
  std::string text;
  std::set<Suite> suites;
  for (const auto& outcome : outcomes) suites.insert(outcome.suite);
  for (const auto suite : suites) {
    const auto reliability = reliability_of(of_suite(outcomes, suite));
    text += fmt::format("suite {}: Brier {:.4f}\n  stated      looks   mean stated   leaking\n",
                        id_of(suite), reliability.brier);
    for (const auto& bin : reliability.bins) {
      if (bin.looks == 0) continue;
      const double looks = static_cast<double>(bin.looks);
      text += fmt::format("  {:.3f}-{:.3f} {:>7}   {:>8.3f}   {:>10.3f}\n", bin.low,
                          std::min(1.0, bin.high), bin.looks, bin.stated / looks,
                          static_cast<double>(bin.leaking) / looks);
    }
  }
  return text;
}

std::string interval_table(const std::vector<Outcome>& outcomes) {
  constexpr auto kForm =
      "{:<10} {:>5} {:>7} {:>6} {:>6} {:>8} | {:>6} {:>9} | {:>5} {:>11} {:>12} | {:>5} {:>7} | "
      "{:>6} "
      "{:>8} {:>6}\n";
  std::string text = fmt::format(fmt::runtime(kForm), "suite", "rates", "covered", "error", "width",
                                 "per step", "bounds", "forecasts", "ends", "error", "confirmed",
                                 "tied", "member", "again", "decided", "right");
  text += fmt::format(fmt::runtime(kForm), "", "n", "%", "p50 %", "p50 %", "cov. %", "kept %",
                      "cov. %", "n", "p50/p90", "p50/p90", "ok %", "named %", "n", "%", "%");
  std::set<Suite> suites;
  for (const auto& outcome : outcomes) suites.insert(outcome.suite);
  for (const auto suite : suites) {
    const auto s = score_of(of_suite(outcomes, suite));
    text += fmt::format(
        fmt::runtime(kForm), id_of(suite), s.rates, percent(s.rates_covered, s.rates),
        percent(quantile_of(s.rate_errors, 0.5)), percent(quantile_of(s.rate_widths, 0.5)),
        percent(s.step_rates_covered, s.step_rates), percent(s.bounds_kept, s.bounds),
        percent(s.forecasts_covered, s.forecasts), s.ends, two_quantiles(s.end_errors, "{:.2f}"),
        two_quantiles(s.end_confirmations, "{:.2f}"), percent(s.ties_right, s.ties),
        percent(s.members_named, s.members), s.promises, percent(s.promises_decided, s.promises),
        percent(s.promises_right, s.promises_decided));
  }
  return text;
}

}  // namespace tidegauge::bench
