// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/score.h"

#include <algorithm>
#include <cmath>

#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;

// Growth that ends this close to the recording's end cannot be seen to have ended.
constexpr double kEndIsInside = 0.95;
// A shift of one sample has no growth time to compare with.
constexpr double kShortestGrowth = 30;

void count(Tally& tally, Class klass) {
  ++tally.all;
  if (klass == Class::Leak) ++tally.leak;
  if (klass == Class::Undecided) ++tally.undecided;
}

Tally& tally_for(Score& score, Label label) {
  switch (label) {
    case Label::Leak:
      return score.leaks;
    case Label::Bounded:
      return score.bounded;
    case Label::Undecidable:
      break;
  }
  return score.undecidable;
}

void count_looks(Score& score, const Outcome& outcome) {
  bool ever = false;
  bool early = false;
  std::optional<double> first_right;
  bool before = false;
  for (const auto& look : outcome.looks) {
    const bool leak = look.klass == Class::Leak;
    if (leak != before) ++score.changes_of_mind;
    before = leak;
    if (!leak) continue;
    ever = true;
    if (look.seconds < outcome.truth.onset_seconds) early = true;
    if (look.seconds >= outcome.truth.onset_seconds && !first_right) first_right = look.seconds;
  }
  if (outcome.truth.label == Label::Bounded && ever) ++score.bounded_ever_leak;
  if (outcome.truth.label == Label::Undecidable && ever) ++score.undecidable_ever_leak;
  if (outcome.truth.label != Label::Leak) return;
  if (early) ++score.leaks_called_before_onset;
  if (before) ++score.leaks_found_at_last_look;
  if (!first_right) return;
  ++score.leaks_found_at_some_look;
  score.delay_minutes.push_back((*first_right - outcome.truth.onset_seconds) / 60);
}

void count_rate(Score& score, const Outcome& outcome) {
  const auto& said = outcome.verdict;
  const double rate = outcome.truth.bytes_per_minute;
  if (outcome.truth.label != Label::Leak || rate <= 0) return;
  if (said.klass != Class::Leak) {
    if (!said.not_excluded) return;
    ++score.bounds;
    if (*said.not_excluded >= rate) ++score.bounds_kept;
    return;
  }
  const auto covers = [](const verdict::Interval& interval, double value) {
    return interval.low <= value && value <= interval.high;
  };
  if (said.bytes_per_minute) {
    ++score.rates;
    if (covers(*said.bytes_per_minute, rate)) ++score.rates_covered;
    score.rate_errors.push_back(std::fabs(said.bytes_per_minute->value - rate) / rate);
    score.rate_widths.push_back((said.bytes_per_minute->high - said.bytes_per_minute->low) / rate);
  }
  if (said.bytes_per_step && outcome.truth.bytes_per_step > 0) {
    ++score.step_rates;
    if (covers(*said.bytes_per_step, outcome.truth.bytes_per_step)) ++score.step_rates_covered;
  }
}

void count_end(Score& score, const Outcome& outcome) {
  const double begin = outcome.truth.growth_begin_seconds;
  const double end = outcome.truth.growth_end_seconds;
  if (outcome.truth.label != Label::Bounded || end - begin < kShortestGrowth) return;
  if (end > kEndIsInside * outcome.duration_seconds) return;
  ++score.ends;
  if (outcome.verdict.settled && outcome.verdict.settled->at_seconds)
    score.end_errors.push_back(std::fabs(*outcome.verdict.settled->at_seconds - end) /
                               (end - begin));
  for (const auto& look : outcome.looks) {
    if (look.seconds < end || !look.settled || look.klass == Class::Undecided) continue;
    score.end_confirmations.push_back((look.seconds - end) / (end - begin));
    break;
  }
}

void count_forecast(Score& score, const Outcome& outcome) {
  const auto& said = outcome.verdict;
  const auto& truth = outcome.truth;
  if (truth.label != Label::Leak || truth.bytes_per_minute <= 0) return;
  if (said.klass != Class::Leak || !said.forecast) return;
  const double room = outcome.limit_bytes - truth.floor_end_bytes - truth.spike_bytes;
  if (room <= 0) return;
  const double seconds = room / truth.bytes_per_minute * 60;
  ++score.forecasts;
  if (said.forecast->p5 <= seconds && seconds <= said.forecast->p95) ++score.forecasts_covered;
}

