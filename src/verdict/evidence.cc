// SPDX-License-Identifier: Apache-2.0
// The sentences under a verdict: what was seen, with its numbers, for somebody who is tired.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "verdict/conclude.h"

namespace tidegauge::verdict {

namespace {

using Sentences = std::vector<std::string>;

std::string per_what(const Verdict& verdict) {
  if (verdict.bytes_per_event && verdict.tied_to != Tie::Time && verdict.tied_to != Tie::Step) {
    return fmt::format("{} with each {}", format_bytes(verdict.bytes_per_event->value),
                       noun_of(verdict.tied_to, verdict.phase));
  }
  if (verdict.bytes_per_step && (verdict.tied_to == Tie::Step || !verdict.bytes_per_minute)) {
    return fmt::format("{} per step", format_bytes(verdict.bytes_per_step->value));
  }
  if (verdict.bytes_per_minute) {
    return fmt::format("{} per minute", format_bytes(verdict.bytes_per_minute->value));
  }
  return "by an unknown amount";
}

std::string place(const Settled& settled) {
  if (settled.at_step && settled.at_seconds) {
    return fmt::format("step {:.0f} ({} into the recording)", *settled.at_step,
                       format_duration(*settled.at_seconds));
  }
  if (settled.at_step) return fmt::format("step {:.0f}", *settled.at_step);
  return fmt::format("{} into the recording", format_duration(settled.at_seconds.value_or(0)));
}

void growing(const Verdict& verdict, const Material& material, const Analysis& analysis,
             Sentences& out) {
  const std::string since = format_span(analysis.age, material.clock_is_steps);
  if (analysis.finding == Finding::Stairs) {
    out.push_back(
        fmt::format("The floor rises by {} and lies still in between; {:.0f} in a row so far.",
                    per_what(verdict), analysis.events));
  } else {
    out.push_back(fmt::format("The floor has been growing by {} for {}, in a straight line.",
                              per_what(verdict), since));
  }
  if (verdict.klass == Class::Leak) {
    out.push_back(
        fmt::format("Growth of this kind that ends by itself would most likely have ended by "
                    "now: the probability of a leak is {:.0f} %.",
                    100 * verdict.p_leak));
    return;
  }
  if (analysis.passes && *analysis.passes < 1) {
    out.push_back(fmt::format(
        "The job is still in its first pass over the data ({:.0f} %), and a cache that fills "
        "during that pass looks exactly like a leak until the pass ends.",
        100 * std::max(0.0, *analysis.passes)));
  } else {
    out.push_back(
        "A straight line does not show whether it will end: warm-up and leak look the same so "
        "far.");
  }
}

void ended(const Verdict& verdict, const Material& material, const Analysis& analysis,
           Sentences& out) {
  if (verdict.settled) {
    out.push_back(fmt::format(
        "The floor grew by {} and stopped at {}{}; since then it has held {}.",
        format_bytes(analysis.growth_before), place(*verdict.settled),
        verdict.tied_to == Tie::FirstPass ? ", which is the end of the first pass over the data"
                                          : "",
        format_bytes(verdict.settled->level_bytes)));
  }
  if (verdict.not_excluded) {
    out.push_back(fmt::format("A leak larger than {} per {} would have been seen.",
                              format_bytes(*verdict.not_excluded),
                              material.clock_is_steps ? "step" : "minute"));
  }
}

void by_finding(const Verdict& verdict, const Material& material, const Analysis& analysis,
                Sentences& out) {
  switch (analysis.finding) {
    case Finding::TooShort:
      out.push_back(
          fmt::format("There are only {} samples over {}: too few to tell growth from chance.",
                      material.series->count(),
                      format_span(material.series->last_at(), material.clock_is_steps)));
      return;
    case Finding::Growing:
    case Finding::Stairs:
      growing(verdict, material, analysis, out);
      return;
    case Finding::Slowing:
      out.push_back(
          fmt::format("The floor still grows ({} now), along a curve that bends towards an end.",
                      per_what(verdict)));
      return;
    case Finding::Stopping:
      out.push_back(
          fmt::format("The floor grew by {} and seems to have stopped; too recently to call it "
                      "an end.",
                      format_bytes(analysis.growth_before)));
      return;
    case Finding::FaintGrowth:
    case Finding::FaintResidual:
      out.push_back(
          fmt::format("The floor may be growing by {}, but the noise is as large (t = {:.1f}, "
                      "{:.1f} needed).",
                      per_what(verdict), analysis.t, analysis.bar));
      return;
    case Finding::Flat:
      out.push_back(fmt::format("The floor stays at {}.", format_bytes(verdict.floor_bytes)));
      break;
    case Finding::Spiky:
      out.push_back(
          fmt::format("Memory rises {} above its floor of {} and comes back each time; the "
                      "floor does not grow.",
                      format_bytes(analysis.spike_height), format_bytes(verdict.floor_bytes)));
      break;
    case Finding::Toothed:
      out.push_back(
          fmt::format("Memory climbs and is given back again and again, as a garbage collector "
                      "does; the floor of {} does not grow.",
                      format_bytes(verdict.floor_bytes)));
      break;
    case Finding::Shifted:
    case Finding::Settled:
      break;
  }
  ended(verdict, material, analysis, out);
}

void spikes(const Verdict& verdict, Sentences& out) {
  if (verdict.spikes.count == 0 || verdict.klass == Class::Spikes ||
      verdict.klass == Class::Sawtooth) {
    return;
  }
  const std::string tie =
      verdict.spikes.tied_to == Tie::None
          ? ""
          : " with each " + noun_of(verdict.spikes.tied_to, verdict.spikes.phase);
  out.push_back(fmt::format("On top of that memory spikes by {}{} ({} times so far).",
                            format_bytes(verdict.spikes.height_bytes), tie, verdict.spikes.count));
}

void what_next(const Verdict& verdict, const Material& material, Sentences& out) {
  if (verdict.needs && verdict.needs->at_step) {
    out.push_back(
        fmt::format("Look again at step {:.0f}: {}.", *verdict.needs->at_step, verdict.needs->why));
  } else if (verdict.needs && verdict.needs->seconds) {
    out.push_back(fmt::format("Look again in {}: {}.", format_duration(*verdict.needs->seconds),
                              verdict.needs->why));
  }
  if (verdict.forecast) {
    out.push_back(
        fmt::format("If it goes on, the limit of {} is reached in {} (between {} and {}).",
                    format_bytes(verdict.forecast->limit_bytes),
                    format_span(verdict.forecast->p50, material.clock_is_steps),
                    format_span(verdict.forecast->p5, material.clock_is_steps),
                    format_span(verdict.forecast->p95, material.clock_is_steps)));
  }
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
      return phase;
  }
  return phase;
}

std::vector<std::string> evidence_for(const Verdict& verdict, const Material& material,
                                      const Analysis& analysis) {
  Sentences out;
  by_finding(verdict, material, analysis, out);
  if (analysis.restarts > 0) {
    out.push_back("The job was restarted; only what came after is judged.");
  }
  spikes(verdict, out);
  what_next(verdict, material, out);
  if (out.empty()) out.push_back(fmt::format("It holds {}.", format_bytes(verdict.floor_bytes)));
  return out;
}

}  // namespace tidegauge::verdict
