// SPDX-License-Identifier: Apache-2.0
// What a chart shows besides the past, and how it is called there: by the terminal and by the page.
#pragma once

#include <optional>
#include <string>

#include "verdict/verdict.h"
#include "view/chart.h"
#include "view/history.h"

namespace tidegauge::view {

// In seconds and bytes.
struct Outlook {
  std::optional<double> limit_bytes{};
  bool limit_shown = false;  // it lies within the chart's height
  double now = 0;
  double level = 0;  // of the floor now
  double until = 0;  // right edge, in seconds
  bool fan = false;  // if it goes on
  double p5 = 0;     // seconds at which the limit is reached
  double p50 = 0;
  double p95 = 0;
  bool bounded = false;  // if it ends
  double bounded_at = 0;
  double bounded_level = 0;
};

// The future takes at most `most_future` times as long as the past.
Outlook outlook_of(const Chart& chart, std::optional<double> seconds_per_step,
                   double most_future = 1);

// Where growth ended, in seconds; nothing unless it was a warm-up.
std::optional<double> settled_at(const verdict::Verdict& verdict, const History& history);

std::string limit_label(const verdict::Verdict& verdict);  // "limit 32.0 GiB (RAM)"
std::string full_label(const Outlook& outlook, const verdict::Verdict& verdict);
std::string bounded_label(const Outlook& outlook, const verdict::Verdict& verdict);
std::string settled_label(const verdict::Settled& settled);  // "settled at step 83, 18.5 GiB"

}  // namespace tidegauge::view
