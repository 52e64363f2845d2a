// SPDX-License-Identifier: Apache-2.0
#include "view/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/facts.h"
#include "view/lead.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Kind;
using verdict::Tie;
using verdict::Verdict;

Tone tone_of(const Verdict& verdict) {
  if (verdict.klass == Class::Leak || limit_passed(verdict)) return Tone::Bad;
  if (verdict.klass == Class::Undecided) return Tone::Wait;
  return runs_out(verdict) ? Tone::Bad : Tone::Good;
}

// "Growing 171 MiB per step", "GPU memory is growing", "Growing 3 MiB per step with evaluation";
// of a job that has ended "Grew 171 MiB per step until its end".
std::string growing(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const auto rate = growth_phrase(verdict);
  const bool ended = verdict.job_ended;
  std::string out = memory == "Memory" && rate ? (ended ? "Grew" : "Growing")
                                               : memory + (ended ? " grew" : " is growing");
  if (rate) out += " " + *rate;
  if (ended) out += " until its end";
  if (const auto tie = tie_phrase(verdict.tied_to, "")) out += ", with " + *tie;
  return out;
}

// "Growing 171 MiB per step; 4.00 GiB (given limit) was passed."
Phrase passed_headline(const Verdict& verdict) {
  const auto limit = limit_phrase(verdict);
  if (!limit_passed(verdict) || !limit) return {};
  return fmt::format("{}; {} was passed.", growing(verdict), *limit);
}

std::string leak_headline(const Verdict& verdict) {
  if (auto passed = passed_headline(verdict)) return *std::move(passed);
  const auto limit = limit_phrase(verdict);
  if (verdict.forecast && limit) {
    if (const auto left = ahead_phrase(verdict, verdict.forecast->p50)) {
      return fmt::format("{}: {} {} full in about {}.", growing(verdict), *limit,
                         verdict.job_ended ? "would have been" : "is", *left);
    }
  }
  return growing(verdict) + (verdict.job_ended ? "." : " with no end in sight.");
}

std::string warm_up_end(Tie tie) {
  switch (tie) {
    case Tie::FirstPass:
      return ", with the first pass over the data";
    case Tie::Epoch:
      return ", with the end of an epoch";
    case Tie::Eval:
      return ", after evaluation";
    case Tie::Save:
      return ", after saving";
    case Tie::Compile:
      return ", after compilation";
    case Tie::None:
    case Tie::Time:
    case Tie::Step:
    case Tie::Phase:
      break;
  }
  return "";
}

std::string warm_up_headline(const Verdict& verdict) {
  if (!verdict.settled) {
    const auto rate = growth_phrase(verdict);
    const char* when = verdict.job_ended ? " at its end" : "";
    return rate ? fmt::format("Still growing {}{}, but slowing down.", *rate, when)
                : fmt::format("Growth {} slowing down.", verdict.job_ended ? "was" : "is");
  }
  const auto where = place_phrase(*verdict.settled);
  const auto level = size_phrase(verdict.settled->level_bytes);
  if (where) return fmt::format("Growth ended {}{}.", *where, warm_up_end(verdict.tied_to));
  return level ? fmt::format("Growth ended near {}.", *level) : "Growth has ended.";
}

std::string spikes_headline(const Verdict& verdict) {
  const auto height = size_phrase(verdict.spikes.height_bytes);
  const auto floor = size_phrase(verdict.floor_bytes);
  const auto tie = tie_phrase(verdict.spikes.tied_to, verdict.spikes.phase);
  const bool ended = verdict.job_ended;
  auto out = height  ? fmt::format("Spikes of {} {}", *height, come_and_go(verdict))
             : ended ? std::string("Memory rose for a moment and fell back")
                     : std::string("Memory rises for a moment and falls back");
  if (tie) out += " with " + *tie;
  return floor ? fmt::format("{}; the floor {} at {}.", out, stays(verdict), *floor) : out + ".";
}

std::string sawtooth_headline(const Verdict& verdict) {
  const auto floor = size_phrase(verdict.floor_bytes);
  const auto peak = size_phrase(verdict.peak_bytes);
  const auto memory = memory_phrase(verdict.subject.kind);
  const char* fills = verdict.job_ended ? "filled up and emptied" : "fills up and empties";
  if (!floor || !peak || verdict.peak_bytes < verdict.floor_bytes) {
    return fmt::format("{} {} again, without growing.", memory, fills);
  }
  return fmt::format("{} {} again, between {} and {}.", memory, fills, *floor, *peak);
}

std::string shift_headline(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const double level = verdict.settled ? verdict.settled->level_bytes : verdict.floor_bytes;
  const double jump = level - verdict.first_bytes;
  const auto height = size_phrase(std::fabs(jump));
  const auto where = verdict.settled ? place_phrase(*verdict.settled) : Phrase{};
  const auto when = where ? " " + *where : std::string();
  const auto how = height ? fmt::format("{} once by {}", jump < 0 ? "fell" : "jumped", *height)
                          : std::string("moved once to a new level");
  return fmt::format("{} {}{} and {} there.", memory, how, when, stays(verdict));
}

std::string steady_headline(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const auto floor = size_phrase(verdict.floor_bytes);
  if (floor) return fmt::format("{} {} at {}.", memory, stays(verdict), *floor);
  return memory + (verdict.job_ended ? " stayed where it was." : " stays where it is.");
}

