// SPDX-License-Identifier: Apache-2.0
#include "verdict/survival.h"

#include <algorithm>
#include <cmath>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// Shortest against longest warm-up.
constexpr double kSpan = 40;
// Share of warm-ups that outlast the longest expected one.
constexpr double kTail = 0.03;

constexpr double kWithinPass = 0.97;
constexpr double kAfterPass = 0.15;  // a second data set, several copies in workers
constexpr double kAfterPassPower = 2.5;
constexpr double kAfterPassLeast = 0.004;

// Stairs that end by themselves (arenas, pools) mostly do so within a few events: three in
// eight are left after five, one in nine after twelve.
constexpr double kTypicalEvents = 3.8;
constexpr double kEventPower = 1.83;
// Epochs are longer: what fills up with them does so within five; one in five is left after four,
// one in fifteen after six.
constexpr double kTypicalEpochs = 2.65;
constexpr double kEpochPower = 3.2;

// An alarm looks again and again, and most of its false ones come early, from growth that has had
// no time yet to end: the bar is higher until so many of the longest warm-ups have passed. Chosen
// on tuning seeds, together with Rules::alarm_bar.
constexpr double kEarlyWarmUps = 3.5;
constexpr double kEarlySlope = 1.1;
constexpr double kEarliest = 1.0 / 40;  // of a warm-up: before that nothing is higher

struct Stairs {
  double typical = 0;
  double power = 0;
};

Stairs stairs_of(Tie tie) {
  return tie == Tie::Epoch ? Stairs{kTypicalEpochs, kEpochPower}
                           : Stairs{kTypicalEvents, kEventPower};
}

}  // namespace

double survival_by_length(double age, double longest) {
  const double shortest = longest / kSpan;
  if (age <= shortest) return 1;
  if (age >= longest) return kTail * std::pow(longest / age, 2);
  return 1 - (1 - kTail) * std::log(age / shortest) / std::log(kSpan);
}

double age_at_survival(double survival, double longest) {
  if (survival >= 1) return longest / kSpan;
  if (survival < kTail) return longest * std::sqrt(kTail / survival);
  return longest / kSpan * std::exp((1 - survival) / (1 - kTail) * std::log(kSpan));
}

double survival_by_pass(double passes) {
  if (passes < kPassOver) return kWithinPass;
  return std::max(kAfterPassLeast, kAfterPass * std::pow(kPassOver / passes, kAfterPassPower));
}

double passes_at_survival(double survival) {
  return kPassOver * std::max(1.0, std::pow(kAfterPass / survival, 1 / kAfterPassPower));
}

double survival_by_event(double events, Tie tie) {
  const Stairs stairs = stairs_of(tie);
  return 1 / (1 + std::pow(std::max(events, 0.0) / stairs.typical, stairs.power));
}

double events_at_survival(double survival, Tie tie) {
  const Stairs stairs = stairs_of(tie);
  return stairs.typical * std::pow(1 / survival - 1, 1 / stairs.power);
}

double leak_bar(const Rules& rules, double warm_ups) {
  if (rules.mode == Rules::Mode::Finished) return std::clamp(rules.finished_bar, 0.5, 0.999);
  const double early = std::max(0.0, std::log(kEarlyWarmUps / std::max(warm_ups, kEarliest)));
  return logistic(logit(std::clamp(rules.alarm_bar, 0.5, 0.999)) + kEarlySlope * early);
}

double survival_needed(const Rules& rules, double bar) {
  const double prior = std::clamp(rules.leak_prior, 0.01, 0.99);
  return (1 / bar - 1) * prior / (1 - prior) / kStraightWarmUps;
}

}  // namespace tidegauge::verdict
