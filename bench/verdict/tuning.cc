// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/tuning.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tidegauge::bench {
namespace {

using verdict::Class;

constexpr std::array<double, 5> kPersistences = {0, 10, 20, 30, 45};  // minutes
constexpr std::size_t kThresholds = 80;                               // candidates

// Which looks raise the alarm.
std::vector<bool> alarms(const std::vector<double>& seconds, const std::vector<double>& scores,
                         double threshold, double persistence_minutes) {
  std::vector<bool> out(scores.size());
  std::size_t since = 0;  // first look of the stretch above the threshold
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] <= threshold) since = i + 1;
    out[i] = since <= i && seconds[i] - seconds[since] >= 60 * persistence_minutes;
  }
  return out;
}

// Values that occur, at equal distances in rank.
std::vector<double> candidates(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> out;
  for (std::size_t k = 0; k <= kThresholds && !values.empty(); ++k)
    out.push_back(values[k * (values.size() - 1) / kThresholds]);
  return out;
}

// Share of leaks found less share of bounded series called leak.
class Youden {
 public:
  void add(Label label, bool called) {
    if (label == Label::Leak) {
      ++leaks_;
      found_ += called;
    } else if (label == Label::Bounded) {
      ++bounded_;
      false_ += called;
    }
  }
  double value() const { return found_ / std::max(1.0, leaks_) - false_ / std::max(1.0, bounded_); }

 private:
  double leaks_ = 0;
  double bounded_ = 0;
  double found_ = 0;
  double false_ = 0;
};

double finished_gain(const std::vector<Scored>& tuning, std::size_t baseline, double threshold) {
  Youden youden;
  for (const auto& one : tuning)
    youden.add(one.head.truth.label, one.scores[baseline].back() > threshold);
  return youden.value();
}

double alarm_gain(const std::vector<Scored>& tuning, std::size_t baseline, double threshold,
                  double persistence) {
  Youden youden;
  for (const auto& one : tuning) {
    const auto raised = alarms(one.look_seconds, one.scores[baseline], threshold, persistence);
    bool called = false;
    for (std::size_t i = 0; i < raised.size(); ++i)
      called = called || (raised[i] && one.look_seconds[i] >= one.head.truth.onset_seconds);
    youden.add(one.head.truth.label, called);
  }
  return youden.value();
}

}  // namespace

Scored score_baselines(const Kind& kind, const Series& series) {
  Scored out;
  out.head = outcome_of(kind, series);
  out.scores.resize(baselines().size());
  for (const auto index : look_indices(series)) {
    out.look_seconds.push_back(series.seconds[index]);
    const Prefix prefix{std::span(series.seconds).first(index + 1),
                        std::span(series.bytes).first(index + 1), series.limit_bytes};
    for (std::size_t b = 0; b < baselines().size(); ++b)
      out.scores[b].push_back(index + 1 < kFewestSamples ? 0 : baselines()[b].score(prefix));
  }
  return out;
}

Setting best_setting(const std::vector<Scored>& tuning, std::size_t baseline) {
  std::vector<double> last;
  std::vector<double> all;
  for (const auto& one : tuning) {
    last.push_back(one.scores[baseline].back());
    all.insert(all.end(), one.scores[baseline].begin(), one.scores[baseline].end());
  }
  Setting setting;
  double best = -std::numeric_limits<double>::max();
  for (const double threshold : candidates(last)) {
    const double gain = finished_gain(tuning, baseline, threshold);
    if (gain <= best) continue;
    best = gain;
    setting.finished_threshold = threshold;
  }
  best = -std::numeric_limits<double>::max();
  for (const double threshold : candidates(all))
    for (const double persistence : kPersistences) {
      const double gain = alarm_gain(tuning, baseline, threshold, persistence);
      if (gain <= best) continue;
      best = gain;
      setting.alarm_threshold = threshold;
      setting.persistence_minutes = persistence;
    }
  return setting;
}

Outcome outcome_with(const Scored& scored, std::size_t baseline, const Setting& setting) {
  Outcome out = scored.head;
  out.accepted = 0;  // a baseline knows no classes
  const auto& scores = scored.scores[baseline];
  const auto raised =
      alarms(scored.look_seconds, scores, setting.alarm_threshold, setting.persistence_minutes);
  for (std::size_t i = 0; i < scores.size(); ++i)
    out.looks.push_back(
        {scored.look_seconds[i], raised[i] ? Class::Leak : Class::Steady, scores[i], false});
  out.finished = out.looks.back();
  out.finished.klass = scores.back() > setting.finished_threshold ? Class::Leak : Class::Steady;
  return out;
}

}  // namespace tidegauge::bench
