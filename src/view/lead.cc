// SPDX-License-Identifier: Apache-2.0
#include "view/lead.h"

#include <fmt/format.h>

#include <vector>

#include "view/facts.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Tie;
using verdict::Verdict;

constexpr std::size_t kMostLeadSentences = 3;
constexpr std::size_t kCauseColumns = 80;

Phrase holds_sentence(const Verdict& verdict) {
  const auto now = size_phrase(verdict.floor_bytes);
  const auto grown = size_phrase(verdict.floor_bytes - verdict.first_bytes);
  if (!now || !(verdict.peak_bytes > 0)) return {};
  const auto who = subject_phrase(verdict.subject);
  const auto seen =
      verdict.duration_seconds > 0 ? duration_phrase(verdict.duration_seconds) : Phrase{};
  const char* holds = verdict.job_ended ? "held" : "holds";
  const char* keeps = verdict.job_ended ? "kept" : "keeps";
  const char* when = verdict.job_ended ? "at its end" : "now";
  switch (verdict.klass) {
    case Class::Leak:
    case Class::Undecided:
      if (grown && verdict.floor_bytes > verdict.first_bytes) {
        const auto ago = verdict.job_ended ? " before" : " ago";
        return fmt::format("{} {} {} {}, {} more than at the start{}.", who, holds, *now, when,
                           *grown, seen ? " " + *seen + ago : "");
      }
      return fmt::format("{} {} {} {}.", who, holds, *now, when);
    case Class::WarmUp:
      if (!verdict.settled) return fmt::format("{} {} {} {}.", who, holds, *now, when);
      return fmt::format("{} {} {} and {} there.", who, keeps, *now, stays(verdict));
    case Class::Spikes:
    case Class::Sawtooth:
    case Class::Steady:
    case Class::Shift:
      break;
  }
  return seen ? fmt::format("{} {} {}; seen for {}.", who, keeps, *now, *seen)
              : fmt::format("{} {} {}.", who, keeps, *now);
}

Phrase spikes_sentence(const Verdict& verdict) {
  const auto& spikes = verdict.spikes;
  const auto height = size_phrase(spikes.height_bytes);
  if (spikes.count == 0 || !height) return {};
  const bool ended = verdict.job_ended;
  const auto times = (spikes.count == 1 ? "once" : fmt::format("{} times", spikes.count)) +
                     (ended ? "" : " so far");
  if (const auto tie = tie_phrase(spikes.tied_to, spikes.phase)) {
    return fmt::format("{} {} {} for a while and {} it back ({}).", capitalised(*tie),
                       ended ? "added" : "adds", *height, ended ? "gave" : "gives", times);
  }
  return fmt::format("Spikes of {} {} on top of it ({}).", *height, come_and_go(verdict), times);
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
  if (limit_passed(verdict)) return fits_sentence(verdict);
  const auto limit = limit_phrase(verdict);
  if (!verdict.forecast || !limit) return {};
  const auto middle = ahead_phrase(verdict, verdict.forecast->p50);
  const auto early = ahead_phrase(verdict, verdict.forecast->p5);
  const auto late = ahead_phrase(verdict, verdict.forecast->p95);
  if (!middle) return {};
  const auto range =
      early && late && *early != *late ? fmt::format(" ({} to {})", *early, *late) : "";
  return verdict.job_ended
             ? fmt::format("Had it gone on, {} would have been full in about {}{}.", *limit,
                           *middle, range)
             : fmt::format("If it goes on, {} is full in about {}{}.", *limit, *middle, range);
}

Phrase if_bounded_sentence(const Verdict& verdict) {
  if (!verdict.needs || !verdict.needs->if_bounded) return {};
  const auto& end = *verdict.needs->if_bounded;
  const auto where = place_phrase(end);
  const auto level = size_phrase(end.level_bytes);
  if (!where && !level) return {};
  return fmt::format(
      "If it {} {}, it {}{}{}.", verdict.job_ended ? "was" : "is",
      verdict.tied_to == Tie::FirstPass ? "the first pass over the data" : "a warm-up",
      verdict.job_ended ? "would have ended" : "ends", where ? " " + *where : "",
      level ? " near " + *level : "");
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
    return fmt::format("The growth {} along with examples that {} seen for the first time.",
                       verdict.job_ended ? "went" : "goes", verdict.job_ended ? "were" : "are");
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

}  // namespace

std::string lead_of(const Verdict& verdict) {
  std::string out;
  std::size_t count = 0;
  for (const auto& sentence : lead_sentences(verdict)) {
    if (!sentence || count == kMostLeadSentences) continue;
    out += (count++ > 0 ? " " : "") + *sentence;
  }
  return out.empty() ? "Nothing more is known." : out;
}

}  // namespace tidegauge::view
