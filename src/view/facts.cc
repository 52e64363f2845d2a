// SPDX-License-Identifier: Apache-2.0
#include "view/facts.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Verdict;

constexpr std::size_t kCauseColumns = 80;
constexpr std::size_t kRemedyColumns = 200;  // a sentence or two
constexpr double kWorthSaying = 0.02;        // of what is held

// "1.62 GiB to 1.71 GiB per step", where the interval says something.
Phrase interval_phrase(const Verdict& verdict) {
  const bool by_step = verdict.bytes_per_step && verdict.bytes_per_step->value >= 0.5;
  const auto& interval = by_step ? verdict.bytes_per_step : verdict.bytes_per_minute;
  if (!interval || !(interval->high > interval->low)) return {};
  const auto low = size_phrase(std::fmax(interval->low, 0));
  const auto high = size_phrase(interval->high);
  if (!low || !high || *low == *high) return {};
  return fmt::format("{} to {} per {}", *low, *high, by_step ? "step" : "minute");
}

Phrase excluded_phrase(const Verdict& verdict) {
  const auto rate = verdict.duration_seconds > 0 ? per_time_phrase(verdict.not_excluded)
                                                 : per_step_phrase(verdict.not_excluded);
  if (!rate) return {};
  return fmt::format("a leak of more than {} is excluded", *rate);
}

Phrase before_phrase(const Verdict& verdict) {
  if (!verdict.settled || verdict.klass != Class::WarmUp) return {};  // a jump has no rate
  auto rate = per_step_phrase(verdict.settled->bytes_per_step_before);
  if (!rate) rate = per_time_phrase(verdict.settled->bytes_per_minute_before);
  if (!rate) return {};
  return fmt::format("before: {}", *rate);
}

std::string joined(const Phrase& first, const Phrase& second) {
  if (first && second) return *first + "; " + *second;
  return first.value_or(second.value_or(""));
}

Fact how_fast(const Verdict& verdict) {
  const auto rate = growth_phrase(verdict);
  if (may_grow(verdict) && rate) {
    Phrase by_time;
    if (verdict.bytes_per_minute) by_time = per_time_phrase(verdict.bytes_per_minute->value);
    if (by_time == rate) by_time.reset();
    return {"How fast", *rate, joined(by_time, interval_phrase(verdict)), "rate"};
  }
  if (verdict.klass == Class::Leak) return {"How fast", "not measured", "", "rate"};
  if (may_grow(verdict)) return {"How fast", "no growth seen yet", "", "rate"};
  return {"How fast", verdict.job_ended ? "no growth at its end" : "no growth now",
          joined(before_phrase(verdict), excluded_phrase(verdict)), "rate"};
}

std::string peak_and_limit(const Verdict& verdict) {
  const auto peak = size_phrase(verdict.peak_bytes);
  const auto limit = limit_phrase(verdict);
  if (!peak) return "";
  return limit ? fmt::format("peak {} of {}", *peak, *limit) : fmt::format("peak {}", *peak);
}

Fact until_the_limit(const Verdict& verdict) {
  const char* label = "Until the limit";
  if (limit_passed(verdict)) return {label, "passed", peak_and_limit(verdict), "limit"};
  if (const auto& forecast = verdict.forecast; forecast && may_grow(verdict)) {
    const auto middle = ahead_phrase(verdict, forecast->p50);
    const auto early = ahead_phrase(verdict, forecast->p5);
    const auto late = ahead_phrase(verdict, forecast->p95);
    std::string range;
    if (early && late && *early != *late) range = fmt::format("{} to {}; ", *early, *late);
    if (middle) {
      return {label,
              fmt::format("about {}{}", *middle,
                          verdict.job_ended              ? " had it gone on"
                          : verdict.klass == Class::Leak ? ""
                                                         : " if it goes on"),
              range + peak_and_limit(verdict), "limit"};
    }
  }
  if (!limit_phrase(verdict)) return {label, "no limit known", peak_and_limit(verdict), "limit"};
  return {label, may_grow(verdict) ? "not foreseeable" : "none in sight", peak_and_limit(verdict),
          "limit"};
}

Fact what_stays(const Verdict& verdict) {
  const auto floor = size_phrase(verdict.floor_bytes);
  const auto first = size_phrase(verdict.first_bytes);
  return {"What stays", floor.value_or("not measured"),
          first ? fmt::format("{} at the start", *first) : "", "stays"};
}

// What nobody was found to hold: the libraries themselves, buffers of C code, what an allocator
// keeps.
std::optional<Fact> unexplained(const Verdict& verdict) {
  const auto rest = size_phrase(verdict.unexplained_bytes.value_or(0));
  if (!rest || *verdict.unexplained_bytes < kWorthSaying * verdict.floor_bytes) return {};
  return Fact{"Not explained", *rest,
              "of the growth that was looked into; libraries and the allocator, or C code"};
}

}  // namespace

bool may_grow(const Verdict& verdict) {
  return verdict.klass == Class::Leak || verdict.klass == Class::Undecided ||
         (verdict.klass == Class::WarmUp && !verdict.settled);
}

bool runs_out(const Verdict& verdict) {
  return may_grow(verdict) && verdict.forecast && std::isfinite(verdict.forecast->probability) &&
         verdict.forecast->probability >= 0.5 && ahead_phrase(verdict, verdict.forecast->p50);
}

std::vector<Fact> facts_of(const Verdict& verdict) {
  std::vector<Fact> facts = {how_fast(verdict), until_the_limit(verdict), what_stays(verdict)};
  const auto& spikes = verdict.spikes;
  if (const auto height = size_phrase(spikes.height_bytes); spikes.count > 0 && height) {
    const auto tie = tie_phrase(spikes.tied_to, spikes.phase);
    facts.push_back({"Comes and goes", *height,
                     fmt::format("{} spike{}{}", spikes.count, spikes.count == 1 ? "" : "s",
                                 tie ? ", with " + *tie : ""),
                     "spikes"});
  }
  if (verdict.causes.empty()) return facts;
  const auto& cause = verdict.causes.front();
  const auto kind = shown(cause.kind, kCauseColumns);
  const auto bytes = cause.bytes ? size_phrase(static_cast<double>(*cause.bytes)) : Phrase{};
  Phrase site = shown(cause.site, kCauseColumns);
  Phrase holder = shown_way(cause.retained_by, kCauseColumns);
  if (site->empty()) site.reset();
  if (holder->empty()) holder.reset();
  if (site) site = "allocated in " + *site;
  if (holder) holder = "held by " + *holder;
  if (!kind.empty()) {
    const auto value =
        bytes ? fmt::format("{} {} {}", *bytes, cause.count ? "in" : "of", kind) : kind;
    facts.push_back({"What piles up", value, joined(site, holder), "cause"});
  }
  if (auto rest = unexplained(verdict)) facts.push_back(*std::move(rest));
  if (const auto remedy = shown(cause.remedy, kRemedyColumns); !remedy.empty()) {
    facts.push_back({"What helps", remedy, "", "remedy"});
  }
  return facts;
}

}  // namespace tidegauge::view