// "step 103", "33 more steps", "another 6 min": what will tell. A job that has ended would have to
// run anew: "a run to step 103", "a run of 12 min".
Phrase what_will_tell(const Verdict& verdict) {
  if (!verdict.needs) return {};
  const auto& needs = *verdict.needs;
  const bool ended = verdict.job_ended;
  if (const auto step = step_phrase(needs.at_step)) return (ended ? "a run to " : "") + *step;
  if (needs.steps && step_phrase(needs.steps)) {
    const auto steps = std::max(1LL, std::llround(*needs.steps));
    return fmt::format("{}{} more step{}", ended ? "a run of " : "", steps, steps == 1 ? "" : "s");
  }
  if (!needs.seconds) return {};
  const auto time = duration_phrase(*needs.seconds + (ended ? verdict.duration_seconds : 0));
  return time ? Phrase((ended ? "a run of " : "another ") + *time) : Phrase{};
}

const char* tells(const Verdict& verdict) {
  const bool may = verdict.needs && verdict.needs->may_not_suffice;
  if (verdict.job_ended) return may ? "might tell" : "would tell";
  return may ? "may tell" : "will tell";
}

std::string undecided_headline(const Verdict& verdict) {
  if (auto passed = passed_headline(verdict); passed && growth_phrase(verdict)) {
    return *std::move(passed);
  }
  const auto teller = what_will_tell(verdict);
  if (verdict.needs && verdict.needs->may_run_out_before && verdict.forecast) {
    // The answer comes too late: what counts is how much time is left.
    const auto limit = limit_phrase(verdict);
    const auto left = ahead_phrase(verdict, verdict.forecast->p50);
    if (limit && left && growth_phrase(verdict)) {
      return fmt::format("{}; {} {} full in about {}.", growing(verdict), *limit,
                         verdict.job_ended ? "might have been" : "may be", *left);
    }
  }
  if (growth_phrase(verdict)) {
    return teller ? fmt::format("{}; {} {}.", growing(verdict), *teller, tells(verdict))
                  : growing(verdict) + "; too early to say whether it ends.";
  }
  return teller ? fmt::format("Too early to judge; {} {}.", *teller, tells(verdict))
                : "Too little has been seen to judge.";
}

std::string headline_of(const Verdict& verdict) {
  switch (verdict.klass) {
    case Class::Leak:
      return leak_headline(verdict);
    case Class::WarmUp:
      return warm_up_headline(verdict);
    case Class::Spikes:
      return spikes_headline(verdict);
    case Class::Sawtooth:
      return sawtooth_headline(verdict);
    case Class::Steady:
      return steady_headline(verdict);
    case Class::Shift:
      return shift_headline(verdict);
    case Class::Undecided:
      break;
  }
  return undecided_headline(verdict);
}

std::string look_again(const Verdict& verdict) {
  if (verdict.job_ended) {
    return capitalised(what_will_tell(verdict).value_or("a longer run")) + " " + tells(verdict) +
           (verdict.needs && verdict.needs->may_run_out_before
                ? "; memory might run out before its end."
                : ".");
  }
  std::string out = "Look again";
  const auto& needs = verdict.needs;
  const auto step = needs ? step_phrase(needs->at_step) : Phrase{};
  const auto time = needs && needs->seconds ? duration_phrase(*needs->seconds) : Phrase{};
  if (step) out += " at " + *step;
  if (step && time) out += fmt::format(" (in about {})", *time);
  if (!step && time) out += " in about " + *time;
  if (!step && !time && what_will_tell(verdict)) out += " after " + *what_will_tell(verdict);
  if (out == "Look again") out += " later";
  return out + (needs && needs->may_run_out_before ? "; memory may run out before then." : ".");
}

std::string note_of(const Verdict& verdict) {
  const auto sure = confidence_phrase(verdict.confidence);
  switch (verdict.klass) {
    case Class::Leak:
      return "Growth without bound. " + sure;
    case Class::WarmUp:
      if (verdict.settled) return "Memory grew and then stopped (warm-up). " + sure;
      return fmt::format("Growth that {} coming to an end (warm-up). {}",
                         verdict.job_ended ? "was" : "is", sure);
    case Class::Spikes:
      return "What is taken is given back (spikes). " + sure;
    case Class::Sawtooth:
      return "What is taken is given back (sawtooth). " + sure;
    case Class::Steady:
      return "No growth. " + sure;
    case Class::Shift:
      return "One step to a new level. " + sure;
    case Class::Undecided:
      break;
  }
  return look_again(verdict);
}

}  // namespace

const char* tag_of(Class klass) {
  switch (klass) {
    case Class::Leak:
      return "Leak";
    case Class::WarmUp:
    case Class::Spikes:
    case Class::Sawtooth:
      return "Not a leak";
    case Class::Steady:
      return "Steady";
    case Class::Shift:
      return "One jump";
    case Class::Undecided:
      break;
  }
  return "Cannot tell yet";
}

Words words(const Verdict& verdict) {
  return {.tone = tone_of(verdict),
          .tag = tag_of(verdict.klass),
          .note = note_of(verdict),
          .headline = headline_of(verdict),
          .lead = lead_of(verdict),
          .facts = facts_of(verdict)};
}

}  // namespace tidegauge::view
