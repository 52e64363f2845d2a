// SPDX-License-Identifier: Apache-2.0
#include "verdict/weighing.h"

#include <algorithm>
#include <cmath>

#include "verdict/features.h"
#include "verdict/model.h"
#include "verdict/statistics.h"
#include "verdict/survival.h"

namespace tidegauge::verdict {

namespace {

// A straight ramp of which nobody can tell yet is neither a leak nor none.
constexpr double kOpenLow = 0.4;
constexpr double kOpenHigh = 0.75;
// Share of straight warm-ups that must still be going on for that.
constexpr double kOpenSurvival = 0.25;
// Growth too small for a word is no leak, however sure it is.
constexpr double kTooSmall = 0.1;
// The weights were learned on series of dozens to hundreds of points. With fewer than the first
// number the plain judgement counts alone, with more than the second the weights do.
constexpr double kFewPoints = 12;
constexpr double kManyPoints = 36;

double net_change(const Setting& setting) {
  double low = setting.points.front().low;
  double high = setting.points.front().low;
  for (std::size_t i = 0; i <= setting.last; ++i) {
    low = std::min(low, setting.points[i].low);
    high = std::max(high, setting.points[i].low);
  }
  return high - low;
}

// What the whole length of what was seen allows: the weights know leaks that begin after a warm-up
// or a plateau, and would call a straight line a leak that is as old as a coffee break. No shape
// makes a recording older than it is.
void allow_no_more_than_the_length_does(const Setting& setting, Analysis& analysis) {
  const Material& material = *setting.material;
  if (material.passes->known() || analysis.finding == Finding::Stairs) return;
  const double longest = material.clock_is_steps ? material.rules->longest_warm_up_steps
                                                 : material.rules->longest_warm_up_minutes * 60;
  const double elapsed = std::max(setting.now() - setting.begin(), analysis.age);
  const double survival = survival_by_length(elapsed, longest);
  if (survival <= kOpenSurvival) return;
  const double prior = std::clamp(material.rules->leak_prior, 0.01, 0.99);
  const double most = logistic(logit(prior) - std::log(kStraightWarmUps * survival));
  if (analysis.p_leak <= most) return;
  analysis.rule = "a recording this short cannot show more";
  analysis.p_leak = most;
}

void apply_facts(const Setting& setting, Analysis& analysis) {
  double& p = analysis.p_leak;
  if (net_change(setting) < setting.scale.least_growth) {
    if (p > kTooSmall) analysis.rule = "the floor moved by too little to matter";
    p = std::min(p, kTooSmall);
    return;
  }
  if (analysis.finding == Finding::Stairs && p > analysis.plain) {
    analysis.rule = "pools and arenas may still be filling up";
    p = analysis.plain;
  }
  if (analysis.ended_by_pass && p > analysis.plain) {
    analysis.rule =
        "growth ended with the first pass over the data, and a whole pass has gone by since";
    p = analysis.plain;
  }
  if (analysis.finding != Finding::Growing) return;
  if (analysis.passes && *analysis.passes < kPassOver) {
    analysis.rule = "the first pass over the data is not over";
    p = std::clamp(p, kOpenLow, kOpenHigh);
  } else if (analysis.survival > kOpenSurvival && p < kOpenLow) {
    analysis.rule = "a straight line this young may be either";
    p = kOpenLow;
  }
}

}  // namespace

void weigh_evidence(const Setting& setting, Analysis& analysis) {
  const double prior = std::clamp(setting.material->rules->leak_prior, 0.01, 0.99);
  analysis.weighing = weigh(learned_table(), features_of(setting, analysis));
  const double plain = logit(std::clamp(analysis.plain, 1e-3, 1 - 1e-3));
  const auto points = static_cast<double>(setting.last + 1);
  const double trust = std::clamp((points - kFewPoints) / (kManyPoints - kFewPoints), 0.0, 1.0);
  analysis.p_leak =
      logistic(trust * analysis.weighing.log_odds + (1 - trust) * plain + logit(prior));
  apply_facts(setting, analysis);
  allow_no_more_than_the_length_does(setting, analysis);
}

}  // namespace tidegauge::verdict
