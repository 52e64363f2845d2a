// SPDX-License-Identifier: Apache-2.0
// The sentences under a verdict: what was seen, with its numbers, for somebody who is tired.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "verdict/conclude.h"
#include "verdict/setting.h"

namespace tidegauge::verdict {

namespace {

using Sentences = std::vector<std::string>;

// What starting up took is worth a sentence from this share of the floor on.
constexpr double kStartUpOfFloor = 0.1;

struct Pace {
  double bytes = 0;
  std::string of{};  // "per minute", "with each evaluation"
};

std::optional<Pace> pace_of(const Verdict& verdict) {
  if (verdict.bytes_per_event && verdict.tied_to != Tie::Time && verdict.tied_to != Tie::Step) {
    return Pace{verdict.bytes_per_event->value,
                "with each " + noun_of(verdict.tied_to, verdict.phase)};
  }
  const bool by_step = verdict.tied_to == Tie::Step || verdict.tied_to == Tie::FirstPass;
  if (verdict.bytes_per_step && (by_step || !verdict.bytes_per_minute)) {
    return Pace{verdict.bytes_per_step->value, "per step"};
  }
  if (verdict.bytes_per_minute) return Pace{verdict.bytes_per_minute->value, "per minute"};
  return {};
}

std::string per_what(const Verdict& verdict) {
  const auto pace = pace_of(verdict);
  return pace ? format_bytes(pace->bytes) + " " + pace->of : "an unknown amount";
}

// Whether it would be told as more than "0 B", or less.
bool grows(const Verdict& verdict) {
  constexpr double kLeastTold = 0.5;
  const auto pace = pace_of(verdict);
  return pace && pace->bytes >= kLeastTold;
}

std::string place(const Settled& settled) {
  if (settled.at_step && settled.at_seconds) {
    return fmt::format("step {:.0f} ({} into the recording)", *settled.at_step,
                       format_duration(*settled.at_seconds));
  }
  if (settled.at_step) return fmt::format("step {:.0f}", *settled.at_step);
  return fmt::format("{} into the recording", format_duration(settled.at_seconds.value_or(0)));
}

std::string percent(double share) {
  // Never 0 % or 100 %: that would be certainty.
  return fmt::format("{:.0f}\u00A0%", std::clamp(100 * share, 1.0, 99.0));
}

// What the floor does now, whatever follows from it.
std::string what_grows(const Verdict& verdict, const Material& material, const Analysis& analysis) {
  const std::string since = format_span(analysis.age, material.clock_is_steps);
  switch (analysis.finding) {
    case Finding::Stairs:
      return fmt::format("The floor rises by {} and lies still in between; {:.0f} in a row so far.",
                         per_what(verdict), analysis.events);
    case Finding::Growing:
      return fmt::format("The floor has been growing by {} for {}, in a straight line.",
                         per_what(verdict), since);
    case Finding::Slowing:
      return fmt::format("The floor still grows, by {} now, more slowly than it did.",
                         per_what(verdict));
    default:
      return fmt::format("Beneath all that comes and goes, the floor has risen by {} over {}.",
                         per_what(verdict), since);
  }
}

void leak(const Verdict& verdict, const Material& material, const Analysis& analysis,
          Sentences& out) {
  out.push_back(what_grows(verdict, material, analysis));
  out.push_back(
      fmt::format("Growth that ends by itself would most likely have ended by now, or look "
                  "different: the probability of a leak is {}.",
                  percent(verdict.p_leak)));
}

// As the facts have it, from what was held at the start: the floor's first piece begins a little
// later, and lies a little above. Not where a start is told apart, or had a spike on it.
double grown(const Verdict& verdict, const Analysis& analysis) {
  constexpr double kAlike = 0.2;
  const bool told_apart = analysis.restarts > 0 || analysis.start_up_bytes > 0;
  const double all = analysis.level - verdict.first_bytes;
  const bool alike = std::fabs(all - analysis.growth_before) < kAlike * analysis.growth_before;
  const bool jumped = all > analysis.growth_before;
  return !told_apart && (alike || jumped) ? all : analysis.growth_before;
}

void undecided(const Verdict& verdict, const Material& material, const Analysis& analysis,
               Sentences& out) {
  switch (analysis.finding) {
    case Finding::TooShort:
      if (!material.restarts.empty()) {
        out.emplace_back("It was restarted, and too little has been seen since then.");
        return;
      }
      if (const auto working = since_first_step(material, material.points);
          working && *working < material.points.size()) {
        out.push_back(
            fmt::format("Only {} sample{} came after the job's first step: too few to tell growth "
                        "from chance. Starting up is not what its steps do.",
                        *working, *working == 1 ? "" : "s"));
        return;
      }
      if (material.series->count() == 1) {
        out.emplace_back("There is only one sample: too few to tell growth from chance.");
        return;
      }
      out.push_back(fmt::format(
          "Its memory was seen only {} times in {}: too few to tell growth from chance.",
          material.series->count(),
          format_span(material.series->last_at(), material.clock_is_steps)));
      return;
    case Finding::Stopping:
      out.push_back(
          fmt::format("The floor grew by {} and seems to have stopped; too recently to "
                      "call it an end.",
                      format_bytes(grown(verdict, analysis))));
      return;
    case Finding::Growing:
    case Finding::Stairs:
    case Finding::Slowing:
      out.push_back(what_grows(verdict, material, analysis));
      break;
    default:
      out.push_back(grows(verdict)
                        ? fmt::format("The floor may be growing by {}, but what comes and goes "
                                      "hides it.",
                                      per_what(verdict))
                        : "Whether the floor grows is hidden by what comes and goes.");
  }
  if (analysis.finding == Finding::Growing && analysis.passes && *analysis.passes < 1) {
    out.push_back(
        fmt::format("The job is still in its first pass over the data ({}), and a cache "
                    "that fills during that pass looks exactly like a leak until it ends.",
                    percent(*analysis.passes)));
  } else if (analysis.finding == Finding::Growing) {
    out.emplace_back(
        "A straight line does not show whether it will end: warm-up and leak look the "
        "same so far.");
  }
  out.push_back(
      fmt::format("The probability of a leak is {}: neither yes nor no.", percent(verdict.p_leak)));
}

void not_excluded(const Verdict& verdict, const Material& material, Sentences& out) {
  if (!verdict.not_excluded || !(*verdict.not_excluded > 0)) return;
  out.push_back(fmt::format("A leak of more than {} per {} would have been seen.",
                            format_bytes(*verdict.not_excluded),
                            material.clock_is_steps ? "step" : "minute"));
}

void grew(const Verdict& verdict, const Analysis& analysis, Sentences& out) {
  // Before a restart it may have grown; what came after does not.
  if (!verdict.settled && verdict.klass == Class::Shift) {
    out.push_back(
        fmt::format("The floor, {} now, does not grow.", format_bytes(verdict.floor_bytes)));
    return;
  }
  if (!verdict.settled) {
    if (analysis.first_reads) {
      out.push_back(
          fmt::format("The floor grows by {} with each example that is read for the first "
                      "time, and with nothing else; {:.0f} of {:.0f} have been.",
                      format_bytes(analysis.first_reads->bytes_per_example),
                      analysis.first_reads->read, analysis.first_reads->all));
    } else if (grows(verdict)) {
      out.push_back(
          fmt::format("The floor still grows a little ({} now), along a curve that bends "
                      "towards an end.",
                      per_what(verdict)));
    } else {
      out.emplace_back("The floor grew along a curve that bends, and does not grow now.");
    }
    if (analysis.plateau) {
      out.push_back(fmt::format("It leads to about {}.", format_bytes(*analysis.plateau)));
    }
    return;
  }
  const bool down = analysis.growth_before <= 0;
  out.push_back(fmt::format(
      "The floor {} {}{} at {}{}; since then it holds {}.", down ? "moved" : "grew by",
      down ? "" : format_bytes(grown(verdict, analysis)), down ? "" : " and stopped",
      place(*verdict.settled),
      verdict.tied_to == Tie::FirstPass ? ", the end of the first pass over the data" : "",
      format_bytes(verdict.settled->level_bytes)));
}

void bounded(const Verdict& verdict, const Material& material, const Analysis& analysis,
             Sentences& out) {
  switch (verdict.klass) {
    case Class::Spikes:
      out.push_back(
          fmt::format("Memory rises {} above its floor of {} and comes back each time; the "
                      "floor does not grow.",
                      format_bytes(analysis.spike_height), format_bytes(verdict.floor_bytes)));
      if (analysis.ended && analysis.growth_before > 0) {
        out.push_back(fmt::format("At first the floor grew by {}; that is over.",
                                  format_bytes(analysis.growth_before)));
      }
      break;
    case Class::Sawtooth:
      out.push_back(
          fmt::format("Memory climbs and is given back again and again, as a garbage "
                      "collector does; the floor of {} does not grow.",
                      format_bytes(verdict.floor_bytes)));
      break;
    case Class::Steady:
      out.push_back(fmt::format("The floor stays at {}.", format_bytes(verdict.floor_bytes)));
      break;
    default:
      grew(verdict, analysis, out);
  }
  not_excluded(verdict, material, out);
}

void spikes(const Verdict& verdict, Sentences& out) {
  const bool said = verdict.klass == Class::Spikes || verdict.klass == Class::Sawtooth;
  if (verdict.spikes.count == 0) return;
  const bool tied = verdict.spikes.tied_to != Tie::None;
  const std::string with =
      tied ? " with each " + noun_of(verdict.spikes.tied_to, verdict.spikes.phase) : "";
  if (said && tied) {
    out.push_back(fmt::format("The spikes {}{}.", verdict.job_ended ? "came" : "come", with));
  } else if (!said) {
    out.push_back(fmt::format("On top of that memory {} by {}{} ({} times{}).",
                              verdict.job_ended ? "spiked" : "spikes",
                              format_bytes(verdict.spikes.height_bytes), with, verdict.spikes.count,
                              verdict.job_ended ? "" : " so far"));
  }
}

void what_next(const Verdict& verdict, const Material& material, Sentences& out) {
  if (verdict.needs && verdict.needs->if_bounded && verdict.tied_to == Tie::FirstPass) {
    out.push_back(fmt::format(
        "If it {} the first pass, it {} at {} near {}.", verdict.job_ended ? "was" : "is",
        verdict.job_ended ? "would have ended" : "ends", place(*verdict.needs->if_bounded),
        format_bytes(verdict.needs->if_bounded->level_bytes)));
  }
  if (verdict.needs && verdict.needs->at_step) {
    out.push_back(fmt::format(
        "{} step {:.0f}{}: {}.", verdict.job_ended ? "A run to" : "Look again at",
        *verdict.needs->at_step, verdict.job_ended ? " would tell more" : "", verdict.needs->why));
  } else if (verdict.needs && verdict.needs->seconds) {
    const double seconds = *verdict.needs->seconds;
    out.push_back(
        verdict.job_ended
            ? fmt::format("A run of {} would tell more: {}.",
                          format_duration(verdict.duration_seconds + seconds), verdict.needs->why)
            : fmt::format("Look again in {}: {}.", format_duration(seconds), verdict.needs->why));
  }
  if (limit_passed(verdict)) {
    out.push_back(fmt::format("The peak of {} is above the limit of {}.",
                              format_bytes(verdict.peak_bytes),
                              format_bytes(*verdict.limit_bytes)));
    return;
  }
  if (!verdict.forecast) return;
  out.push_back(fmt::format(
      "{}, the limit of {} {} reached in {} (between {} "
      "and {}); with a probability of {} it never {}.",
      verdict.job_ended ? "Had it gone on like this" : "If it goes on like this",
      format_bytes(verdict.forecast->limit_bytes), verdict.job_ended ? "would have been" : "is",
      format_span(verdict.forecast->p50, material.clock_is_steps),
      format_span(verdict.forecast->p5, material.clock_is_steps),
      format_span(verdict.forecast->p95, material.clock_is_steps),
      percent(1 - verdict.forecast->probability), verdict.job_ended ? "would have been" : "is"));
}

}  // namespace

std::string format_span(double span, bool steps) {
  return steps ? fmt::format("{:.0f} steps", span) : format_duration(span);
}

std::string noun_of(Tie tie, const std::string& phase) {
  switch (tie) {
    case Tie::None:
    case Tie::Time:
      return "minute";
    case Tie::Step:
      return "step";
    case Tie::FirstPass:
      return "first pass over the data";
    case Tie::Epoch:
      return "epoch";
    case Tie::Eval:
      return "evaluation";
    case Tie::Save:
      return "save";
    case Tie::Compile:
      return "compilation";
    case Tie::Phase:
      return printable(phase);
  }
  return printable(phase);
}

std::vector<std::string> evidence_for(const Verdict& verdict, const Material& material,
                                      const Analysis& analysis) {
  Sentences out;
  if (verdict.klass == Class::Leak) {
    leak(verdict, material, analysis, out);
  } else if (verdict.klass == Class::Undecided) {
    undecided(verdict, material, analysis, out);
  } else {
    bounded(verdict, material, analysis, out);
  }
  if (analysis.restarts > 0) {
    out.emplace_back("The job was restarted; only what came after is judged.");
  }
  if (const auto ended = material.marks->steps_ended()) {
    out.push_back(
        fmt::format("The last step was {} into the recording; since then only time counts.",
                    format_duration(*ended)));
  }
  if (analysis.start_up_bytes > kStartUpOfFloor * verdict.floor_bytes) {
    out.push_back(fmt::format("Before its first step the job took {}; that is not counted.",
                              format_bytes(analysis.start_up_bytes)));
  }
  spikes(verdict, out);
  what_next(verdict, material, out);
  return out;
}

}  // namespace tidegauge::verdict
