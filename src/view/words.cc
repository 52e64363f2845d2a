// SPDX-License-Identifier: Apache-2.0
#include "view/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/facts.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Kind;
using verdict::Tie;
using verdict::Verdict;

constexpr std::size_t kMostLeadSentences = 3;
constexpr std::size_t kCauseColumns = 80;

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

Tone tone_of(const Verdict& verdict) {
  if (verdict.klass == Class::Leak) return Tone::Bad;
  if (verdict.klass == Class::Undecided) return Tone::Wait;
  return runs_out(verdict) ? Tone::Bad : Tone::Good;
}

// "Growing 171 MiB per step", "GPU memory is growing", "Growing 3 MiB per step with evaluation".
std::string growing(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const auto rate = growth_phrase(verdict);
  std::string out = memory == "Memory" && rate ? "Growing" : memory + " is growing";
  if (rate) out += " " + *rate;
  if (const auto tie = tie_phrase(verdict.tied_to, "")) out += ", with " + *tie;
  return out;
}

// "at step 83", "after 4 min 10 s", "at 17.6 GiB".
Phrase place(const verdict::Settled& settled) {
  if (const auto step = step_phrase(settled.at_step)) return "at " + *step;
  if (settled.at_seconds) {
    if (const auto time = duration_phrase(*settled.at_seconds)) return "after " + *time;
  }
  return {};
}

std::string leak_headline(const Verdict& verdict) {
  const auto limit = limit_phrase(verdict);
  if (verdict.forecast && limit) {
    if (const auto left = ahead_phrase(verdict, verdict.forecast->p50)) {
      return fmt::format("{}: {} is full in about {}.", growing(verdict), *limit, *left);
    }
  }
  return growing(verdict) + " with no end in sight.";
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
    return rate ? fmt::format("Still growing {}, but slowing down.", *rate)
                : "Growth is slowing down.";
  }
  const auto where = place(*verdict.settled);
  const auto level = size_phrase(verdict.settled->level_bytes);
  if (where) return fmt::format("Growth ended {}{}.", *where, warm_up_end(verdict.tied_to));
  return level ? fmt::format("Growth ended near {}.", *level) : "Growth has ended.";
}

std::string spikes_headline(const Verdict& verdict) {
  const auto height = size_phrase(verdict.spikes.height_bytes);
  const auto floor = size_phrase(verdict.floor_bytes);
  const auto tie = tie_phrase(verdict.spikes.tied_to, verdict.spikes.phase);
  auto out = height ? fmt::format("Spikes of {} come and go", *height)
                    : std::string("Memory rises for a moment and falls back");
  if (tie) out += " with " + *tie;
  return floor ? fmt::format("{}; the floor stays at {}.", out, *floor) : out + ".";
}

std::string sawtooth_headline(const Verdict& verdict) {
  const auto floor = size_phrase(verdict.floor_bytes);
  const auto peak = size_phrase(verdict.peak_bytes);
  const auto memory = memory_phrase(verdict.subject.kind);
  if (!floor || !peak || verdict.peak_bytes < verdict.floor_bytes) {
    return memory + " fills up and empties again, without growing.";
  }
  return fmt::format("{} fills up and empties again, between {} and {}.", memory, *floor, *peak);
}

std::string shift_headline(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const double level = verdict.settled ? verdict.settled->level_bytes : verdict.floor_bytes;
  const double jump = level - verdict.first_bytes;
  const auto height = size_phrase(std::fabs(jump));
  const auto where = verdict.settled ? place(*verdict.settled) : Phrase{};
  const auto when = where ? " " + *where : std::string();
  if (!height) return fmt::format("{} moved once to a new level{} and stays there.", memory, when);
  return fmt::format("{} {} once by {}{} and stays there.", memory, jump < 0 ? "fell" : "jumped",
                     *height, when);
}

std::string steady_headline(const Verdict& verdict) {
  const auto memory = memory_phrase(verdict.subject.kind);
  const auto floor = size_phrase(verdict.floor_bytes);
  return floor ? fmt::format("{} stays at {}.", memory, *floor) : memory + " stays where it is.";
}

