// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "bench/verdict/feed.h"
#include "bench/verdict/outcome.h"

namespace tidegauge::bench {
namespace {

Look look_at(double seconds, const verdict::Verdict& said) {
  return {seconds, said.klass, said.p_leak, said.settled.has_value(),
          said.needs ? said.needs->seconds : std::nullopt};
}

bool names_leaking_member(const Series& series, const verdict::Verdicts& verdicts) {
  for (const auto& member : series.members) {
    if (member.name != series.truth.leaking_member) continue;
    for (const auto& one : verdicts.all)
      if (one.klass == verdict::Class::Leak && one.subject.process &&
          one.subject.process->pid == member.pid)
        return true;
  }
  return false;
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
  out.member_named = names_leaking_member(series, verdicts);
  out.verdict = std::move(verdicts.all.front());
  out.finished = look_at(series.seconds.back(), out.verdict);
  return out;
}

}  // namespace tidegauge::bench
