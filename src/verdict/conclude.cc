// SPDX-License-Identifier: Apache-2.0
#include "verdict/conclude.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verdict/forecast.h"
#include "verdict/survival.h"

namespace tidegauge::verdict {

namespace {

constexpr double kSecondsPerMinute = 60;
// With more doubt than this nothing is called bounded.
constexpr double kBoundedBar = 0.35;
// More of the same, where nothing better is known: errors of slopes shrink to a half.
constexpr double kLookAgain = 0.6;
// Nobody is told to come back later than after as long again as was seen: much may be clear by
// then, and if it is not, that is soon enough to be told anew.
constexpr double kLongestWait = 1;
constexpr double kShortestWait = 0.05;
// Growth whose end is this near the end of the first pass (share of the pass) is tied to it.
constexpr double kNearPassEnd = 0.12;

Class bounded_class(Finding finding) {
  switch (finding) {
    case Finding::Shifted:
      return Class::Shift;
    case Finding::Spiky:
      return Class::Spikes;
    case Finding::Toothed:
      return Class::Sawtooth;
    case Finding::Flat:
      return Class::Steady;
    default:
      return Class::WarmUp;
  }
}

Class class_of(const Analysis& analysis, double bar) {
  if (analysis.finding == Finding::TooShort) return Class::Undecided;
  if (analysis.p_leak >= bar) return Class::Leak;
  if (analysis.finding == Finding::Stopping || analysis.p_leak >= kBoundedBar) {
    return Class::Undecided;
  }
  const bool faint = analysis.finding == Finding::FaintGrowth;
  return bounded_class(faint ? analysis.otherwise : analysis.finding);
}

// Growth that is over and what comes and goes since: the larger of the two is what the job does.
// Where nothing tells what the spikes come with, it must be much larger, and the growth have been
// over soon: a program's start.
// What comes with evaluations is no collector's doing, however long they take.
bool spikes_are_more(const Analysis& analysis, const Verdict& verdict, double now) {
  constexpr std::size_t kRepeated = 3;
  constexpr std::size_t kOften = 6;
  constexpr double kMuch = 4;
  constexpr double kSoon = 0.1;
  const auto& spikes = verdict.spikes;
  const bool tied = spikes.tied_to != Tie::None;
  if (verdict.klass == Class::Sawtooth) return tied && spikes.tied_to != Tie::Epoch;
  if (spikes.count < (tied ? kRepeated : kOften)) return false;
  if (verdict.klass == Class::Steady) return true;
  if (verdict.klass != Class::WarmUp && verdict.klass != Class::Shift) return false;
  if (!analysis.ended) return false;
  return tied ? analysis.growth_before <= spikes.height_bytes
              : kMuch * analysis.growth_before <= spikes.height_bytes &&
                    *analysis.ended <= kSoon * now;
}

// What is said to come and go is not what stays: where the last moments lie within a spike, the
// floor is the least of a while.
double beneath_spikes(const Material& material, const Analysis& analysis, const Spikes& spikes) {
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kShare = 8;
  const double peak = material.series->peak();
  if (material.points.empty() || analysis.level <= peak - spikes.height_bytes / 2) {
    return analysis.level;
  }
  const auto count =
      std::min(material.points.size(), std::max(kFewest, material.points.size() / kShare));
  double least = analysis.level;
  for (auto i = material.points.size() - count; i < material.points.size(); ++i) {
    least = std::min(least, material.points[i].low);
  }
  return least;
}

bool shows_growth(Finding finding) {
  return finding == Finding::Growing || finding == Finding::Stairs || finding == Finding::Slowing;
}

// What is said of a leak that the last piece does not show by itself.
Analysis as_said(Analysis analysis, Class klass, double now) {
  const bool may_grow = klass == Class::Leak || klass == Class::Undecided;
  if (may_grow && !shows_growth(analysis.finding) && analysis.leak_rate) {
    analysis.rate = analysis.leak_rate;
    analysis.per_step = analysis.leak_per_step;
    analysis.not_excluded = std::max(analysis.not_excluded, analysis.leak_rate->high);
    analysis.began = analysis.leak_began;
    analysis.age = now - analysis.leak_began;
  }
  return analysis;
}

double confidence_in(Class klass, double p_leak) {
  if (klass == Class::Leak) return p_leak;
  if (klass == Class::Undecided) return 1 - std::fabs(2 * p_leak - 1);
  return 1 - p_leak;
}

Interval times(const Interval& interval, double factor) {
  return {interval.value * factor, interval.low * factor, interval.high * factor};
}

std::optional<double> step_at(const Material& material, double at) {
  if (material.clock_is_steps) return at;
  const auto* steps = material.marks->steps();
  if (steps == nullptr) return {};
  if (at <= steps->last_at()) return steps->count_at(at);
  const double seconds = steps->last_at() - steps->first_at();
  const double pace = seconds > 0 ? (steps->last_count() - steps->first_count()) / seconds : 0;
  return steps->last_count() + pace * (at - steps->last_at());
}

// On the recording's clock, and by steps where those are known.
struct Place {
  double at = 0;
  std::optional<double> step{};
};

Place place_at(const Material& material, double at) {
  return {at, step_at(material, at)};
}

// What a step brought on average, from the first one to the end of growth at `at`. What grew before
// the first step (imports, a model that was loaded) is none of it.
std::optional<double> per_step_until(const Material& material, const Place& end, double level) {
  constexpr std::ptrdiff_t kFirstPoints = 3;  // one alone may be of a spike
  const auto* steps = material.marks->steps();
  if (steps == nullptr || !end.step || end.at <= steps->first_at()) return {};
  const auto& points = material.points;
  const auto begin = std::partition_point(points.begin(), points.end(), [&](const Point& point) {
    return point.at < steps->first_at();
  });
  if (begin == points.end()) return {};
  const auto until = begin + std::min(kFirstPoints, points.end() - begin);
  const auto lower = [](const Point& a, const Point& b) { return a.low < b.low; };
  const double grown = level - std::min_element(begin, until, lower)->low;
  const double walked = *end.step - steps->count_at(begin->at);
  return grown > 0 && walked > 0 ? std::optional(grown / walked) : std::nullopt;
}

Settled settled_at(const Material& material, const Analysis& analysis, const Place& end,
                   double level) {
  Settled out{.at_step = end.step, .level_bytes = level};
  if (!material.clock_is_steps) out.at_seconds = end.at;
  if (!(analysis.rate_before > 0)) return out;
  if (material.clock_is_steps) {
    out.bytes_per_step_before = analysis.rate_before;
    return out;
  }
  out.bytes_per_minute_before = analysis.rate_before * kSecondsPerMinute;
  out.bytes_per_step_before = analysis.per_step_before;
  if (!out.bytes_per_step_before) out.bytes_per_step_before = per_step_until(material, end, level);
  return out;
}

bool ended_with_first_pass(const Material& material, double ended) {
  const auto pass = material.passes->first_pass_ends();
  if (!pass) return false;
  const double length = std::max(*pass, 1e-9);
  return std::fabs(ended - *pass) < kNearPassEnd * length;
}

// A pass ends with the step that is on its way then. Steps are told now and then: where it ended
// between two that are far apart, its length, about as far as steps tell that, says which it was.
Place end_of_pass(const Material& material, double pass) {
  constexpr double kAbout = 0.05;
  Place out = place_at(material, pass);
  const auto* steps = material.marks->steps();
  if (material.clock_is_steps || steps == nullptr || pass > steps->last_at()) return out;
  const auto [before, after] = steps->counts_around(pass);
  const auto length = material.passes->steps_per_pass();
  if (after - before <= 1) {
    out.step = after;
  } else if (const double nearest = length ? std::clamp(*length, before, after) : 0;
             length && std::fabs(nearest - *length) <= kAbout * *length) {
    out.step = nearest;
  }
  return out;
}

// The floor knows it to a part; where it ended with the first pass, marks know it to the step.
Place end_of_growth(const Material& material, const Analysis& analysis) {
  const double seen = analysis.settled_at.value_or(*analysis.ended);
  const auto pass = material.passes->first_pass_ends();
  const bool with_pass = pass && std::fabs(seen - *pass) <= analysis.part;
  return with_pass ? end_of_pass(material, *pass) : place_at(material, seen);
}

// Not before `late`, if nothing else comes to light.
std::string not_sure_before(const Material& material, double late, double now) {
  const auto step = step_at(material, late);
  const auto less = material.passes->known() ? "" : ", less if the length of an epoch is known";
  const auto to_step = step ? fmt::format("step {:.0f}", std::ceil(*step)) : std::string();
  if (material.job_ended) {
    return fmt::format("growth that ends by then is a warm-up; to be sure may take a run {}{}",
                       step ? "to " + to_step : "of " + format_span(late, false), less);
  }
  return fmt::format(
      "growth that has ended by then was a warm-up; if it goes on, to be sure may take {}{}",
      step ? "until " + to_step : format_span(late - now, false) + " from now", less);
}

void look_again_soon(const Material& material, double now, Analysis& analysis) {
  if (analysis.finding == Finding::TooShort) return;
  const double begin = material.points.empty() ? 0 : material.points.front().at;
  if (!analysis.look_again) {
    analysis.look_again = now + kLookAgain * (now - begin);
    analysis.look_again_why = "what is noise and what is growth would be clearer by then";
    analysis.may_not_suffice = true;
  }
  // What is due already, and still not decided, needs a little more to be seen.
  analysis.look_again = std::max(*analysis.look_again, now + kShortestWait * (now - begin));
  const double latest = now + kLongestWait * (now - begin);
  if (*analysis.look_again <= latest) return;
  if (analysis.finding == Finding::Growing) {
    analysis.look_again_why = not_sure_before(material, *analysis.look_again, now);
  }
  analysis.look_again = latest;
  analysis.may_not_suffice = true;
}

std::optional<Needs> needs_of(const Material& material, const Analysis& analysis, double now) {
  if (!analysis.look_again) {
    return Needs{.why = "there are too few samples to say anything"};
  }
  Needs out{.why = analysis.look_again_why, .may_not_suffice = analysis.may_not_suffice};
  const double wait = std::max(0.0, *analysis.look_again - now);
  if (!material.clock_is_steps) out.seconds = wait;
  const auto then = step_at(material, *analysis.look_again);
  const auto today = step_at(material, now);
  if (then && today) {
    out.at_step = std::ceil(*then);
    out.steps = std::max(0.0, std::ceil(*then) - *today);
  }
  const auto pass = material.passes->first_pass_ends();
  if (analysis.finding == Finding::Growing && pass && *pass > now && analysis.rate) {
    out.if_bounded = settled_at(material, analysis, end_of_pass(material, *pass),
                                analysis.level + analysis.rate->value * (*pass - now));
  } else if (analysis.finding == Finding::Stopping && analysis.ended) {
    out.if_bounded =
        settled_at(material, analysis, end_of_growth(material, analysis), analysis.level);
  }
  return out;
}

// An event takes the blame for spikes if most of them fall into it.
void tie_spikes(const Material& material, const Analysis& analysis, Verdict& verdict) {
  constexpr double kMost = 0.6;
  if (analysis.spike_times.empty()) return;
  const double slack = material.series->block_width();
  for (const auto& events : material.marks->events()) {
    std::size_t inside = 0;
    for (const double at : analysis.spike_times) {
      inside += static_cast<std::size_t>(std::any_of(
          events.stretches.begin(), events.stretches.end(), [&](const Stretch& stretch) {
            return at >= stretch.begin - slack && at <= stretch.end + 2 * slack;
          }));
    }
    if (static_cast<double>(inside) >= kMost * static_cast<double>(analysis.spike_times.size())) {
      verdict.spikes.tied_to = events.tie;
      verdict.spikes.phase = events.name;
      return;
    }
  }
}

void set_growth(const Material& material, const Analysis& analysis, Verdict& out) {
  out.bytes_per_event = analysis.per_event;
  out.tied_to = analysis.tied_to;
  out.phase = analysis.phase;
  if (!analysis.rate) return;
  const double unit = material.clock_is_steps ? 1 : kSecondsPerMinute;
  out.not_excluded = analysis.not_excluded * unit;
  if (!material.clock_is_steps) out.bytes_per_minute = times(*analysis.rate, kSecondsPerMinute);
  out.bytes_per_step = analysis.per_step;
  if (analysis.finding == Finding::Growing && analysis.passes && *analysis.passes < 1) {
    out.tied_to = Tie::FirstPass;
  }
}

void set_settled(const Material& material, const Analysis& analysis, double now, Verdict& out) {
  if (out.klass != Class::WarmUp && out.klass != Class::Shift) return;
  if (analysis.ended) {
    const Place end = end_of_growth(material, analysis);
    out.settled = settled_at(material, analysis, end, analysis.level);
    const bool by_pass = analysis.first_reads || ended_with_first_pass(material, end.at);
    out.tied_to = by_pass ? Tie::FirstPass : Tie::None;
  } else if (analysis.plateau && analysis.plateau_at && *analysis.plateau_at <= now) {
    out.settled =
        settled_at(material, analysis, place_at(material, *analysis.plateau_at), analysis.level);
  }
}

void set_future(const Material& material, const Analysis& analysis,
                const std::optional<Limit>& limit, double now, Verdict& out) {
  if (out.klass == Class::Undecided) out.needs = needs_of(material, analysis, now);
  if (!limit) return;
  out.limit_kind = limit->kind;
  out.limit_bytes = limit->bytes;
  if (limit_passed(out)) {
    out.forecast =
        Forecast{.limit_kind = limit->kind, .limit_bytes = limit->bytes, .probability = 1};
    return;
  }
  if (out.klass != Class::Leak && !shows_growth(analysis.finding)) return;
  out.forecast = forecast(analysis, *limit);
  if (!out.forecast) return;
  if (out.needs && out.needs->if_bounded &&
      out.needs->if_bounded->level_bytes + analysis.spike_height > limit->bytes) {
    out.forecast->probability = 1;  // bounded or not, it does not fit
  }
  if (out.needs && analysis.look_again) {
    out.needs->may_run_out_before = out.forecast->p5 < *analysis.look_again - now;
  }
}

double grown_by(const Analysis& analysis, const Verdict& verdict) {
  if (verdict.settled && analysis.growth_before > 0) return analysis.growth_before;
  const double all = std::max(0.0, analysis.level - verdict.first_bytes);
  if (verdict.settled || !analysis.rate) return all;
  return std::clamp(analysis.rate->value * analysis.age, 0.0, all);
}

}  // namespace

bool limit_passed(const Verdict& verdict) {
  return verdict.limit_kind == "given" && verdict.limit_bytes &&
         verdict.peak_bytes > *verdict.limit_bytes;
}

Verdict conclude(const Subject& subject, const Material& material, const Analysis& found,
                 const std::optional<Limit>& limit) {
  const BlockSeries& series = *material.series;
  const double now = series.last_at();
  Verdict out{.subject = subject};
  out.klass = class_of(found, leak_bar(material));
  out.spikes.count = found.spike_count;
  out.spikes.height_bytes = found.spike_count > 0 ? found.spike_height : 0;
  tie_spikes(material, found, out);
  if (spikes_are_more(found, out, now)) out.klass = Class::Spikes;
  Analysis analysis = as_said(found, out.klass, now);
  look_again_soon(material, now, analysis);
  out.p_leak = std::clamp(analysis.p_leak, 0.0, 1.0);
  out.confidence = confidence_in(out.klass, out.p_leak);
  set_growth(material, analysis, out);
  set_settled(material, analysis, now, out);
  out.peak_bytes = series.peak();
  set_future(material, analysis, limit, now, out);
  out.first_bytes = series.first();
  out.last_bytes = series.last();
  out.floor_bytes =
      out.klass == Class::Spikes ? beneath_spikes(material, analysis, out.spikes) : analysis.level;
  out.grown_bytes = grown_by(analysis, out);
  out.grown_since = out.settled ? 0 : analysis.began;
  out.duration_seconds = material.clock_is_steps ? 0 : now;
  out.job_ended = material.job_ended;
  out.evidence = evidence_for(out, material, analysis);
  return out;
}

}  // namespace tidegauge::verdict
