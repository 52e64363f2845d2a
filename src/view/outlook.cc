// SPDX-License-Identifier: Apache-2.0
#include "view/outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "view/facts.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

// The future takes at least this share of the past.
constexpr double kLeastFuture = 0.2;

double seconds_ahead(const verdict::Settled& end, const Chart& chart, double now,
                     std::optional<double> seconds_per_step) {
  if (chart.counts_steps && end.at_step) return *end.at_step - now;
  if (end.at_step && seconds_per_step) {
    if (const auto step = chart.history.step_at(now)) {
      return (*end.at_step - *step) * *seconds_per_step;
    }
  }
  return end.at_seconds ? *end.at_seconds - now : -1;
}

}  // namespace

Outlook outlook_of(const Chart& chart, std::optional<double> seconds_per_step, double most_future) {
  Outlook out{.now = chart.window.to, .until = chart.window.to};
  const auto* verdict = chart.verdict;
  if (!verdict) return out;
  if (verdict->limit_bytes && std::isfinite(*verdict->limit_bytes) && *verdict->limit_bytes > 0) {
    out.limit_bytes = verdict->limit_bytes;
  }
  out.level = verdict->floor_bytes;
  if (!chart.present || !may_grow(*verdict) || !std::isfinite(out.level)) return out;
  double wanted = 0;
  if (const auto& forecast = verdict->forecast;
      forecast && out.limit_bytes && forecast->p50 > 0 && std::isfinite(forecast->p95)) {
    out.fan = true;
    out.p5 = out.now + std::max(0.0, forecast->p5);
    out.p50 = out.now + forecast->p50;
    out.p95 = out.now + std::max(forecast->p50, forecast->p95);
    wanted = out.p95 - out.now;
  }
  if (verdict->needs && verdict->needs->if_bounded) {
    const auto& end = *verdict->needs->if_bounded;
    const double ahead = seconds_ahead(end, chart, out.now, seconds_per_step);
    if (ahead > 0 && std::isfinite(end.level_bytes) && end.level_bytes > 0) {
      out.bounded = true;
      out.bounded_at = out.now + ahead;
      out.bounded_level = end.level_bytes;
      wanted = std::max(wanted, 2 * ahead);
    }
  }
  const double past = chart.window.to - chart.window.from;
  if (wanted > 0) {
    out.until = out.now + std::clamp(wanted * 1.08, kLeastFuture * past, most_future * past);
  }
  return out;
}

std::optional<double> settled_at(const verdict::Verdict& verdict, const History& history) {
  if (!verdict.settled || verdict.klass != verdict::Class::WarmUp) return {};
  const auto& settled = *verdict.settled;
  if (!std::isfinite(settled.level_bytes)) return {};
  if (settled.at_seconds) return settled.at_seconds;
  return settled.at_step ? history.time_of(*settled.at_step) : std::nullopt;
}

std::string limit_label(const verdict::Verdict& verdict) {
  return fmt::format("limit {}", limit_phrase(verdict).value_or(""));
}

std::string full_label(const Outlook& outlook, const verdict::Verdict& verdict) {
  return fmt::format("full in {}",
                     ahead_phrase(verdict, outlook.p50 - outlook.now).value_or("a moment"));
}

std::string bounded_label(const Outlook& outlook, const verdict::Verdict& verdict) {
  const bool pass = verdict.tied_to == verdict::Tie::FirstPass;
  return fmt::format("{}: ends at {}", pass ? "if first pass" : "if it is a warm-up",
                     format_bytes(outlook.bounded_level));
}

std::string settled_label(const verdict::Settled& settled) {
  const auto step = step_phrase(settled.at_step);
  return fmt::format("settled{}, {}", step ? " at " + *step : "",
                     size_phrase(settled.level_bytes).value_or(""));
}

}  // namespace tidegauge::view
