// SPDX-License-Identifier: Apache-2.0
#include "view/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidegauge::view {

namespace {

constexpr std::array kTimeSteps = {1.0,    2.0,    5.0,     10.0,    15.0,    30.0,     60.0,
                                   120.0,  300.0,  600.0,   900.0,   1800.0,  3600.0,   7200.0,
                                   10800., 21600., 43200.0, 86400.0, 172800., 604800.0, 2592000.0};

double nice_time_step(double least) {
  for (const double step : kTimeSteps) {
    if (step >= least) return step;
  }
  return kTimeSteps.back() * std::ceil(least / kTimeSteps.back());
}

// 1, 2, 5, 10, 20, 50…
double nice_count_step(double least) {
  if (least <= 1) return 1;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

XAxis::XAxis(const History& history, double from, double to, double now, bool by_step)
    : history_(history), now_seconds_(now) {
  const auto first = history.step_at(from);
  const auto last = history.step_at(now);
  // The job's first steps come late: count from where they began.
  const auto began = history.time_of(first.value_or(0) + 1);
  if (last && began && *last > first.value_or(0) && now > *began) {
    seconds_per_step_ = (now - *began) / std::max(1.0, *last - first.value_or(0));
  }
  by_step_ = by_step && seconds_per_step_.has_value();
  begin_ = by_step_ ? first.value_or(0) : from;
  now_ = by_step_ ? *last : now;
  end_ = std::max(value_of(to), begin_ + 1e-9);
}

double XAxis::value_of(double seconds) const {
  if (!by_step_) return seconds;
  if (seconds <= now_seconds_) return history_.step_at(seconds).value_or(begin_);
  return now_ + (seconds - now_seconds_) / *seconds_per_step_;
}

double XAxis::place_of(double seconds) const {
  return (value_of(seconds) - begin_) / (end_ - begin_);
}

std::string clock_label(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string bytes_label(double bytes) {
  constexpr std::array kUnits = {"", "K", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g}{}", bytes, kUnits[unit]);
}

std::vector<Tick> x_ticks(const XAxis& axis, const History& history, bool counts_steps, int columns,
                          int spacing) {
  std::vector<Tick> out;
  const double length = axis.end() - axis.begin();
  if (columns <= 0 || spacing <= 0 || !(length > 0)) return out;
  const double least = length * spacing / columns;
  const bool counts = axis.by_step() || counts_steps;
  const double step = counts ? nice_count_step(least) : nice_time_step(least);
  // Of a run whose first sample came a moment after its beginning, 0:00 is still on the edge.
  const double edge = axis.begin() - length / columns / 2;
  for (double at = std::ceil(edge / step) * step; at <= axis.end(); at += step) {
    Tick tick{.place = std::max(0.0, (at - axis.begin()) / length)};
    if (counts) {
      tick.label = fmt::format("step {:.0f}", at + 0.0);
      if (axis.by_step() && at <= axis.now()) {
        if (const auto time = history.time_of(at)) tick.second = clock_label(*time);
      }
    } else {
      tick.label = clock_label(at);
      const auto reached = at <= axis.now() ? history.step_at(at) : std::nullopt;
      if (reached) tick.second = fmt::format("step {:.0f}", *reached);
    }
    out.push_back(std::move(tick));
    if (out.size() > static_cast<std::size_t>(columns)) break;
  }
  return out;
}

std::vector<Tick> plain_ticks(double from, double to, bool steps, int most) {
  std::vector<Tick> out;
  if (!(to > from) || most <= 0) return out;
  const double step =
      steps ? nice_count_step((to - from) / most) : nice_time_step((to - from) / most);
  for (double at = std::ceil(from / step) * step; at <= to; at += step) {
    out.push_back({.place = (at - from) / (to - from),
                   .label = steps ? fmt::format("step {:.0f}", at + 0.0) : clock_label(at)});
    if (out.size() > static_cast<std::size_t>(most)) break;
  }
  return out;
}

std::vector<Tick> y_ticks(double top_bytes, int most) {
  std::vector<Tick> out;
  if (!(top_bytes > 0) || !std::isfinite(top_bytes) || most <= 0) return out;
  const double step = std::exp2(std::ceil(std::log2(top_bytes / most)));
  for (double bytes = 0; bytes <= top_bytes; bytes += step) {
    out.push_back({.place = bytes / top_bytes, .label = bytes_label(bytes)});
  }
  return out;
}

}  // namespace tidegauge::view
