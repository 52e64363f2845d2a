// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "bench/verdict/feed.h"
#include "bench/verdict/outcome.h"

namespace tidegauge::bench {
namespace {

Look look_at(double seconds, const verdict::Verdict& said) {
  return {seconds, said.klass, said.p_leak, said.settled.has_value()};
}

}  // namespace

Outcome ask_engine(const Kind& kind, const Series& series) {
  Outcome out = outcome_of(kind, series);
  verdict::Gauge alarm(rules_of(series, verdict::Rules::Mode::Alarm));
  verdict::Gauge finished(rules_of(series, verdict::Rules::Mode::Finished));
  alarm.begin(header_of(series));
  finished.begin(header_of(series));
  Feed feed(series);
  for (const auto index : look_indices(series)) {
    for (const auto& entry : feed.until(index)) {
      alarm.add(entry);
      finished.add(entry);
    }
    out.looks.push_back(look_at(series.seconds[index], alarm.judge().all.front()));
  }
  auto verdicts = finished.judge();
  out.verdict = std::move(verdicts.all.front());
  out.finished = look_at(series.seconds.back(), out.verdict);
  return out;
}

}  // namespace tidegauge::bench