// "step 103", "33 more steps", "6 min more": what will tell.
Phrase what_will_tell(const Verdict& verdict) {
  if (!verdict.needs) return {};
  if (auto step = step_phrase(verdict.needs->at_step)) return step;
  if (verdict.needs->steps && step_phrase(verdict.needs->steps)) {
    const auto steps = std::max(1LL, std::llround(*verdict.needs->steps));
    return fmt::format("{} more step{}", steps, steps == 1 ? "" : "s");
  }
  if (!verdict.needs->seconds) return {};
  const auto time = duration_phrase(*verdict.needs->seconds);
  return time ? Phrase("another " + *time) : Phrase{};
}

std::string undecided_headline(const Verdict& verdict) {
  const auto teller = what_will_tell(verdict);
  if (verdict.needs && verdict.needs->may_run_out_before && verdict.forecast) {
    // The answer comes too late: what counts is how much time is left.
    const auto limit = limit_phrase(verdict);
    const auto left = ahead_phrase(verdict, verdict.forecast->p50);
    if (limit && left && growth_phrase(verdict)) {
      return fmt::format("{}; {} may be full in about {}.", growing(verdict), *limit, *left);
    }
  }
  const char* tells = verdict.needs && verdict.needs->may_not_suffice ? "may tell" : "will tell";
  if (growth_phrase(verdict)) {
    return teller ? fmt::format("{}; {} {}.", growing(verdict), *teller, tells)
                  : growing(verdict) + "; too early to say whether it ends.";
  }
  return teller ? fmt::format("Too early to judge; {} {}.", *teller, tells)
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
      return (verdict.settled ? "Memory grew and then stopped (warm-up). "
                              : "Growth that is coming to an end (warm-up). ") +
             sure;
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

Phrase holds_sentence(const Verdict& verdict) {
  const auto now = size_phrase(verdict.floor_bytes);
  const auto grown = size_phrase(verdict.floor_bytes - verdict.first_bytes);
  if (!now) return {};
  const auto who = subject_phrase(verdict.subject);
  const auto seen =
      verdict.duration_seconds > 0 ? duration_phrase(verdict.duration_seconds) : Phrase{};
  switch (verdict.klass) {
    case Class::Leak:
    case Class::Undecided:
      if (grown && verdict.floor_bytes > verdict.first_bytes) {
        return fmt::format("{} holds {} now, {} more than at the start{}.", who, *now, *grown,
                           seen ? " " + *seen + " ago" : "");
      }
      return fmt::format("{} holds {} now.", who, *now);
    case Class::WarmUp:
      if (!verdict.settled) return fmt::format("{} holds {} now.", who, *now);
      return fmt::format("{} keeps {} and stays there.", who, *now);
    case Class::Spikes:
    case Class::Sawtooth:
    case Class::Steady:
    case Class::Shift:
      break;
  }
  return seen ? fmt::format("{} keeps {}; seen for {}.", who, *now, *seen)
              : fmt::format("{} keeps {}.", who, *now);
}

Phrase spikes_sentence(const Verdict& verdict) {
  const auto& spikes = verdict.spikes;
  const auto height = size_phrase(spikes.height_bytes);
  if (spikes.count == 0 || !height) return {};
  const auto times =
      spikes.count == 1 ? std::string("once") : fmt::format("{} times", spikes.count);
  if (const auto tie = tie_phrase(spikes.tied_to, spikes.phase)) {
    return fmt::format("{} adds {} for a while and gives it back ({} so far).", capitalised(*tie),
                       *height, times);
  }
  return fmt::format("Spikes of {} come and go on top of it ({} so far).", *height, times);
}

Phrase fits_sentence(const Verdict& verdict) {
  const auto limit = limit_phrase(verdict);
  const auto peak = size_phrase(verdict.peak_bytes);
  if (!limit || !peak) return {};
  const double bytes = verdict.limit_bytes ? *verdict.limit_bytes : verdict.forecast->limit_bytes;
  return verdict.peak_bytes <= bytes
             ? fmt::format("The peak of {} fits into {}.", *peak, *limit)
             : fmt::format("The peak of {} is more than {}.", *peak, *limit);
}

Phrase forecast_sentence(const Verdict& verdict) {
  const auto limit = limit_phrase(verdict);
  if (!verdict.forecast || !limit) return {};
  const auto middle = ahead_phrase(verdict, verdict.forecast->p50);
  const auto early = ahead_phrase(verdict, verdict.forecast->p5);
  const auto late = ahead_phrase(verdict, verdict.forecast->p95);
  if (!middle) return {};
  const auto range =
      early && late && *early != *late ? fmt::format(" ({} to {})", *early, *late) : "";
  return fmt::format("If it goes on, {} is full in about {}{}.", *limit, *middle, range);
}

Phrase if_bounded_sentence(const Verdict& verdict) {
  if (!verdict.needs || !verdict.needs->if_bounded) return {};
  const auto& end = *verdict.needs->if_bounded;
  const auto where = place(end);
  const auto level = size_phrase(end.level_bytes);
  if (!where && !level) return {};
  return fmt::format(
      "If it is {}, it ends{}{}.",
      verdict.tied_to == Tie::FirstPass ? "the first pass over the data" : "a warm-up",
      where ? " " + *where : "", level ? " near " + *level : "");
}

Phrase cause_sentence(const Verdict& verdict) {
  if (verdict.causes.empty()) return {};
  const auto& cause = verdict.causes.front();
  const auto kind = shown(cause.kind, kCauseColumns);
  const auto holder = shown_way(cause.retained_by, kCauseColumns);
  const auto bytes = cause.bytes ? size_phrase(static_cast<double>(*cause.bytes)) : Phrase{};
  if (kind.empty() || !bytes) return {};
  // A profile knows where, not what.
  if (cause.type.empty() && !cause.site.empty()) {
    return fmt::format("{} of it were allocated in {}.", *bytes, shown(cause.site, kCauseColumns));
  }
  return fmt::format("{} of it are {}{}.", *bytes, kind,
                     holder.empty() ? "" : ", held by " + holder);
}

Phrase tie_sentence(const Verdict& verdict) {
  if (!growth_phrase(verdict)) return {};
  if (verdict.tied_to == Tie::FirstPass) {
    return "The growth goes along with examples that are seen for the first time.";
  }
  return {};
}

Phrase why_sentence(const Verdict& verdict) {
  if (!verdict.needs) return {};
  auto why = as_sentence(verdict.needs->why);
  return why.empty() ? Phrase{} : Phrase(std::move(why));
}

// What a reader wants to know first comes first; the rest is in the facts.
std::vector<Phrase> lead_sentences(const Verdict& verdict) {
  switch (verdict.klass) {
    case Class::Undecided:
      return {tie_sentence(verdict), if_bounded_sentence(verdict), forecast_sentence(verdict),
              why_sentence(verdict), holds_sentence(verdict)};
    case Class::Leak:
      return {holds_sentence(verdict), spikes_sentence(verdict), cause_sentence(verdict)};
    case Class::WarmUp:
    case Class::Spikes:
    case Class::Sawtooth:
    case Class::Steady:
    case Class::Shift:
      break;
  }
  return {holds_sentence(verdict), spikes_sentence(verdict),
          runs_out(verdict) ? forecast_sentence(verdict) : fits_sentence(verdict)};
}

std::string lead_of(const Verdict& verdict) {
  std::string out;
  std::size_t count = 0;
  for (const auto& sentence : lead_sentences(verdict)) {
    if (!sentence || count == kMostLeadSentences) continue;
    out += (count++ > 0 ? " " : "") + *sentence;
  }
  return out.empty() ? "Nothing more is known." : out;
}

}  // namespace

Words words(const Verdict& verdict) {
  return {.tone = tone_of(verdict),
          .tag = tag_of(verdict.klass),
          .note = note_of(verdict),
          .headline = headline_of(verdict),
          .lead = lead_of(verdict),
          .facts = facts_of(verdict)};
}

}  // namespace tidegauge::view