void count_attribution(Score& score, const Outcome& outcome) {
  const auto& truth = outcome.truth;
  if (truth.label != Label::Leak || outcome.verdict.klass != Class::Leak) return;
  if (!truth.leaking_member.empty()) {
    ++score.members;
    if (outcome.member_named) ++score.members_named;
  }
  if (truth.tie == verdict::Tie::Time || !outcome.has_marks) return;
  ++score.ties;
  if (outcome.verdict.tied_to == truth.tie) ++score.ties_right;
}

void count_promises(Score& score, const Outcome& outcome) {
  for (std::size_t i = 0; i < outcome.looks.size(); ++i) {
    const auto& asked = outcome.looks[i];
    if (asked.klass != Class::Undecided || !asked.needs_seconds) continue;
    const double due = asked.seconds + *asked.needs_seconds;
    const auto then =
        std::find_if(outcome.looks.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     outcome.looks.end(), [&](const Look& look) { return look.seconds >= due; });
    if (then == outcome.looks.end()) continue;
    ++score.promises;
    if (then->klass == Class::Undecided) continue;
    ++score.promises_decided;
    const bool leaking =
        outcome.truth.label == Label::Leak && then->seconds >= outcome.truth.onset_seconds;
    if ((then->klass == Class::Leak) == leaking) ++score.promises_right;
  }
}

}  // namespace

Score score_of(const std::vector<const Outcome*>& outcomes) {
  Score score;
  std::vector<double> leaks;
  std::vector<double> bounded;
  for (const auto* outcome : outcomes) {
    count(tally_for(score, outcome->truth.label), outcome->finished.klass);
    if (outcome->truth.label == Label::Leak) leaks.push_back(outcome->finished.p_leak);
    if (outcome->truth.label == Label::Bounded) bounded.push_back(outcome->finished.p_leak);
    if (outcome->accepted != 0) {
      ++score.labels;
      if (contains(outcome->accepted, outcome->finished.klass)) ++score.labels_right;
    }
    count_looks(score, *outcome);
    count_rate(score, *outcome);
    count_end(score, *outcome);
    count_forecast(score, *outcome);
    count_attribution(score, *outcome);
    count_promises(score, *outcome);
  }
  score.auc = area_under_curve(leaks, bounded);
  score.found_at_1_percent = found_at_false_rate(leaks, bounded, 0.01);
  score.found_at_03_percent = found_at_false_rate(leaks, bounded, 0.003);
  score.found_at_01_percent = found_at_false_rate(leaks, bounded, 0.001);
  return score;
}

Reliability reliability_of(const std::vector<const Outcome*>& outcomes) {
  constexpr std::array<double, 12> kEdges = {0,   0.02, 0.1,  0.3,  0.5,   0.7,
                                             0.8, 0.9,  0.95, 0.98, 0.995, 1.0000001};
  Reliability out;
  for (std::size_t i = 0; i + 1 < kEdges.size(); ++i)
    out.bins.push_back({.low = kEdges[i], .high = kEdges[i + 1]});
  double squares = 0;
  std::size_t looks = 0;
  for (const auto* outcome : outcomes) {
    if (outcome->truth.label == Label::Undecidable) continue;
    for (const auto& look : outcome->looks) {
      const bool leaking =
          outcome->truth.label == Label::Leak && look.seconds > outcome->truth.onset_seconds;
      const auto above = std::upper_bound(kEdges.begin(), kEdges.end(), look.p_leak);
      const auto at = std::clamp<std::ptrdiff_t>(above - kEdges.begin() - 1, 0,
                                                 static_cast<std::ptrdiff_t>(out.bins.size()) - 1);
      auto& bin = out.bins[static_cast<std::size_t>(at)];
      ++bin.looks;
      bin.leaking += leaking ? 1 : 0;
      bin.stated += look.p_leak;
      squares += (look.p_leak - (leaking ? 1 : 0)) * (look.p_leak - (leaking ? 1 : 0));
      ++looks;
    }
  }
  if (looks > 0) out.brier = squares / static_cast<double>(looks);
  return out;
}

}  // namespace tidegauge::bench
